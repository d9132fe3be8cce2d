"""Stopping: a drain and exit 0 by the first signal, at once by the second."""

import os
import signal
import time

from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.waiting import wait_until


class Stop(KindredTest):
    def test_a_signal_ends_it_with_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                cluster = self.fake(pods=10)
                host = self.ready(cluster, defaults=PAGED)
                cluster.await_watch("Pod")
                host.signal(number)
                self.assertEqual(host.wait_exit(), 0)
                self.assertFalse(os.path.exists(host.socket), "the socket was left behind")
                with cluster._lock:
                    self.assertTrue(cluster._lock.wait_for(
                        lambda c=cluster: not c.watch_count(), 10), "a watch is still open")

    def test_what_was_queued_is_stored_before_the_end(self):
        cluster = self.fake()
        over = {"store": {"path": self.path("graph.db")}}
        host = self.ready(cluster, defaults=PAGED, **over)
        cluster.await_watch("Pod")
        cluster.add_pods(500)
        host.until(lambda: host.kind("Pod")["objects"] == 500, describe="the cache")
        host.signal()
        self.assertEqual(host.wait_exit(), 0)
        cluster.forbid("Pod")
        host.start().wait_api()
        self.assertEqual(host.kind("Pod")["stored"], 500)

    def test_while_the_first_list_waits(self):
        cluster = self.fake(pods=1)
        cluster.hold("Pod")
        host = self.started(cluster, defaults=PAGED)
        cluster.log.wait(1, path="/api/v1/pods")
        host.wait_api()
        begun = time.monotonic()
        self.assertEqual(host.stop(), 0)
        self.assertLess(time.monotonic() - begun, env.scaled(10))

    def test_while_the_cluster_is_unreachable(self):
        host = self.host(url="http://127.0.0.1:1", defaults=PAGED).start().wait_api()
        self.assertEqual(host.stop(), 0)

    def test_requests_end_with_the_process(self):
        cluster = self.fake(pods=1)
        host = self.ready(cluster, defaults=PAGED)
        with host.api.follow("/api/v1/changes", since=0, follow=1) as stream:
            self.assertIsNotNone(stream.line())
            self.assertEqual(host.stop(), 0)

    def test_no_request_after_the_end_of_the_drain(self):
        cluster = self.fake(pods=1)
        host = self.ready(cluster, defaults=PAGED)
        self.assertEqual(host.stop(), 0)
        count = len(cluster.log)
        cluster.add_pods(1, prefix="q")
        self.assertEqual(len(cluster.log), count)

    def test_a_second_signal_ends_it_at_once(self):
        """The first may be done before the second comes; both never take long."""
        cluster = self.fake(pods=2000)
        host = self.started(cluster, defaults=PAGED, shutdown_grace="30s").wait_api()
        host.signal()
        wait_until(lambda: not host.running() or host.logged("drain") or host.logged("stop"),
                   describe="the first signal is taken")
        begun = time.monotonic()
        if host.running():
            host.signal()
        self.assertIn(host.wait_exit(), (0, 1))
        self.assertLess(time.monotonic() - begun, env.scaled(5))

    def test_no_grace(self):
        host = self.ready(self.fake(pods=100), defaults=PAGED, shutdown_grace="0s")
        begun = time.monotonic()
        self.assertIn(host.stop(), (0, 1))
        self.assertLess(time.monotonic() - begun, env.scaled(5))

    def test_a_socket_left_by_a_killed_process_is_no_hindrance(self):
        cluster = self.fake(pods=1)
        over = {"store": {"path": self.path("graph.db")}}
        host = self.ready(cluster, defaults=PAGED, **over)
        host.process.kill()
        host.wait_exit()
        host.start().wait_ready()
        self.assertEqual(host.stop(), 0)


if __name__ == "__main__":
    main()
