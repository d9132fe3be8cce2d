"""A cluster that does not answer at start is no start failure."""

from e2e.cluster.real import GraphTest
from e2e.lib.case import main
from e2e.lib.waiting import stays


class Outage(GraphTest):
    def test_unreachable_at_start_heals(self):
        self.real.control("kill", "apiserver")
        host = self.watcher().start().wait_api()
        health = host.until(lambda: host.health.get("/readyz", verbose=""), describe="/readyz")
        self.assertEqual(health.status, 500, health.text)
        self.assertIn("Pod", health.text)
        stays(lambda: host.running() and host.health.get("/readyz").status == 500, 3,
              "running, and not ready")
        self.assertEqual(host.health.get("/healthz").status, 200)
        self.assertIn(host.kind("Pod")["state"], ("syncing", "failing"))
        self.assertNotEqual(host.kind("Pod")["lastError"], "")

        self.real.control("start", "apiserver")
        host.wait_ready(60)
        self.assert_same_graph(host, "after the API server came")
        self.assertEqual(host.stop(), 0)


if __name__ == "__main__":
    main()
