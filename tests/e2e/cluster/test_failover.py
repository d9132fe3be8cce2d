"""How long a new leader takes: from the end of the old one to its first reconcile, caches warm.

KINDRED_FAILOVER_PODS (500) sets how many pods there are; with more than 5,000 the lease has its
default times. The times go to stderr; docs/performance.md has those of 10,000 pods.
"""

import os
import re
import signal
import sys
import time

from e2e.cluster.real import GraphTest
from e2e.lib import leases
from e2e.lib.case import main
from e2e.lib.waiting import wait_until

PODS = int(os.environ.get("KINDRED_FAILOVER_PODS", "500"))
LONG = PODS > 5000
TIMES = {"enabled": True} if LONG else leases.SHORT
LEASE, RETRY = (15, 2) if LONG else (3, 0.5)


class Failover(GraphTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for part in range(0, PODS, 2500):       # a load has a time limit of its own
            cls.real.program("load", "pods", "--count", str(min(2500, PODS - part)), "--namespace",
                             "load", "--prefix", f"part{part}", timeout=400)
        cls.real.kubectl("create", "namespace", leases.NAMESPACE)

    def pair(self, **over):
        leader = self.watcher(["pod", "node"], leader=TIMES, **over).start()
        leader.until(lambda: leases.master(leader) == 1, 40, "the lead")
        follower = self.watcher(["pod", "node"], leader=TIMES, **over).start()
        for host in (leader, follower):
            host.wait_ready(180)
        self.assertEqual(leases.master(follower), 0)
        return leader, follower

    def first_reconcile(self, host, began):
        host.until(lambda: host.metrics().value("controller_runtime_reconcile_total") > 0, 60,
                   "the first reconcile")
        first = time.monotonic() - began
        host.until(lambda: host.api.get("/api/v1/resources", kind="Node").status == 200, 180,
                   "the end of the catch-up")
        return first, time.monotonic() - began

    def measure(self, what, number, limit, **over):
        leader, follower = self.pair(**over)
        began = time.monotonic()
        leader.signal(number)
        first, caught_up = self.first_reconcile(follower, began)
        print(f"{PODS} pods, {what}: first reconcile after {first:.2f} s, caught up after "
              f"{caught_up:.2f} s", file=sys.stderr)
        leader.wait_exit()
        self.assertLess(first, limit)
        follower.wait_stored("Pod", PODS, 120)
        self.assertEqual(follower.stop(), 0)

    def test_clean_stop(self):
        self.measure("clean stop", signal.SIGTERM, 3)

    def test_kill(self):
        self.measure("kill -9", signal.SIGKILL, LEASE + 4)

    def test_kill_without_a_watch(self):
        """An account that may not watch Leases."""
        self.real.apply(ROLE)
        token = self.real.kubectl("-n", leases.NAMESPACE, "create", "token", "replica").strip()
        with open(self.real.kubeconfig, encoding="utf-8") as file:
            text = file.read()
        admin = re.search(r"token: (\S+)", text)[1]
        path, self.real.kubeconfig = self.real.kubeconfig, self.write(
            "replica.kubeconfig", text.replace(admin, token))
        try:
            self.measure("kill -9, by polling", signal.SIGKILL, LEASE + 2 * 2.2 * RETRY)
        finally:
            self.real.kubeconfig = path

    def setUp(self):
        super().setUp()
        wait_until(lambda: self.real.kubectl("-n", leases.NAMESPACE, "delete", "lease",
                                             leases.NAME, "--ignore-not-found") is not None, 20)


ROLE = f"""
apiVersion: v1
kind: ServiceAccount
metadata: {{name: replica, namespace: {leases.NAMESPACE}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: replica}}
rules:
- {{apiGroups: [""], resources: [pods, nodes], verbs: [get, list, watch]}}
- {{apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update]}}
- {{apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch]}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: replica}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: replica}}
subjects: [{{kind: ServiceAccount, name: replica, namespace: {leases.NAMESPACE}}}]
"""


if __name__ == "__main__":
    main()
