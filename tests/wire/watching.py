"""One open watch on a fake cluster."""

import collections
import os
import threading
import time

from .answer import dumps, status_object

END = object()
EVENT = {t: b'{"type":"%b","object":' % t.encode() for t in ("ADDED", "MODIFIED", "DELETED")}


class Watcher:
    """A queue that the model fills and the connection's thread empties."""

    def __init__(self, shelf, selected, partial, bookmarks):
        self.shelf = shelf
        self.bookmarks = bookmarks
        self._selected = selected
        self._partial = partial
        self._lock = threading.Lock()
        self._queue = collections.deque()
        self._end = "keep"
        self._fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)

    # -- the model's side

    def push(self, data):
        with self._lock:
            self._queue.append(data)
            if self._fd >= 0:
                os.eventfd_write(self._fd, 1)

    def change(self, change):
        _, what, entry, before = change
        if self._selected:
            now = what != "DELETED" and self._selected(entry.obj)
            was = before is not None and self._selected(before.obj)
            if not now and not was:
                return
            what = "DELETED" if not now else "MODIFIED" if was else "ADDED"
        self.push(self._event(what, entry))

    def initial(self, entries):
        """ADDED for what is there, in one piece per 500."""
        chosen = [e for e in entries if not self._selected or self._selected(e.obj)]
        for i in range(0, len(chosen), 500):
            self.push(b"".join(self._event("ADDED", e) for e in chosen[i:i + 500]))

    def bookmark(self, rv, end_of_initial=False):
        kind = self.shelf.kind
        meta = {"resourceVersion": str(rv), "creationTimestamp": None}
        if end_of_initial:
            meta["annotations"] = {"k8s.io/initial-events-end": "true"}
        shown = (("PartialObjectMetadata", "meta.k8s.io/v1") if self._partial
                 else (kind.kind, kind.api_version))
        self.push(dumps({"type": "BOOKMARK", "object": {
            "kind": shown[0], "apiVersion": shown[1], "metadata": meta}}) + b"\n")

    def error(self, code, reason, message):
        self.push(dumps({"type": "ERROR",
                         "object": status_object(code, reason, message)}) + b"\n")

    def close(self, how="keep"):
        """how: keep or close (clean end), cut, reset."""
        self._end = how
        self.push(END)

    def _event(self, what, entry):
        return EVENT[what] + (entry.partial() if self._partial else entry.whole()) + b"}\n"

    # -- the connection's side

    def run(self, writer, timeout):
        """Writes events until closed or `timeout` seconds are over; returns how it ended."""
        deadline = time.monotonic() + timeout
        while True:
            with self._lock:
                batch, self._queue = self._queue, collections.deque()
                if batch:
                    os.eventfd_read(self._fd)
            for data in batch:
                if data is END:
                    return self._end
                writer.write(data)
            if not batch:
                left = deadline - time.monotonic()
                if left <= 0:
                    return "keep"
                writer.conn.wait_for([self._fd], left)

    def release(self):
        with self._lock:
            os.close(self._fd)
            self._fd = -1
