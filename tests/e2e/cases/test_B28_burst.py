"""B28: a burst with a slow worker neither stops the watch nor loses a key."""

import shutil
import unittest

from e2e.cases.load import bookmark, event, slow_plugin
from e2e.cases.pace import PODS, pods
from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, main

COUNT = 10000 if not env.SANITIZER else 2000
BOUND = 10.0        # seconds in which the watch must have been read to its end


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class Burst(KindredTest):
    def check(self, workers):
        names = [f"p{number:05}" for number in range(COUNT)]
        first = "".join(event("ADDED", name, 100 + i) for i, name in enumerate(names))
        second = "".join(event("MODIFIED", name, 100 + COUNT + i, turn=2)
                         for i, name in enumerate(names))
        end = 100 + 2 * COUNT
        cluster = self.fake()
        cluster.override("GET", PODS, pods(10), watch=False)
        cluster.override("GET", PODS, {"chunks": [{"gate": "go"}, first, second, bookmark(end)],
                                       "end": "hang"}, watch=True)
        host = self.ready(cluster, [{"plugin": "slow", "workers": workers}], defaults=PAGED,
                          plugins={"directory": slow_plugin(self.path("slow"), 1000)})
        cluster.log.wait(1, path=PODS, verb="watch")
        cluster.server.gates.open("go")
        host.until(lambda: host.kind("Pod")["resourceVersion"] == str(end), BOUND,
                   "the end of the burst is read")
        shown = host.kind("Pod")
        self.assertEqual(shown["objects"], COUNT)
        if workers == 1:
            self.assertGreater(shown["queue"]["depth"], 0, "the worker was not slower")
        self.assertEqual(host.health.get("/healthz").status, 200)

        host.until(lambda: host.kind("Pod")["queue"]["depth"] == 0, 90, "all is worked on")
        host.wait_stored("Pod", COUNT)

        def stale():
            return [item["ref"]["name"] for item in host.resources(limit=500)
                    if item["labels"] != {"turn": "2"}]
        host.until(lambda: not stale(), 20, "every key as its last event says")
        done = host.metrics().value("controller_runtime_reconcile_total")
        self.assertTrue(COUNT <= done <= 2 * COUNT, done)
        self.assertEqual(len(cluster.log.watches(PODS)), 1)
        self.assertEqual(host.stop(), 0)

    def test_one_slow_worker(self):
        self.check(1)

    def test_ten_workers(self):
        self.check(10)


if __name__ == "__main__":
    main()
