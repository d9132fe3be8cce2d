"""B37: the depth is what is ready, never below 0, 0 when idle; each accepted add is one add."""

import shutil
import time
import unittest

from e2e.cases.load import slow_plugin
from e2e.lib.case import PAGED, KindredTest, main

GOOD, FAILING = 300, 20


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class Depth(KindredTest):
    def depths(self, host):
        page = host.metrics()
        found = [value for _, value in page.samples("workqueue_depth")]
        self.assertTrue(all(0 <= value <= GOOD + FAILING for value in found), found)
        return page, sum(found)

    def test_a_mix_of_adds_and_failures(self):
        cluster = self.fake()
        host = self.ready(cluster, [{"plugin": "slow", "workers": 2, "backoff_base": "1s"}],
                          defaults=PAGED,
                          plugins={"directory": slow_plugin(self.path("slow"), 1000)})
        cluster.await_watch("Pod")
        cluster.add_pods(FAILING, prefix="fail")
        cluster.add_pods(GOOD)
        seen = []
        while not seen or host.kind("Pod")["queue"]["depth"] > 0 or \
                host.kind("Pod")["objects"] < GOOD + FAILING:
            seen.append(self.depths(host)[1])
            time.sleep(0.01)        # the pace of the scrapes
        self.assertGreater(max(seen), 0, "nothing was ever ready")

        shown = host.kind("Pod")["queue"]       # they wait a second and more: no part of the depth
        self.assertEqual((shown["depth"], shown["delayed"]), (0, FAILING))
        page, depth = self.depths(host)
        self.assertEqual(depth, 0)
        self.assertGreaterEqual(page.value("workqueue_retries_total"), FAILING)

        for number in range(FAILING):
            cluster.delete("Pod", f"fail{number:05}", "default")
        host.until(lambda: host.kind("Pod")["queue"] == {"depth": 0, "delayed": 0},
                   describe="all is done")
        page, depth = self.depths(host)
        self.assertEqual(depth, 0)
        self.assertEqual(page.value("workqueue_adds_total"),
                         page.value("controller_runtime_reconcile_total"))


if __name__ == "__main__":
    main()
