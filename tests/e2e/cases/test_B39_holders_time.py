"""B39: a record holds for the time that its holder wrote, not for ours."""

import time

from e2e.lib import env, leases
from e2e.lib.case import KindredTest, main


class HoldersTime(KindredTest):
    def taken_after(self, seconds):
        cluster = self.fake(pods=1)
        leases.hold(cluster, seconds=seconds)
        host = self.started(cluster, leader=leases.SHORT)
        cluster.log.wait(1, path=f"{leases.PATH}/{leases.NAME}")
        seen = time.monotonic()
        host.until(lambda: leases.holder(cluster) not in ("", "other"), seconds + 15, "a new one")
        return cluster, time.monotonic() - seen

    def test_a_longer_time_is_waited_for(self):
        cluster, took = self.taken_after(7)      # ours is 3
        self.assertGreaterEqual(took, 6.9)
        self.assertLess(took, env.scaled(7 + 10))
        self.assertEqual(leases.spec(cluster)["leaseTransitions"], 5)
        self.assertEqual(leases.spec(cluster)["leaseDurationSeconds"], 3)

    def test_a_shorter_one_too(self):
        _, took = self.taken_after(1)
        self.assertGreaterEqual(took, 0.9)
        self.assertLess(took, env.scaled(10))


if __name__ == "__main__":
    main()
