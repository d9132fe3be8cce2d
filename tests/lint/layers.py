"""Which folder may include which: the table of docs/architecture.md."""

import re

ALL = "base json metrics config client informer queue plugin store controller leader server manager"

# Stage: what it may include beside its own headers and <kindred/...>.
STAGES = {
    "base": "",
    "json": "base",
    "metrics": "base",
    "config": "base",
    "client": "base json metrics config",
    "informer": "base json metrics config client",
    "queue": "base json metrics config",
    "plugin": "base json config",
    "store": "base json metrics config informer",
    "controller": "base json metrics config informer queue plugin store",
    "leader": "base json metrics config client",
    "server": "base json metrics config store",
    "manager": ALL,
    "archive": "base json informer store",
    "ctl": "base json archive",
    "kit": "base json config plugin",
}
# Programs at the top of core/ belong to a stage.
PROGRAMS = {"main.c": "manager", "ctl_main.c": "ctl"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def includes(body):
    """(line, quoted, path) of each include."""
    for match in INCLUDE.finditer(body):
        yield body.count("\n", 0, match.start()) + 1, match.group(1) == '"', match.group(2)


def core_fault(name, quoted, path):
    parts = name.split("/")
    stage = parts[1] if len(parts) > 2 else PROGRAMS.get(parts[1])
    if stage not in STAGES:
        return f"is in no known stage (core/{parts[1]})"
    if not quoted:
        return None
    target = path.split("/")[0]
    if target == stage or target in STAGES[stage].split():
        return None
    return f"core/{stage} may not include \"{path}\""


def outside_fault(name, quoted, path):
    """Plugins and the public headers see <kindred/...>, the C library and their own folder."""
    if quoted:
        if name.startswith("plugins/") and "/" not in path:
            return None
        return f"may not include \"{path}\""
    if path.startswith("kindred/") or "/" not in path:
        return None
    return f"may not include <{path}>"


def faults(name, body):
    check = core_fault if name.startswith("core/") else outside_fault
    for line, quoted, path in includes(body):
        fault = check(name, quoted, path)
        if fault:
            yield f"{name}:{line}: {fault}"
