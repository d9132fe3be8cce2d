"""B44: a Lease that is deleted, empty or odd."""

from e2e.lib import leases
from e2e.lib.case import KindredTest, main
from e2e.lib.waiting import stays


class OddLease(KindredTest):
    def test_deleted_under_the_leader(self):
        """(a) it leads again only after it has made a new one."""
        cluster = self.fake(pods=2)
        host = self.ready(cluster, leader=leases.SHORT)
        n = len(cluster.log.all())
        cluster.delete("Lease", leases.NAME, leases.NAMESPACE)
        host.until(lambda: leases.holder(cluster), 10, "a new Lease")
        host.until(lambda: leases.master(host) == 1, 10)
        ways = [r.method for r in cluster.log.all()[n:] if r.path.startswith(leases.PATH)]
        self.assertEqual(ways[:3], ["PUT", "GET", "POST"], cluster.log.text())
        self.assertEqual(leases.spec(cluster)["leaseTransitions"], 0)
        host.wait_ready()

    def test_an_empty_one_is_free(self):
        """(b) made by a chart, say; what it carries else stays."""
        cluster = self.fake(pods=2)
        cluster.add("Lease", {"metadata": {"name": leases.NAME, "namespace": leases.NAMESPACE,
                                           "labels": {"chart": "x"}}, "spec": {}})
        self.ready(cluster, leader=leases.SHORT)
        made = cluster.get("Lease", leases.NAME, leases.NAMESPACE)
        self.assertEqual(made["metadata"]["labels"], {"chart": "x"})
        self.assertEqual(made["spec"]["leaseTransitions"], 1)

    def test_unreadable_times_that_change_are_life(self):
        """(c) whatever the time says: who writes is alive."""
        cluster = self.fake(pods=2)
        with leases.Keeper(cluster, every=1.0, renew_time=lambda: "soon") as keeper:
            host = self.ready(cluster, leader=leases.SHORT)
            n = iter(range(1000))

            def other_time():
                cluster.modify("Lease", leases.NAME, leases.NAMESPACE,
                               change={"metadata": {"annotations": {"n": str(next(n))}}})
                return leases.holder(cluster) == "other"
            stays(other_time, 5, "the holder")
            self.assertEqual(leases.writes(cluster), [], cluster.log.text())
            keeper.stop()
        host.until(lambda: leases.holder(cluster) != "other", 10, "the take-over")

    def test_without_holder_or_time(self):
        for spec in ({"leaseDurationSeconds": 30}, {"holderIdentity": "ghost"},
                     {"holderIdentity": "", "leaseDurationSeconds": 30},
                     {"holderIdentity": "ghost", "leaseDurationSeconds": 0}):
            with self.subTest(spec):
                cluster = self.fake(pods=1)
                cluster.add("Lease", {"metadata": {"name": leases.NAME,
                                                   "namespace": leases.NAMESPACE}, "spec": spec})
                self.ready(cluster, leader=leases.SHORT).stop()
                self.assertEqual(leases.holder(cluster), "")


if __name__ == "__main__":
    main()
