"""How a fake cluster answers: discovery, get, list and watch; writes are in writing.py."""

from . import answer as answers
from . import discovery, listing, writing
from .selection import selection
from .watching import Watcher

VERSION = {"major": "1", "minor": "36", "gitVersion": "v1.36.3", "platform": "linux/amd64"}


def answer(cluster, request):
    if request.path == "/version":
        return answers.ok(VERSION)
    if request.path in ("/readyz", "/livez", "/healthz"):
        return answers.of({"text": "ok"})
    found = discovery.document(request.path, cluster.kinds, request.headers.get("accept", ""))
    if found:
        return answers.ok(found[1], headers={"Content-Type": found[0]})
    shelf, namespace, name = locate(cluster, request.path)
    if shelf is None:
        return None
    if writing.takes(shelf, request):
        return writing.write(cluster, request, shelf, namespace, name)
    if request.method != "GET":
        return answers.error(405, "MethodNotAllowed", "the fake cluster only reads")
    return read(cluster, request, shelf, namespace, name)


def locate(cluster, path):
    """(shelf, namespace, name) of a resource path; (None, "", "") when there is none."""
    for shelf in cluster._shelves.values():
        root = shelf.kind.root + "/"
        if not path.startswith(root):
            continue
        words = path[len(root):].split("/")
        namespace = ""
        if words[0] == "namespaces" and len(words) >= 3 and shelf.kind.namespaced:
            namespace, words = words[1], words[2:]
        if words[0] == shelf.kind.resource and len(words) <= 2:
            return shelf, namespace, words[1] if len(words) == 2 else ""
    return None, "", ""


def read(cluster, request, shelf, namespace, name):
    kind = shelf.kind
    verb = "get" if name else request.verb
    with cluster._lock:
        refused = cluster._refused.get((kind.kind, verb))
        gate = cluster._holds.get((kind.kind, verb), "")
    if refused:
        return answers.of({**refused, "gate": gate})
    partial = "as=PartialObjectMetadata" in request.headers.get("accept", "")
    selected = selection(request.query, namespace)
    if verb == "watch":
        return watch(cluster, request, shelf, selected, partial, gate)

    with cluster._lock:
        if name:
            made = get(shelf, namespace, name, partial)
        else:
            made = listing.answer(shelf, cluster.rv, request, selected, partial,
                                  cluster.gzip_over)
    made.gate = gate
    return made


def get(shelf, namespace, name, partial):
    entry = shelf.entries.get((namespace, name))
    if entry is None:
        return answers.error(404, "NotFound", f'{shelf.kind.qualified} "{name}" not found',
                             {"name": name, "kind": shelf.kind.resource})
    return answers.Answer(chunks=[entry.partial() if partial else entry.whole()],
                          headers={"Content-Type": "application/json"})


def watch(cluster, request, shelf, selected, partial, gate):
    query = request.query
    bookmarks = query.get("allowWatchBookmarks") in ("1", "true")
    initial = query.get("sendInitialEvents") in ("1", "true")
    if initial:
        refused = refuse_stream(cluster.streaming, query, bookmarks)
        if refused:
            return refused
    text = query.get("resourceVersion", "")
    if text and not text.isdigit():
        return answers.error(400, "BadRequest", f"invalid resource version {text!r}")
    asked = int(text or 0)
    if not initial and asked and asked < shelf.compacted and cluster.gone == "http":
        return answers.error(410, "Expired", f"too old resource version: {asked}")
    timeout = float(query.get("timeoutSeconds", 0) or 3600)

    def stream(writer, _):
        watcher = Watcher(shelf, selected, partial, bookmarks)
        with cluster._lock:
            begin(cluster, shelf, watcher, asked, initial)
        try:
            return watcher.run(writer, timeout)
        finally:
            with cluster._lock:
                shelf.watchers.discard(watcher)
                cluster._lock.notify_all()
            watcher.release()
    return answers.Answer(stream=stream, gate=gate, headers={"Content-Type": "application/json"})


def refuse_stream(streaming, query, bookmarks):
    if streaming is not True:
        code = streaming if isinstance(streaming, int) and streaming else 422
        return answers.error(code, "Invalid" if code == 422 else "BadRequest",
                             "sendInitialEvents is forbidden for watch unless the WatchList "
                             "feature gate is enabled")
    if query.get("resourceVersionMatch") != "NotOlderThan" or not bookmarks:
        return answers.error(422, "Invalid", "sendInitialEvents needs resourceVersionMatch="
                             "NotOlderThan and allowWatchBookmarks=true")
    return None


def begin(cluster, shelf, watcher, asked, initial):
    """What a watch gets first; the caller holds the cluster's lock."""
    if initial or not asked:
        watcher.initial(e for _, e in sorted(shelf.entries.items()))
        if initial:
            watcher.bookmark(cluster.rv, end_of_initial=True)
    elif asked < shelf.compacted:
        watcher.error(410, "Expired", f"too old resource version: {asked} ({shelf.compacted})")
        watcher.close()
    else:
        for change in shelf.since(asked):
            watcher.change(change)
    shelf.watchers.add(watcher)
    cluster._lock.notify_all()
