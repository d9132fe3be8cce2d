"""The control paths under /_wire/ of the standalone entry: gates, log, fake cluster."""

import json

from . import answer as answers


class Control:
    """Answers /_wire/ requests; these are not logged."""

    def __init__(self, server, cluster=None):
        self.server = server
        self.cluster = cluster

    def __call__(self, request):
        words = request.path.split("/")[2:]
        try:
            return self._do(words, request)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            return answers.of({"status": 400, "text": f"{type(error).__name__}: {error}\n"})

    def _do(self, words, request):
        if words[0] == "open" and len(words) == 2:
            self.server.gates.open(words[1])
            return {"json": {"opened": words[1]}}
        if words[0] == "log":
            return {"json": [r.record() for r in self.server.log.all()]}
        if words[0] == "wait":
            return self._wait(request.query)
        if words[0] == "drop":
            self.server.drop_connections()
            return {"json": {}}
        if words[0] == "cluster" and self.cluster:
            return {"json": self._cluster(json.loads(request.body or b"{}"))}
        return {"status": 404, "text": "no such control path\n"}

    def _wait(self, query):
        """?count=N&path=P&verb=V&timeout=S: answers when so many requests came, else 504."""
        match = {k: query[k] for k in ("path", "verb", "method") if k in query}
        try:
            found = self.server.log.wait(int(query.get("count", 1)),
                                         float(query.get("timeout", 20)), **match)
        except AssertionError as error:
            return {"status": 504, "text": str(error) + "\n"}
        return {"json": [r.record() for r in found]}

    def _cluster(self, order):
        """{"op": "add", "args": [...], "with": {...}}: a method of FakeCluster."""
        if order["op"] not in self.cluster.ORDERS:
            raise ValueError(f"unknown op {order['op']!r}")
        done = getattr(self.cluster, order["op"])(*order.get("args", []), **order.get("with", {}))
        return done if isinstance(done, (dict, list, str, int)) else None
