"""A strict parser of the Prometheus text format, version 0.0.4."""

import math
import re
from dataclasses import dataclass, field

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
VALUE = re.compile(r"[+-]?(?:Inf|NaN|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
TYPES = {"counter", "gauge", "histogram", "summary", "untyped"}
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "summary": ("", "_sum", "_count")}
ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


class FormatError(AssertionError):
    pass


@dataclass
class Family:
    name: str
    type: str = "untyped"
    help: str = ""
    samples: list = field(default_factory=list)     # (name, labels dict, value)


class Metrics:
    """The families of a page."""

    def __init__(self, text):
        self.families = parse(text)

    def samples(self, name, /, **labels):
        """(labels, value) of each sample with this name and at least these labels."""
        return [(found, number) for family in self.families.values()
                for sample, found, number in family.samples
                if sample == name and all(found.get(k) == v for k, v in labels.items())]

    def value(self, name, /, **labels):
        """The sum over the matching samples; 0 when there is none."""
        return sum(number for _, number in self.samples(name, **labels))

    def search(self, pattern, /, **labels):
        """(name, labels, value) of samples whose name matches a regular expression."""
        return [(name, found, number) for family in self.families.values()
                for name, found, number in family.samples
                if re.search(pattern, name) and all(found.get(k) == v for k, v in labels.items())]


def parse(text):
    if text and not text.endswith("\n"):
        raise FormatError("the page does not end with a newline")
    families, seen, closed, current = {}, set(), set(), None
    for number, line in enumerate(text.split("\n")[:-1], 1):
        if not line:
            continue
        try:
            if line.startswith("#"):
                name = _comment(line, families)
            else:
                name = _sample(line, families, seen)
        except FormatError as error:
            raise FormatError(f"line {number}: {error}: {line!r}") from None
        if name and name != current:
            if name in closed:
                raise FormatError(f"line {number}: the lines of {name} are not together")
            closed.add(current)
            current = name
    for family in families.values():
        if family.type == "histogram":
            _histogram(family)
    return families


def _comment(line, families):
    words = line.split(" ", 3)
    if len(words) < 3 or words[0] != "#" or words[1] not in ("HELP", "TYPE"):
        return None
    name = words[2]
    if not NAME.fullmatch(name):
        raise FormatError(f"bad name {name!r}")
    family = families.setdefault(name, Family(name))
    rest = words[3] if len(words) == 4 else ""
    if words[1] == "HELP":
        if family.help:
            raise FormatError("second HELP")
        if re.search(r"\\(?![\\n])", rest.replace("\\\\", "")):
            raise FormatError("bad escape in HELP")
        family.help = rest or " "
    else:
        if rest not in TYPES:
            raise FormatError(f"bad type {rest!r}")
        if family.samples or family.type != "untyped":
            raise FormatError("TYPE after samples, or twice")
        family.type = rest
    return name


def _sample(line, families, seen):
    found = NAME.match(line)
    if not found:
        raise FormatError("no metric name")
    name, at = found.group(), found.end()
    labels, at = _labels(line, at)
    words = line[at:].split(" ")
    if words[0] != "" or len(words) not in (2, 3) or not VALUE.fullmatch(words[1]):
        raise FormatError("bad value")
    if len(words) == 3 and not re.fullmatch(r"-?[0-9]+", words[2]):
        raise FormatError("bad timestamp")
    identity = (name, tuple(sorted(labels.items())))
    if identity in seen:
        raise FormatError("the same sample twice")
    seen.add(identity)
    family = _family_of(name, families)
    family.samples.append((name, labels, _number(words[1])))
    return family.name


def _labels(line, at):
    labels = {}
    if line[at:at + 1] != "{":
        return labels, at
    at += 1
    while line[at:at + 1] != "}":
        found = LABEL.match(line, at)
        if not found:
            raise FormatError("bad label")
        if found.group(1) in labels:
            raise FormatError(f"label {found.group(1)} twice")
        labels[found.group(1)] = re.sub(r'\\["\\n]', lambda m: ESCAPES[m.group()], found.group(2))
        at = found.end()
        if line[at:at + 1] == ",":
            at += 1
        elif line[at:at + 1] != "}":
            raise FormatError("labels are not closed")
    return labels, at + 1


def _number(word):
    return float(word.replace("Inf", "inf").replace("NaN", "nan"))


def _family_of(name, families):
    for family in families.values():
        for suffix in SUFFIXES.get(family.type, ("",)):
            if name == family.name + suffix:
                return family
    return families.setdefault(name, Family(name))


def _histogram(family):
    series = {}
    for name, labels, value in family.samples:
        key = tuple(sorted((k, v) for k, v in labels.items() if k != "le"))
        entry = series.setdefault(key, {"buckets": [], "count": None, "sum": None})
        if name.endswith("_bucket"):
            if "le" not in labels:
                raise FormatError(f"{family.name}: a bucket without le")
            entry["buckets"].append((_number(labels["le"]), value))
        else:
            entry[name.rsplit("_", 1)[1]] = value
    for key, entry in series.items():
        bounds = [b for b, _ in entry["buckets"]]
        counts = [c for _, c in entry["buckets"]]
        if bounds != sorted(set(bounds)) or not bounds or bounds[-1] != math.inf:
            raise FormatError(f"{family.name}{key}: bad bounds {bounds}")
        if counts != sorted(counts) or counts[-1] != entry["count"] or entry["sum"] is None:
            raise FormatError(f"{family.name}{key}: bad counts {counts}, count {entry['count']}")
