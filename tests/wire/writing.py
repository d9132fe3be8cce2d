"""How a fake cluster takes writes: create, update and patch of the kinds that a host writes."""

import json
import re

from . import answer as answers

WRITABLE = {"Lease", "Event"}
VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch"}
# As the real one reads it: exactly six digits (B43).
MICRO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)")
MICRO_TIMES = {"acquireTime", "renewTime", "eventTime", "lastObservedTime"}


def takes(shelf, request):
    return shelf.kind.kind in WRITABLE and request.method in VERBS


def write(cluster, request, shelf, namespace, name):
    verb = VERBS[request.method]
    with cluster._lock:
        refused = cluster._refused.get((shelf.kind.kind, verb))
        gate = cluster._holds.get((shelf.kind.kind, verb), "")
    if refused:
        return answers.of({**refused, "gate": gate})
    try:
        body = json.loads(request.body)
    except ValueError as error:
        return answers.error(400, "BadRequest", f"the body is no JSON: {error}")
    bad = bad_time(body)
    if bad:
        return answers.error(400, "BadRequest", f"parsing time {bad!r}")
    with cluster._lock:
        made = {"create": create, "update": update, "patch": patch}[verb](
            cluster, shelf, namespace, name, body)
    made.gate = gate
    return made


def bad_time(item):
    """The first text that should be a MicroTime and is none."""
    if not isinstance(item, dict):
        return None
    for key, value in item.items():
        if key in MICRO_TIMES and value is not None and not (
                isinstance(value, str) and MICRO_TIME.fullmatch(value)):
            return value
        found = bad_time(value)
        if found:
            return found
    return None


def missing(shelf, name):
    return answers.error(404, "NotFound", f'{shelf.kind.qualified} "{name}" not found',
                         {"name": name, "kind": shelf.kind.resource})


def done(shelf, key, status):
    made = answers.Answer(chunks=[shelf.entries[key].whole()],
                          headers={"Content-Type": "application/json"})
    made.status = status
    return made


def create(cluster, shelf, namespace, name, body):
    meta = body.get("metadata") or {}
    if name or not meta.get("name") or meta.get("namespace", namespace) != namespace:
        return answers.error(400, "BadRequest", "the name or namespace does not fit the path")
    key = (namespace, meta["name"])
    if key in shelf.entries:
        return answers.error(409, "AlreadyExists",
                             f'{shelf.kind.qualified} "{meta["name"]}" already exists')
    meta["namespace"] = namespace
    cluster.add(shelf.kind.kind, body)
    return done(shelf, key, 201)


def update(cluster, shelf, namespace, name, body):
    entry = shelf.entries.get((namespace, name))
    if entry is None:
        return missing(shelf, name)
    version = body.get("metadata", {}).get("resourceVersion", "")
    if version and version != entry.obj["metadata"]["resourceVersion"]:
        return answers.error(409, "Conflict", f'Operation cannot be fulfilled on "{name}": the '
                             "object has been modified; please apply your changes to the latest")
    body["metadata"]["uid"] = entry.obj["metadata"]["uid"]
    cluster._put(shelf, body)
    return done(shelf, (namespace, name), 200)


def patch(cluster, shelf, namespace, name, body):
    if (namespace, name) not in shelf.entries:
        return missing(shelf, name)
    cluster.modify(shelf.kind.kind, name, namespace, change=body)
    return done(shelf, (namespace, name), 200)
