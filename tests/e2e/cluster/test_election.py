"""kindred and client-go's own leader election on one Lease of a real API server.

Each takes over from the other, by kills, clean stops, sleeps longer than the lease and a stalled
API server. No change of ours is committed outside of our own time. KINDRED_HANDOVERS sets how many
hand-overs (8).
"""

import os
import re
import sys
import threading
import time
import unittest

from e2e.cluster import candidates
from e2e.cluster.real import GraphTest
from e2e.lib import leases
from e2e.lib.case import main
from e2e.lib.waiting import wait_until

HAND_OVERS = int(os.environ.get("KINDRED_HANDOVERS", "8"))
LEASE, RENEW = 3.0, 2.0
BLINK = 0.005       # between the claim's stamp and the start of its time


class Writer(threading.Thread):
    """Makes a ConfigMap every few milliseconds."""

    def __init__(self, api, namespace):
        super().__init__(daemon=True)
        self._api = api
        self._path = f"/api/v1/namespaces/{namespace}/configmaps"
        self._over = threading.Event()
        self.made = 0

    def run(self):
        while not self._over.wait(0.02):
            status, _ = self._api.request("POST", self._path,
                                          {"metadata": {"name": f"c{self.made:06}"}})
            self.made += status == 201

    def stop(self):
        self._over.set()
        self.join()


class Election(GraphTest):
    def setUp(self):
        super().setUp()
        if not os.access(candidates.PROGRAM, os.X_OK):
            raise unittest.SkipTest("the candidate is not built: run tests/cluster/build")
        self.api = self.new_api()
        for name in (leases.NAMESPACE, "changes"):
            self.api.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})

    def new_api(self):
        api = candidates.Api(self.real.kubeconfig)
        self.addCleanup(api.close)
        return api

    def both(self):
        host = self.watcher(["configmap"], leader=leases.SHORT, store={
            "path": self.path("graph.db"), "flush_interval": "20ms"})
        ours = candidates.Ours(host, self.api.port)
        self.addCleanup(ours.end)
        theirs = candidates.Theirs(self.folder, self.real.kubeconfig, self.api.port)
        self.addCleanup(theirs.end)
        ours.start()
        wait_until(lambda: ours.owns(self.holder()), 30, "our lead")
        theirs.start()
        return ours, theirs

    def holder(self):
        return self.api.lease().get("holderIdentity", "")

    def hand_over(self, leader, follower, way):
        """The leader fails in a way; seconds until the other holds the Lease."""
        began = time.monotonic()
        candidates.WAYS[way](leader)
        wait_until(lambda: follower.owns(self.holder()), 30, f"the take-over after {way}")
        took = time.monotonic() - began
        candidates.back(leader, way)
        return took

    def test_each_takes_over_from_the_other(self):
        ours, theirs = self.both()
        history = candidates.History(self.new_api())
        writer = Writer(self.new_api(), "changes")
        history.start()
        writer.start()
        took = {}
        ways = ("stop", "kill", "sleep", "stall")
        for i in range(HAND_OVERS):
            leader, follower = (ours, theirs) if i % 2 == 0 else (theirs, ours)
            way = ways[i // 2 % len(ways)]
            took.setdefault((type(leader).__name__, way), []).append(
                self.hand_over(leader, follower, way))
            time.sleep(LEASE / 2)       # some time of undisturbed lead
        if not ours.owns(self.holder()):
            self.hand_over(theirs, ours, "stop")
        writer.stop()
        ours.host.until(lambda: ours.host.api.get("/api/v1/resources", kind="ConfigMap",
                                                  limit=1).status == 200, 30, "the API")
        ours.host.until(lambda: len(self.written(ours)) == writer.made, 30, "all changes")
        history.stop()
        self.report(took, history, ours, theirs)
        self.nothing_outside_our_time(ours, history, writer.made)

    @staticmethod
    def written(ours):
        return [i for i in ours.host.resources("ConfigMap", namespace="changes", limit=1000)
                if re.fullmatch(r"c\d{6}", i["ref"]["name"])]

    def nothing_outside_our_time(self, ours, history, made):
        reigns = history.reigns(ours.owns, RENEW)
        items = self.written(ours)
        self.assertEqual(len(items), made)
        outside = []
        for item in items:
            at = candidates.stamp(item["updatedAt"])
            if not any(begin - BLINK <= at <= end + BLINK for begin, end in reigns):
                outside.append((item["ref"]["name"], at))
        self.assertEqual(outside[:5], [], f"{len(outside)} of {made} outside of {reigns}")

    def report(self, took, history, ours, theirs):
        """Said, and not judged: what client-go believed while we led."""
        for (who, way), times in sorted(took.items()):
            print(f"{who} fails by {way}: taken over after "
                  f"{', '.join(f'{t:.1f}' for t in times)} s", file=sys.stderr)
        reigns = history.reigns(ours.owns, RENEW)
        both = sum(max(0.0, min(b, d) - max(a, c)) for a, b in reigns for c, d in theirs.spans())
        print(f"client-go believed to lead within our time for {both:.2f} s in all",
              file=sys.stderr)


if __name__ == "__main__":
    main()
