"""B15: 403 and refused connections are tried again ever more slowly, and the log says it once."""

from e2e.cases.pace import PODS, RESET, gaps
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import node, pod

GROWTH = 4      # requests that are looked at


class Forbidden(KindredTest):
    def check_gaps(self, requests, base=0.8):
        for number, gap in enumerate(gaps(requests)):
            self.assertGreater(gap, base * 2 ** number - 0.1, gaps(requests))

    def check_log(self, host, verb, reason):
        lines = host.logged("out of reach", f'"{verb}"', '"pods"', reason)
        self.assertEqual(len(lines), 1, "\n".join(lines))

    def test_list_is_allowed_and_watch_is_not(self):
        """A good list is no progress by itself."""
        cluster = self.fake(pods=3)
        cluster.forbid("Pod", verbs=("watch",))
        host = self.started(cluster, defaults=PAGED)
        watches = cluster.log.wait(GROWTH, timeout=40, path=PODS, verb="watch")
        self.check_gaps(watches)
        self.assertLessEqual(len(cluster.log.lists(PODS)), GROWTH)
        self.check_log(host, "watch", "forbidden")
        shown = host.kind("Pod")
        self.assertEqual(shown["state"], "forbidden")
        self.assertIn("cannot watch", shown["lastError"])
        self.assertEqual(shown["stored"], 3)
        self.assertGreaterEqual(host.metrics().value("rest_client_requests_total", code="403"),
                                GROWTH - 1)
        cluster.heal("Pod")
        cluster.add("Pod", pod("after"))
        host.until(lambda: "after" in host.names("Pod"), 30, "the watch after the grant")
        self.assertEqual(host.kind("Pod")["state"], "synced")

    def test_list_is_forbidden_and_others_are_unharmed(self):
        cluster = self.fake(pods=1)
        cluster.forbid("Pod")
        cluster.add("Node", node("n1"))
        host = self.started(cluster, ["pod", "node"], defaults=PAGED)
        self.check_gaps(cluster.log.wait(GROWTH, timeout=40, path=PODS, verb="list"))
        self.assertEqual(cluster.log.watches(PODS), [])
        self.check_log(host, "list", "forbidden")
        self.assertEqual(host.kind("Node")["state"], "synced")
        self.assertEqual(host.names("Node"), ["n1"])
        ready = host.health.get("/readyz")
        self.assertNotEqual(ready.status, 200)
        self.assertIn("403", ready.text)

    def test_a_streaming_list_is_forbidden(self):
        cluster = self.fake(pods=1)
        cluster.forbid("Pod")
        host = self.started(cluster)
        lists = cluster.log.wait(3, timeout=40, path=PODS, verb="list")
        self.check_gaps(lists)
        self.assertLessEqual(len(cluster.log.watches(PODS)), 4)
        host.wait_state("Pod", "forbidden")

    def test_a_connection_that_is_reset(self):
        cluster = self.fake(pods=2)
        cluster.override("GET", PODS, RESET, watch=True)
        host = self.started(cluster, defaults=PAGED)
        watches = cluster.log.wait(3, timeout=40, path=PODS, verb="watch")
        waits = gaps(watches)
        self.assertTrue(all(wait > 0.7 for wait in waits), waits)
        self.assertEqual(len(host.logged("out of reach")), 1, host.log_text())
        host.wait_stored("Pod", 2)


if __name__ == "__main__":
    main()
