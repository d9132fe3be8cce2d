"""HTTP as a user of kindred sees it, over a unix socket or TCP."""

import http.client
import json
import socket
from dataclasses import dataclass
from urllib.parse import urlencode

from .env import scaled


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


@dataclass
class Reply:
    status: int
    headers: dict
    body: bytes

    @property
    def text(self):
        return self.body.decode("utf-8")

    def json(self):
        return json.loads(self.body.decode("utf-8"))


class Http:
    """`where` is a socket path or (host, port). One connection per request."""

    def __init__(self, where, timeout=20.0):
        self._where = where
        self._timeout = scaled(timeout)

    def _connection(self):
        if isinstance(self._where, str):
            return UnixConnection(self._where, self._timeout)
        return http.client.HTTPConnection(*self._where, timeout=self._timeout)

    def request(self, method, path, query=None, body=None, headers=None):
        target = path + ("?" + urlencode(query) if query else "")
        conn = self._connection()
        try:
            conn.request(method, target, body, headers or {})
            got = conn.getresponse()
            names = {k.lower(): v for k, v in got.getheaders()}
            return Reply(got.status, names, got.read())
        finally:
            conn.close()

    def get(self, path, **query):
        return self.request("GET", path, query)

    def json(self, path, **query):
        """The JSON of a 200 answer."""
        reply = self.get(path, **query)
        if reply.status != 200:
            raise AssertionError(f"GET {path} {query}: {reply.status} {reply.text:.400}")
        return reply.json()

    def follow(self, path, **query):
        return Follower(self._connection(), path, query)


class Follower:
    """An open stream of JSON lines; reading is bounded by the connection's time-out."""

    def __init__(self, conn, path, query):
        self._conn = conn
        conn.request("GET", path + "?" + urlencode(query))
        self._answer = conn.getresponse()
        self.status = self._answer.status

    def line(self):
        """The next line as an object; None at the end."""
        while True:
            got = self._answer.readline()
            if not got:
                return None
            if got.strip():
                return json.loads(got)

    def until(self, predicate, limit=10000):
        """The lines up to and with the first for which predicate holds."""
        seen = []
        while len(seen) < limit:
            line = self.line()
            if line is None:
                break
            seen.append(line)
            if predicate(line):
                return seen
        raise AssertionError(f"the stream ended without the line looked for; last: {seen[-5:]}")

    def close(self):
        self._answer.close()
        self._conn.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
