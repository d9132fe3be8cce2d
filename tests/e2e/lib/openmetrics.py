"""A strict parser of OpenMetrics 1.0, as far as kindred writes it."""

from . import prom


class FormatError(AssertionError):
    pass


def metrics(text):
    """The page as prom.Metrics, counters under the names of their samples."""
    if not text.endswith("# EOF\n") or text.count("# EOF") != 1:
        raise FormatError("the page does not end with # EOF")
    out, counter = [], None
    for line in text.removesuffix("# EOF\n").splitlines():
        if not line:
            raise FormatError("an empty line")
        if line.startswith("# "):
            word, name, rest = line[2:].split(" ", 2)
            kind = rest if word == "TYPE" else None
            if name.endswith("_total"):
                raise FormatError(f"{line!r}: a family's name has no _total")
            if kind == "counter":
                counter = name
                out[-1] = out[-1].replace(f" {name} ", f" {name}_total ", 1)
            elif kind:
                counter = None
            out.append(f"# {word} {name}{'_total' if kind == 'counter' else ''} {rest}")
        else:
            if counter and not line.startswith(f"{counter}_total"):
                raise FormatError(f"{line!r}: a counter's sample ends in _total")
            if 'le="' in line:
                bound = line.split('le="')[1].split('"')[0]
                if bound != "+Inf" and not set(bound) & set(".e"):
                    raise FormatError(f"{line!r}: a bound is a float")
            out.append(line)
    return prom.Metrics("".join(line + "\n" for line in out))
