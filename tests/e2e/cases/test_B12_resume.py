"""B12: a watch that is taken up again brings what is new, not the whole set."""

from e2e.lib.case import ALL, KIND_OF, PAGED, KindredTest, main
from e2e.lib.objects import pod
from e2e.lib.waiting import stays

PODS = "/api/v1/pods"


class Resume(KindredTest):
    def reconciled(self, host):
        return host.metrics().value("controller_runtime_reconcile_total")

    def check_resumed(self, how, defaults=None):
        cluster = self.fake(pods=20)
        host = self.ready(cluster, defaults=defaults or {})
        host.wait_stored("Pod", 20)
        cluster.await_watch("Pod")
        cluster.bookmark("Pod")
        host.until(lambda: host.kind("Pod")["resourceVersion"] == str(cluster.rv),
                   describe="the bookmark")
        done, seq, seen = self.reconciled(host), host.seq(), len(cluster.log.watches(PODS))
        cluster.close_watches("Pod", how)
        watch = cluster.log.wait(seen + 1, path=PODS, verb="watch")[-1]
        self.assertNotIn("sendInitialEvents", watch.query)
        self.assertNotIn("resourceVersionMatch", watch.query)
        self.assertEqual(watch.query["resourceVersion"], str(cluster.rv))
        cluster.await_watch("Pod")
        stays(lambda: self.reconciled(host) == done and host.changes(since=seq) == [], 0.5,
              "no reconcile")
        cluster.add("Pod", pod("late"))
        host.wait_stored("Pod", 21)
        self.assertEqual(self.reconciled(host), done + 1)
        self.assert_lists(cluster, PODS, 1 if defaults else 0)
        self.assertEqual(host.stop(), 0)

    def test_after_a_streaming_list(self):
        for how in ("keep", "close", "cut", "reset"):
            with self.subTest(how):
                self.check_resumed(how)

    def test_after_a_paged_list(self):
        self.check_resumed("keep", PAGED)

    def test_at_the_end_of_its_own_time(self):
        """The server ends each watch when its timeoutSeconds are over."""
        cluster = self.fake(pods=5)
        host = self.ready(cluster, defaults={"watch_timeout": "1s"})
        done = self.reconciled(host)
        watches = cluster.log.wait(4, path=PODS, verb="watch")
        self.assertEqual(["sendInitialEvents" in w.query for w in watches[:4]],
                         [True, False, False, False])
        self.assertTrue(all(1 <= int(w.query["timeoutSeconds"]) <= 2 for w in watches))
        self.assertEqual(self.reconciled(host), done)
        self.assertEqual(host.kind("Pod")["state"], "synced")

    def test_each_kind(self):
        cluster = self.fake(pods=1)
        host = self.ready(cluster, ALL)
        for plugin in ALL:
            cluster.await_watch(KIND_OF[plugin])
        before = len(cluster.log.watches())
        cluster.close_watches()
        again = cluster.log.wait(before + len(ALL), verb="watch")[before:]
        self.assertFalse([w for w in again if "sendInitialEvents" in w.query])
        self.assertTrue(all(w.query["resourceVersion"].isdigit() for w in again))
        self.assertEqual(self.reconciled(host), 1)


if __name__ == "__main__":
    main()
