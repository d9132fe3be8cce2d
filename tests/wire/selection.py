"""Label and field selectors of the fake cluster."""

import re

SET = re.compile(r"^\s*(\S+)\s+(in|notin)\s+\(([^)]*)\)\s*$")


def requirements(text):
    """Splits at commas that are not inside parentheses."""
    return [r for r in re.split(r",(?![^(]*\))", text) if r.strip()]


def label_test(text):
    """A predicate on a label dict."""
    tests = [_label(r) for r in requirements(text)]
    return lambda labels: all(t(labels) for t in tests)


def _label(req):
    found = SET.match(req)
    if found:
        key, how, values = found.groups()
        members = {v.strip() for v in values.split(",")}
        if how == "in":
            return lambda labels: labels.get(key) in members
        return lambda labels: labels.get(key) not in members
    for sign, wanted in (("!=", False), ("==", True), ("=", True)):
        if sign in req:
            key, _, value = (p.strip() for p in req.partition(sign))
            return lambda labels: (labels.get(key) == value) == wanted
    key = req.strip()
    if key.startswith("!"):
        return lambda labels: key[1:].strip() not in labels
    return lambda labels: key in labels


def field_test(text):
    """A predicate on an object: =, == and != on any dotted path."""
    tests = []
    for req in requirements(text):
        sign = "!=" if "!=" in req else "==" if "==" in req else "="
        path, _, value = (p.strip() for p in req.partition(sign))
        tests.append((path.split("."), value, sign != "!="))
    return lambda obj: all((lookup(obj, p) == v) == wanted for p, v, wanted in tests)


def lookup(obj, path):
    for step in path:
        obj = obj.get(step) if isinstance(obj, dict) else None
    return "" if obj is None else str(obj)


def selection(query, namespace=""):
    """A predicate on an object from a request's query and path, or None for everything."""
    labels = query.get("labelSelector", "")
    fields = query.get("fieldSelector", "")
    if not (labels or fields or namespace):
        return None
    by_label, by_field = label_test(labels), field_test(fields)

    def wanted(obj):
        meta = obj.get("metadata", {})
        return ((not namespace or meta.get("namespace", "") == namespace)
                and by_label(meta.get("labels") or {}) and by_field(obj))
    return wanted
