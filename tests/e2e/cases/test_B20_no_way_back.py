"""B20: a relist never goes back in time, whatever a server behind the address would answer."""

from e2e.cases.pace import HANG, PODS, expired, gaps, pods
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.waiting import stays

NEW = ["kept", "made"]
OLD = pods(40, "kept", "gone")      # an older state: gone was deleted, made did not exist


class NoWayBack(KindredTest):
    def begin(self, *relists, watches=()):
        """Synced at 100; every later answer to version 0 is the older state."""
        self.cluster = self.fake()
        self.cluster.override("GET", PODS, pods(100, *NEW), OLD, watch=False,
                              query={"resourceVersion": "0"})
        self.cluster.override("GET", PODS, *relists, watch=False)
        self.cluster.override("GET", PODS, *watches, HANG, watch=True)
        return self.started(self.cluster, defaults=PAGED)

    def check_relists(self):
        for request in self.cluster.log.lists(PODS)[1:]:
            version = request.query.get("resourceVersion", "")
            self.assertNotEqual(version, "0", self.cluster.log.text())
            if version:
                self.assertEqual(version, "100")
                self.assertEqual(request.query.get("resourceVersionMatch"), "NotOlderThan")

    def check_kept(self, host, names=None):
        host.until(lambda: host.names("Pod") == (names or NEW), describe="the newer state")
        feed = [change for change in host.changes() if "gone" in str(change)]
        self.assertEqual(feed, [], "gone came back for a moment")
        self.check_relists()

    def test_after_410_as_an_event(self):
        host = self.begin(pods(110, *NEW), watches=[{"lines": [expired()]}])
        self.cluster.log.wait(2, path=PODS, verb="watch")
        host.until(lambda: host.kind("Pod")["resourceVersion"] == "110", describe="the relist")
        self.check_kept(host)

    def test_after_410_as_a_status(self):
        gone = {"status_object": {"code": 410, "reason": "Expired"}}
        host = self.begin(pods(110, *NEW), watches=[gone])
        self.cluster.log.wait(2, path=PODS, verb="watch")
        host.until(lambda: host.kind("Pod")["resourceVersion"] == "110", describe="the relist")
        self.check_kept(host)

    def test_after_failures_of_the_relist(self):
        host = self.begin({"status": 503}, {"status": 500}, pods(110, *NEW),
                          watches=[{"lines": [expired()]}])
        self.cluster.log.wait(2, path=PODS, verb="watch")
        host.until(lambda: host.kind("Pod")["resourceVersion"] == "110", describe="the relist")
        self.check_kept(host)

    def test_a_server_that_does_not_heed_the_minimum(self):
        """Its list is older than what was asked for: it is not taken."""
        host = self.begin(OLD, OLD, pods(110, *NEW), watches=[{"lines": [expired()]}])
        lists = self.cluster.log.wait(4, timeout=30, path=PODS, verb="list")
        self.assertTrue(all(gap > 0.7 for gap in gaps(lists[1:])), gaps(lists))
        host.until(lambda: host.kind("Pod")["resourceVersion"] == "110", describe="the relist")
        self.check_kept(host)

    def test_while_only_older_servers_answer(self):
        host = self.begin(OLD, watches=[{"lines": [expired()]}])
        host.wait_ready()
        self.cluster.log.wait(3, timeout=30, path=PODS, verb="list")
        stays(lambda: host.names("Pod") == NEW, 0.5, "the newer state")
        self.assertEqual(host.kind("Pod")["state"], "failing")
        self.check_kept(host)

    def test_versions_compare_as_numbers(self):
        """Not as texts: 99 is older than 100, 1000 is newer."""
        host = self.begin(pods(99, "kept", "gone"), pods(1000, *NEW, "zoo"),
                          watches=[{"lines": [expired()]}])
        host.until(lambda: host.kind("Pod")["resourceVersion"] == "1000", describe="the relist")
        host.until(lambda: host.names("Pod") == [*NEW, "zoo"], describe="the newer state")
        self.check_kept(host, [*NEW, "zoo"])


if __name__ == "__main__":
    main()
