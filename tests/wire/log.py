"""The request log: what arrived, when, and how long a test waits for it."""

import json
import threading
import time
from dataclasses import asdict, dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass
class Request:
    """One request. `query` keeps the last value of a key; header names are lower case."""

    n: int
    t: float
    conn: int
    method: str
    target: str
    headers: dict
    body: bytes = b""
    path: str = ""
    query: dict = field(default_factory=dict)

    def __post_init__(self):
        parts = urlsplit(self.target)
        self.path = unquote(parts.path)
        self.query = dict(parse_qsl(parts.query, keep_blank_values=True))

    @property
    def is_watch(self):
        return self.query.get("watch", "") in ("1", "true", "True")

    @property
    def verb(self):
        """watch or list for a GET, else the method in lower case."""
        if self.method != "GET":
            return self.method.lower()
        return "watch" if self.is_watch else "list"

    def json(self):
        return json.loads(self.body)

    def record(self):
        """The line of the log file."""
        line = asdict(self)
        line["body"] = self.body.decode("utf-8", "replace")
        return line


class RequestLog:
    """Requests in the order of their arrival, also as JSON lines in a file."""

    def __init__(self, path=None):
        self._cond = threading.Condition()
        self._all = []
        self._file = open(path, "w", encoding="ascii") if path else None

    def add(self, conn, method, target, headers, body):
        with self._cond:
            request = Request(len(self._all), time.monotonic(), conn, method,
                              target, headers, body)
            self._all.append(request)
            if self._file:
                self._file.write(json.dumps(request.record()) + "\n")
                self._file.flush()
            self._cond.notify_all()
        return request

    def all(self, **match):
        with self._cond:
            found = list(self._all)
        return [r for r in found if matches(r, match)]

    def lists(self, path=None):
        return self.all(verb="list", **({"path": path} if path else {}))

    def watches(self, path=None):
        return self.all(verb="watch", **({"path": path} if path else {}))

    def wait(self, count=1, timeout=20.0, **match):
        """The matching requests, once there are `count`; AssertionError after `timeout`."""
        deadline = time.monotonic() + timeout
        with self._cond:
            while True:
                found = [r for r in self._all if matches(r, match)]
                if len(found) >= count:
                    return found
                left = deadline - time.monotonic()
                if left <= 0:
                    raise AssertionError(
                        f"{len(found)} of {count} requests {match} in {timeout} s; log:\n"
                        + self._text_locked())
                self._cond.wait(left)

    def _text_locked(self):
        return "\n".join(f"{r.n:4} {r.t:.3f} {r.method} {r.target}" for r in self._all[-60:])

    def text(self):
        with self._cond:
            return self._text_locked()

    def __len__(self):
        with self._cond:
            return len(self._all)

    def close(self):
        with self._cond:
            if self._file:
                self._file.close()
                self._file = None


def matches(request, match):
    """match: method, path, verb, query (a dict; None as value: key absent), where (callable)."""
    for key, want in match.items():
        if key == "query":
            if any(request.query.get(k) != v for k, v in want.items()):
                return False
        elif key == "where":
            if not want(request):
                return False
        elif getattr(request, key) != want:
            return False
    return True
