"""B25: alive while the process works; ready only when each kind is in the store."""

from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import node
from e2e.lib.waiting import sample, wait_until

PODS = "/api/v1/pods"


class Ready(KindredTest):
    def both(self, host):
        return host.health.get("/healthz").status, host.health.get("/readyz").status

    def alive(self, host):
        wait_until(lambda: host.health.get("/healthz").status == 200, describe="/healthz")

    def test_one_slow_list_holds_up_readiness_alone(self):
        cluster = self.fake(pods=3)
        cluster.add("Node", node("n1"))
        gate = cluster.hold("Node")
        host = self.started(cluster, ["pod", "node"], defaults=PAGED)
        self.alive(host)
        host.wait_stored("Pod", 3)
        self.assertEqual(set(sample(lambda: self.both(host), 2)), {(200, 500)})
        verbose = host.health.get("/readyz", verbose="").text
        self.assertRegex(verbose, r"(?mi)^\[-\].*node.*failed")
        self.assertRegex(verbose, r"(?mi)^\[\+\].*pod.* ok$")
        gate.open()
        host.wait_ready()
        self.assertEqual(host.kind("Node")["stored"], 1)

    def test_never_ready_before_all_is_stored(self):
        """Polled from the start: with the first 200 the whole list is in the graph."""
        cluster = self.fake(pods=2000)
        gate = cluster.hold("Pod")
        host = self.started(cluster, ["pod", "node"], defaults=PAGED)
        self.alive(host)
        self.assertEqual(self.both(host), (200, 500))
        gate.open()
        host.until(lambda: host.health.get("/readyz").status == 200, 60, "/readyz")
        self.assertEqual(host.kind("Pod")["stored"], 2000)
        self.assertEqual(len(host.names("Pod", limit=1000)), 2000)

    def test_a_first_list_without_objects_counts(self):
        self.ready(self.fake(), ["pod", "node"], defaults=PAGED)

    def test_a_list_that_fails_is_named(self):
        cluster = self.fake(pods=1)
        cluster.override("GET", PODS, {"status_object": {
            "code": 503, "reason": "ServiceUnavailable"}}, watch=False)
        host = self.started(cluster, ["pod", "node"], defaults=PAGED)
        self.alive(host)
        cluster.log.wait(2, path=PODS, verb="list")
        verbose = host.health.get("/readyz", verbose="")
        self.assertEqual(verbose.status, 500)
        self.assertRegex(verbose.text, r"(?mi)^\[-\].*pod.*failed.*503")

    def test_forbidden_and_not_served_are_named(self):
        for order, code in (("forbid", "403"), ("unserve", "404")):
            with self.subTest(order):
                cluster = self.fake(pods=1)
                cluster.add("Node", node("n1"))
                getattr(cluster, order)("Pod")
                host = self.started(cluster, ["pod", "node"], defaults=PAGED)
                host.wait_stored("Node", 1)
                self.assertEqual(self.both(host), (200, 500))
                self.assertRegex(host.health.get("/readyz").text,
                                 rf"(?mi)^\[-\].*pod.*failed.*{code}")
                host.stop()

    def test_out_of_sync_for_long_is_not_ready_again(self):
        cluster = self.fake(pods=2)
        host = self.ready(cluster, ["pod", "node"], defaults=PAGED, health={"stall": "2s"})
        cluster.forbid("Pod", code=503, reason="ServiceUnavailable")
        cluster.compact("Pod")
        cluster.close_watches("Pod")
        host.until(lambda: self.both(host) == (200, 500), 30, "not ready, yet alive")
        self.assertEqual(host.kind("Pod")["stored"], 2)
        cluster.heal("Pod")
        host.wait_ready(60)

    def test_a_quiet_kind_stays_ready(self):
        """No event is no stall: the watch is open."""
        cluster = self.fake(pods=2)
        host = self.ready(cluster, defaults=PAGED, health={"stall": "1s"})
        self.assertEqual(set(sample(lambda: self.both(host), 3)), {(200, 200)})


if __name__ == "__main__":
    main()
