"""Routes: which scripted answer a request gets."""

import fnmatch
import threading

from . import answer as answers


class Route:
    """One matcher with its ordered answers; the last one repeats."""

    def __init__(self, method, path, script, watch=None, query=None):
        if not script:
            raise ValueError(f"route {method} {path} has no answer")
        self.method = method
        self.path = path
        self.watch = watch
        self.query = query or {}
        self.script = [a if callable(a) or a == answers.PASS else answers.of(a) for a in script]
        self.hits = 0

    def matches(self, request):
        if self.method not in (None, "*", request.method):
            return False
        if not fnmatch.fnmatchcase(request.path, self.path):
            return False
        if self.watch is not None and self.watch != request.is_watch:
            return False
        return all(request.query.get(k) == v for k, v in self.query.items())

    def next(self):
        form = self.script[min(self.hits, len(self.script) - 1)]
        self.hits += 1
        return form


class Routes:
    """Tried in the order of their addition; PASS hands a request on to the next match."""

    def __init__(self):
        self._lock = threading.Lock()
        self._routes = []

    def add(self, method, path, *script, watch=None, query=None, first=False):
        """Adds a route.

        method: "GET" or None for any. path: exact, or with * ? [..] as in fnmatch.
        watch: True or False to match only watches or only other requests.
        query: dict that must be part of the query; None as value: key must be absent.
        script: answers in order (dict, Answer, callable(request), PASS); the last one repeats.
        """
        route = Route(method, path, script, watch, query)
        with self._lock:
            self._routes.insert(0 if first else len(self._routes), route)
        return route

    def remove(self, route):
        with self._lock:
            self._routes = [r for r in self._routes if r is not route]

    def clear(self):
        with self._lock:
            self._routes = []

    def choose(self, request):
        """The answer for a request, or None."""
        with self._lock:
            candidates = list(self._routes)
        for route in candidates:
            if not route.matches(request):
                continue
            with self._lock:
                form = route.next()
            chosen = form(request) if callable(form) else form
            if chosen is not None and chosen != answers.PASS:
                return answers.of(chosen)
        return None
