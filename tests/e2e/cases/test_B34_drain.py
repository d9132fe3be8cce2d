"""B34: SIGTERM lets what is queued finish within the grace time, and no longer than that."""

import shutil
import signal
import time
import unittest

from e2e.cases.load import slow_plugin
from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, main

COUNT = 200
EACH_US = 20000


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class Drain(KindredTest):
    def drained(self, grace):
        """Exit code, seconds, and what the store holds after a stop with all keys queued."""
        cluster = self.fake()
        over = {"store": {"path": self.path("graph.db")}, "shutdown_grace": grace,
                "plugins": {"directory": slow_plugin(self.path("slow"), EACH_US)}}
        host = self.ready(cluster, [{"plugin": "slow", "workers": 1}], defaults=PAGED, **over)
        cluster.await_watch("Pod")
        cluster.add_pods(COUNT)
        host.until(lambda: host.kind("Pod")["objects"] == COUNT, describe="the cache")
        self.assertGreater(host.kind("Pod")["queue"]["depth"], COUNT / 2)
        begun = time.monotonic()
        host.signal()
        code = host.wait_exit()
        took = time.monotonic() - begun
        cluster.forbid("Pod")
        host.start().wait_api()
        return code, took, host.kind("Pod")["stored"]

    def test_time_for_all(self):
        code, took, stored = self.drained("30s")
        self.assertEqual(code, 0)
        self.assertEqual(stored, COUNT)
        self.assertGreater(took, COUNT / 2 * EACH_US / 1e6)

    def test_time_for_a_part(self):
        code, took, stored = self.drained("1s")
        self.assertIn(code, (0, 1))
        self.assertLess(took, env.scaled(1 + 2))
        self.assertTrue(0 < stored < COUNT, stored)

    def test_a_second_signal_ends_it_at_once(self):
        cluster = self.fake()
        host = self.ready(cluster, [{"plugin": "slow", "workers": 1}], defaults=PAGED,
                          plugins={"directory": slow_plugin(self.path("slow"), EACH_US)},
                          shutdown_grace="30s")
        cluster.await_watch("Pod")
        cluster.add_pods(5 * COUNT)
        host.until(lambda: host.kind("Pod")["objects"] == 5 * COUNT, describe="the cache")
        host.signal()
        host.until(lambda: host.logged("stopping"), describe="the first signal is taken")
        begun = time.monotonic()
        host.signal(signal.SIGTERM)
        self.assertNotEqual(host.wait_exit(), 0)
        self.assertLess(time.monotonic() - begun, env.scaled(3))


if __name__ == "__main__":
    main()
