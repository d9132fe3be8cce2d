"""B30: a replica that never led starts no work of a leader while it stops."""

from e2e.lib import leases
from e2e.lib.case import KindredTest, main


class StoppingFollower(KindredTest):
    def test_a_follower_stops_without_a_trace(self):
        cluster = self.fake(pods=20)
        with leases.Keeper(cluster):
            host = self.ready(cluster, leader=leases.SHORT, store={"path": self.path("graph.db")})
            before = leases.spec(cluster)["leaseTransitions"]
            n = len(cluster.log.all())
            self.assertEqual(host.stop(), 0)
        self.assertEqual(leases.writes(cluster), [], cluster.log.text())
        self.assertEqual([r for r in cluster.log.all()[n:] if not r.path.startswith(leases.PATH)],
                         [], cluster.log.text())
        self.assertEqual(leases.spec(cluster)["leaseTransitions"], before)
        self.assertFalse(host.logged("became leader"))
        # Nothing of the cluster has come into its graph: one that leads finds it empty.
        cluster.forbid("Pod")
        again = self.started(cluster, store={"path": self.path("graph.db")}).wait_api()
        self.assertEqual(again.kind("Pod")["stored"], 0)

    def test_the_lease_becomes_free_meanwhile(self):
        """Told to stop, it does not take what is offered to it."""
        cluster = self.fake(pods=3)
        with leases.Keeper(cluster):
            host = self.ready(cluster, leader=leases.SHORT)
        cluster.modify("Lease", leases.NAME, leases.NAMESPACE,
                       change={"spec": {"leaseDurationSeconds": 1}})
        host.signal()
        self.assertEqual(host.wait_exit(), 0)
        self.assertEqual(leases.holder(cluster), "other")
        self.assertEqual(leases.writes(cluster), [], cluster.log.text())


if __name__ == "__main__":
    main()
