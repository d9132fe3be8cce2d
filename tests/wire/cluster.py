"""FakeCluster: a small stateful model of a Kubernetes API on top of Server."""

import copy
import threading
import uuid

from . import generate, serving
from .answer import status_object
from .kinds import KINDS, Kind
from .server import Server
from .shelf import Entry, Shelf


class FakeCluster:
    """Objects, versions, lists and watches; every order may come from any thread.

    `kind` in all orders is the kind's name: "Pod". Options:
    kinds      Kind objects, dicts of their fields, or names out of KINDS
    streaming  streaming lists are served; False: refused with 422, or a status code of yours
    gone       "event": a watch from a compacted version gets an ERROR event; "http": status 410
    gzip_over  lists above so many bytes are compressed for who accepts it; 0: never
    objects    [{"kind": "Pod", "metadata": {...}, ...}] and pods=N: what is there at first
    """

    ORDERS = {"add", "modify", "delete", "bookmark", "close_watches", "compact", "forbid", "heal",
              "add_pods", "get", "set_streaming", "advance", "send_error", "unserve",
              "await_watch"}

    def __init__(self, kinds=None, *, streaming=True, gone="event", gzip_over=0, objects=(),
                 pods=0, rv=100, server=None, **server_options):
        self._lock = threading.Condition(threading.RLock())    # notified when watches change
        self.kinds = tuple(self._kind(k) for k in (kinds or KINDS))
        self._shelves = {k.kind: Shelf(k) for k in self.kinds}
        self._refused = {}              # (kind, verb) -> answer
        self._holds = {}                # (kind, verb) -> gate name
        self.rv = rv                    # history begins here: older watches are gone
        for shelf in self._shelves.values():
            shelf.compact(rv)
        self.streaming = streaming
        self.gone = gone
        self.gzip_over = gzip_over
        self.server = server or Server(**server_options)
        self.server.fallback = lambda request: serving.answer(self, request)
        for obj in objects:
            self.add(obj["kind"], obj)
        if pods:
            self.add_pods(pods)

    @staticmethod
    def _kind(form):
        if isinstance(form, Kind):
            return form
        if isinstance(form, dict):
            return Kind(**{**form, "short": tuple(form.get("short", ()))})
        return next(k for k in KINDS if k.kind == form)

    # -- the server

    @property
    def log(self):
        return self.server.log

    @property
    def url(self):
        return self.server.url

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *exc):
        self.stop()

    def stop(self):
        self.server.stop()

    def override(self, method, path, *script, **match):
        """Scripted answers before the model; PASS in the script asks the model."""
        return self.server.route(method, path, *script, **match)

    # -- objects

    def add(self, kind, obj):
        """Adds an object (dict with metadata.name); returns it with uid and resourceVersion."""
        with self._lock:
            shelf = self._shelves[kind]
            obj = copy.deepcopy(obj)
            meta = obj["metadata"]
            if shelf.kind.namespaced:
                meta.setdefault("namespace", "default")
            meta.setdefault("uid", str(uuid.uuid4()))
            meta.setdefault("creationTimestamp", "2024-01-01T00:00:00Z")
            key = (meta.get("namespace", ""), meta["name"])
            if key in shelf.entries:
                raise KeyError(f"{kind} {key} exists")
            return self._put(shelf, obj)

    def modify(self, kind, name, namespace=None, change=None, **sections):
        """Changes an object: change(obj) or a merge patch, and/or whole sections (spec=...)."""
        with self._lock:
            shelf = self._shelves[kind]
            obj = copy.deepcopy(shelf.entries[self._key(shelf, name, namespace)].obj)
            if callable(change):
                change(obj)
            elif change:
                merge(obj, change)
            obj.update(sections)
            return self._put(shelf, obj)

    def delete(self, kind, name, namespace=None):
        with self._lock:
            shelf = self._shelves[kind]
            self.rv += 1
            shelf.remove(self._key(shelf, name, namespace), self.rv)

    def get(self, kind, name, namespace=None):
        with self._lock:
            shelf = self._shelves[kind]
            return copy.deepcopy(shelf.entries[self._key(shelf, name, namespace)].obj)

    def objects(self, kind):
        with self._lock:
            return [copy.deepcopy(e.obj) for _, e in sorted(self._shelves[kind].entries.items())]

    def add_pods(self, count, namespace="default", prefix="p", nodes=10, size=0):
        """Adds `count` pods PREFIX00000... bound to nodes n0.."""
        with self._lock:
            for i in range(count):
                self.add("Pod", generate.pod(f"{prefix}{i:05}", namespace, node=f"n{i % nodes}",
                                             size=size))

    def _key(self, shelf, name, namespace):
        if not shelf.kind.namespaced:
            return ("", name)
        return (namespace or "default", name)

    def _put(self, shelf, obj):
        self.rv += 1
        obj["metadata"]["resourceVersion"] = str(self.rv)
        shelf.put(Entry(shelf.kind, obj, self.rv))
        return copy.deepcopy(obj)

    # -- watches and faults

    def advance(self, count=1):
        """Moves the version on, as a write to another kind does."""
        with self._lock:
            self.rv += count
            return self.rv

    def bookmark(self, kind, rv=None):
        """Sends a bookmark to each watch of a kind that allows them; returns how many."""
        with self._lock:
            watchers = [w for w in self._shelves[kind].watchers if w.bookmarks]
            for watcher in watchers:
                watcher.bookmark(rv or self.rv)
            return len(watchers)

    def close_watches(self, kind=None, how="keep"):
        """Ends the open watches of a kind, or of all; how: keep, close, cut or reset."""
        with self._lock:
            watchers = [w for s in self._of(kind) for w in s.watchers]
            for watcher in watchers:
                watcher.close(how)
            return len(watchers)

    def watch_count(self, kind=None):
        with self._lock:
            return sum(len(s.watchers) for s in self._of(kind))

    def await_watch(self, kind, count=1, timeout=20.0):
        """Returns once `count` watches of a kind are open; AssertionError after `timeout`."""
        watchers = self._shelves[kind].watchers
        with self._lock:
            if not self._lock.wait_for(lambda: len(watchers) >= count, timeout):
                raise AssertionError(f"{len(watchers)} of {count} watches of {kind} in {timeout} s"
                                     f"; log:\n{self.log.text()}")
            return len(watchers)

    def send_error(self, kind, code, reason, message=""):
        """Sends an ERROR event to the open watches of a kind."""
        with self._lock:
            for watcher in self._shelves[kind].watchers:
                watcher.error(code, reason, message)

    def compact(self, kind=None):
        """Forgets all history: watches from an older version are gone from now on."""
        with self._lock:
            self.rv += 1
            for shelf in self._of(kind):
                shelf.compact(self.rv)

    def forbid(self, kind, verbs=("list", "watch", "get"), code=403, reason="Forbidden"):
        """Answers the verbs of a kind with an error Status until heal()."""
        with self._lock:
            k = self._shelves[kind].kind
            for verb in verbs:
                group = k.group or ""
                self._refused[kind, verb] = {"status": code, "json": status_object(
                    code, reason, f'{k.qualified} is {reason.lower()}: User "wire" cannot {verb} '
                    f'resource "{k.resource}" in API group "{group}" at the cluster scope',
                    {"kind": k.resource, "group": group})}

    def unserve(self, kind):
        """Answers a kind with 404 until heal(), as a server that does not know it."""
        self.forbid(kind, code=404, reason="NotFound")

    def heal(self, kind=None):
        with self._lock:
            self._refused = {k: v for k, v in self._refused.items() if kind not in (None, k[0])}

    def hold(self, kind, verb="list"):
        """Requests wait until the returned gate is opened."""
        name = f"hold-{kind}-{verb}-{uuid.uuid4().hex}"
        with self._lock:
            self._holds[kind, verb] = name
        return self.server.gates.get(name)

    def set_streaming(self, on):
        with self._lock:
            self.streaming = on

    def _of(self, kind):
        return [self._shelves[kind]] if kind else list(self._shelves.values())


def merge(target, patch):
    """A JSON merge patch, in place."""
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict) and isinstance(target.get(key), dict):
            merge(target[key], value)
        else:
            target[key] = value
