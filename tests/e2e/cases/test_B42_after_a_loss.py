"""B42: one that has lost its lease stands again, or ends with code 3; it is never idle for good."""

import time

from e2e.lib import env, leases
from e2e.lib.case import KindredTest, main
from e2e.lib.waiting import wait_until


class AfterALoss(KindredTest):
    def lose(self, **over):
        cluster = self.fake(pods=5)
        host = self.ready(cluster, leader={**leases.SHORT, **over})
        cluster.forbid("Lease", verbs=("update",), code=500, reason="InternalError")
        wait_until(lambda: host.logged("stopped leading"), 10, "the loss")
        return cluster, host

    def test_it_leads_again(self):
        cluster, host = self.lose()
        self.assertEqual(leases.master(host), 0)
        self.assertEqual(host.api.get("/api/v1/resources", kind="Pod").status, 503)
        cluster.add("Pod", {"metadata": {"name": "meanwhile"}, "spec": {}})
        cluster.heal("Lease")
        healed = time.monotonic()
        host.until(lambda: leases.master(host) == 1, 20, "the lead")
        self.assertLess(time.monotonic() - healed, env.scaled(3 + 2.2 * 0.5 + 5))
        host.until(lambda: host.api.get("/api/v1/resources", kind="Pod").status == 200, 20)
        host.wait_stored("Pod", 6)
        host.wait_ready()

    def test_or_the_process_ends(self):
        _, host = self.lose(on_loss="exit")
        self.assertEqual(host.wait_exit(), 3)


if __name__ == "__main__":
    main()
