"""kindred under measurement: its configuration, when it has synced, what arrived."""

import http.client
import json
import os
import time

from e2e.lib import conf, env
from e2e.lib.kindred import Kindred

from .peer import numbered

POLL = 0.05  # a question costs kindred a fraction of a millisecond, which counts as its own
KINDS = ("pod", "node", "replicaset", "deployment", "service", "endpointslice")


class Host:
    """`expect`: objects to be stored; None: the pods' cache alone, `objects` of them. `others`: the
    plugins beside the pods' one where objects are stored."""

    def __init__(self, folder, kubeconfig, objects, expect=None, timed="", paged=False,
                 others=KINDS[1:]):
        self.title = f"kindred, {'paged' if paged else 'streaming'} list, JSON"
        self._objects, self._expect = objects, expect
        self._file = os.path.join(folder, "arrivals")
        pod = {"plugin": "pod", "reconcile": expect is not None}
        if timed and expect is not None:
            pod = {"plugin": timed, "settings": {"file": self._file}}
        kinds = [pod] if expect is None else [pod] + [{"plugin": k} for k in others]
        self._host = Kindred(folder, {
            "cluster": {"kubeconfig": kubeconfig, "qps": 10000.0, "burst": 10000},
            "leader": {"enabled": False},
            "store": {"path": os.path.join(folder, "graph.db")},
            "health": {"bind": "0"}, "metrics": {"bind": "0"},
            "api": {"bind": "unix:" + os.path.join(folder, "api.sock")},
            "log": {"level": "warn", "format": "text"},
            "plugins": {"directory": os.path.join(env.BUILD, "plugins"),
                        "extra": [os.path.join(env.BUILD, "tests", "bench", "plugins")]},
            "defaults": {"stream_list": not paged},
            "kinds": kinds,
        })
        self.started = time.monotonic()
        self._host.start()

    @property
    def pid(self):
        return self._host.process.pid

    def rows(self):
        try:
            return self._host.api.json("/api/v1/kinds")["items"]
        except (OSError, http.client.HTTPException, json.JSONDecodeError, AssertionError):
            return []

    def wait_synced(self, limit=600.0):
        """The number of objects, once all are there and, where they are stored, reconciled."""
        while not self._all(rows := self.rows()):
            if not self._host.running() or time.monotonic() - self.started > limit:
                raise RuntimeError("kindred has not synced:\n" + self._host.log_text()[-3000:])
            time.sleep(POLL)
        return sum(row["objects"] if self._expect is None else row["stored"] for row in rows)

    def _all(self, rows):
        if not rows or any(row["state"] != "synced" for row in rows):
            return False
        if self._expect is None:
            return rows[0]["objects"] >= self._objects
        return sum(row["stored"] for row in rows) >= self._expect

    def settle(self):
        """Nothing to ask for: kindred keeps no garbage."""

    def arrivals(self):
        self._host.stop()
        if not os.path.exists(self._file):
            return {}
        with open(self._file, encoding="ascii") as file:
            return numbered(file.read().splitlines())

    def stop(self):
        self._host.stop()
