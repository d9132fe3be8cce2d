"""A cluster that cannot be reached is no failure to start: retries, and /readyz says so."""

import wire
from e2e.cases.pace import without_repeat
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import pod

PODS = "/api/v1/pods"


class Unreachable(KindredTest):
    def test_nobody_listens_then_somebody_does(self):
        port = wire.free_port()
        host = self.host(url=f"http://127.0.0.1:{port}", kinds=["pod"], defaults=PAGED).start()
        host.wait_api()
        host.until(lambda: host.health.get("/healthz").status == 200, describe="/healthz")
        reply = host.health.request("GET", "/readyz?verbose")
        self.assertEqual(reply.status, 500)
        self.assertRegex(reply.text, r"(?mi)^\[-\].*pod.*failed")
        host.until(lambda: host.kind("Pod")["lastError"], describe="the kind's last error")
        self.assertIn(host.kind("Pod")["state"], ("syncing", "failing"))
        cluster = self.fake(port=port, pods=2)
        host.wait_ready(90)
        self.assertEqual(len(host.names("Pod")), 2)
        self.assertGreaterEqual(len(cluster.log.lists(PODS)), 1)

    def check_backs_off(self, broken):
        """No two failing requests come close together; then it heals."""
        cluster = self.fake(pods=1)
        cluster.override("GET", PODS, *[broken] * 4, wire.PASS, watch=False)
        host = self.started(cluster, defaults=PAGED)
        cluster.log.wait(5, timeout=60, path=PODS, verb="list")
        seen = without_repeat(cluster.log.all(path=PODS, verb="list"))[:4]
        gaps = [b.t - a.t for a, b in zip(seen, seen[1:])]
        self.assertTrue(all(gap > 0.7 for gap in gaps), gaps)
        host.wait_ready(60)

    def test_a_server_that_resets(self):
        self.check_backs_off({"framing": "raw", "chunks": [], "end": "reset"})

    def test_a_server_that_is_not_well(self):
        self.check_backs_off({"status_object": {"code": 500, "reason": "InternalError"}})

    def test_a_server_that_speaks_something_else(self):
        self.check_backs_off({"framing": "raw", "chunks": ["220 mail ready\r\n"]})

    def test_the_server_goes_and_comes_back(self):
        port = wire.free_port()
        first = wire.FakeCluster(port=port, pods=2)
        first.server.start()
        host = self.ready(first, defaults=PAGED)
        first.stop()
        host.until(lambda: host.kind("Pod")["lastError"], 60, "the loss")
        self.assertEqual(len(host.names("Pod")), 2)
        second = self.fake(port=port, rv=5000)
        second.add("Pod", pod("new"))
        host.until(lambda: host.names("Pod") == ["new"], 90, "what the new server says")

    def test_untrusted_certificate(self):
        """Named in the log and by /readyz; never talked to."""
        cluster = self.fake(tls=True, pods=1)
        host = self.started(cluster, defaults=PAGED).wait_api()
        host.until(lambda: "certificate" in host.kind("Pod")["lastError"].lower(),
                   describe="the certificate error")
        self.assertEqual(len(cluster.log), 0)
        self.assertEqual(host.health.get("/readyz").status, 500)

    def test_credentials_are_withheld_from_plain_http(self):
        cluster = self.fake(pods=1)
        host = self.host(cluster, defaults=PAGED)
        path = host.config_path.replace("kindred.conf", "kubeconfig")
        with open(path, encoding="ascii") as file:
            text = file.read().replace("  user: {}", "  user:\n    token: secret-token")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        host.start().wait_ready()
        for request in cluster.log.all():
            self.assertNotIn("authorization", request.headers)
        self.assertNotIn("secret-token", host.log_text())


if __name__ == "__main__":
    main()
