"""One kind of a fake cluster: its objects, their history, and the watchers."""

from .answer import dumps


class Entry:
    """One object at one resource version, encoded once."""

    __slots__ = ("key", "rv", "obj", "item", "_kind", "_meta")

    def __init__(self, kind, obj, rv):
        meta = obj["metadata"]
        self._kind = kind
        self.key = (meta.get("namespace", ""), meta["name"])
        self.rv = rv
        self.obj = obj
        self.item = dumps({k: v for k, v in obj.items() if k not in ("kind", "apiVersion")})
        self._meta = None

    def whole(self):
        """With kind and apiVersion in front, as in a watch or a read."""
        head = b'{"kind":"%b","apiVersion":"%b",' % (self._kind.kind.encode(),
                                                     self._kind.api_version.encode())
        return head + self.item[1:]

    def partial(self):
        """As PartialObjectMetadata."""
        if self._meta is None:
            self._meta = dumps({"kind": "PartialObjectMetadata",
                                "apiVersion": "meta.k8s.io/v1",
                                "metadata": self.obj["metadata"]})
        return self._meta


class Shelf:
    """The caller holds the cluster's lock around every call."""

    def __init__(self, kind):
        self.kind = kind
        self.entries = {}
        self.history = []           # (rv, type, entry now, entry before)
        self.compacted = 0          # watches from below it are answered with 410
        self.watchers = set()
        self.snapshots = {}         # continue token -> (rv, entries, offset)

    def put(self, entry):
        before = self.entries.get(entry.key)
        self.entries[entry.key] = entry
        self._record("MODIFIED" if before else "ADDED", entry, before)

    def remove(self, key, rv):
        before = self.entries.pop(key)
        obj = {**before.obj, "metadata": {**before.obj["metadata"], "resourceVersion": str(rv)}}
        self._record("DELETED", Entry(self.kind, obj, rv), before)

    def _record(self, what, entry, before):
        change = (entry.rv, what, entry, before)
        self.history.append(change)
        for watcher in self.watchers:
            watcher.change(change)

    def since(self, rv):
        return [change for change in self.history if change[0] > rv]

    def compact(self, rv):
        self.compacted = rv
        self.history = [change for change in self.history if change[0] > rv]
        self.snapshots.clear()
