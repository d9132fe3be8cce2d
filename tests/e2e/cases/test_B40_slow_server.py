"""B40: a slow API server neither costs the lead at the first call nor leaves two leaders."""

import time
from datetime import datetime

from e2e.lib import leases, objects
from e2e.lib.case import KindredTest, main
from e2e.lib.waiting import stays, wait_until


def stamp(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class SlowServer(KindredTest):
    def test_one_slow_renewal_is_no_loss(self):
        """(a) with the defaults: renewals every 2 s, 10 s to renew in; one answer takes 4 s."""
        cluster = self.fake(pods=2)
        host = self.ready(cluster, leader={"enabled": True})
        gate = cluster.hold("Lease", "update")
        held = cluster.log.wait(len(self.puts(cluster)) + 1, method="PUT")[-1]
        wait_until(lambda: time.monotonic() >= held.t + 4, 10)
        gate.open()
        version = cluster.get("Lease", leases.NAME, leases.NAMESPACE)["metadata"]
        wait_until(lambda: cluster.get("Lease", leases.NAME, leases.NAMESPACE)["metadata"][
            "resourceVersion"] != version["resourceVersion"], 10, "the next renewal")
        self.assertEqual(leases.master(host), 1)
        self.assertFalse(host.logged("stopped leading"))

    @staticmethod
    def puts(cluster):
        return [r for r in cluster.log.all(method="PUT")]

    def test_no_write_after_the_deadline(self):
        """(b) renewals hang for good: work ends in time, and no change is committed after it."""
        cluster = self.fake(pods=1)
        host = self.ready(cluster, leader=leases.SHORT, store={"flush_interval": "20ms"})
        gate = cluster.hold("Lease", "update")
        cluster.log.wait(len(self.puts(cluster)) + 1, method="PUT")
        claims = [r for r in leases.writes(cluster) if r.path.startswith(leases.PATH)]
        last_good = stamp(claims[-2].json()["spec"]["renewTime"])   # its start, by one clock
        n = 0
        while not host.logged("stopped leading"):
            n += 1
            cluster.add("Pod", objects.pod(f"late{n:03}"))
            time.sleep(0.02)
        for _ in range(20):
            n += 1
            cluster.add("Pod", objects.pod(f"late{n:03}"))
        stays(lambda: host.api.get("/api/v1/resources", kind="Pod").status == 503, 1.0)
        stood_still = time.time()
        gate.open()
        host.until(lambda: host.api.get("/api/v1/resources", kind="Pod").status == 200, 30)
        pods = host.api.json("/api/v1/resources", kind="Pod", limit=1000)["items"]
        self.assertEqual(len(pods), n + 1)          # nothing is lost: it has caught up
        written = sorted(stamp(p["updatedAt"]) for p in pods)
        before = [t for t in written if t <= last_good + 2.0 + 0.001]
        self.assertGreater(len(before), 10)
        self.assertEqual([t for t in written if t > last_good + 2.0 + 0.001 and t < stood_still],
                         [], f"last good {last_good}, deadline {last_good + 2}")


if __name__ == "__main__":
    main()
