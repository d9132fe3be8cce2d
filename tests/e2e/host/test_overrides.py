"""KINDRED_<SECTION>_<KEY> overrides one scalar key."""

from e2e.lib.case import PAGED, KindredTest, main, free_ports


class Overrides(KindredTest):
    def test_a_text_a_number_and_a_duration(self):
        cluster = self.fake(pods=5)
        host = self.host(cluster, defaults=PAGED, environ={
            "KINDRED_CLUSTER_USER_AGENT": "over-ridden/1", "KINDRED_DEFAULTS_LIST_PAGE": "2",
            "KINDRED_DEFAULTS_WATCH_TIMEOUT": "7m", "KINDRED_LOG_LEVEL": "debug"})
        host.start().wait_ready()
        cluster.await_watch("Pod")
        lists = cluster.log.lists("/api/v1/pods")
        self.assertEqual([r.query["limit"] for r in lists], ["2"] * 3)
        self.assertEqual({r.headers["user-agent"] for r in lists}, {"over-ridden/1"})
        timeout = int(cluster.log.watches("/api/v1/pods")[0].query["timeoutSeconds"])
        self.assertTrue(420 <= timeout <= 840, timeout)

    def test_a_switch(self):
        host = self.host(self.fake(), leader={"enabled": True},
                         environ={"KINDRED_LEADER_ENABLED": "false"})
        host.start().wait_ready()
        self.assertFalse(host.logged("became leader"))

    def test_a_bind(self):
        port = free_ports("x")["x"]
        host = self.host(self.fake(), environ={"KINDRED_HEALTH_BIND": f"127.0.0.1:{port}"})
        host.start().wait_api()
        with self.assertRaises(OSError):
            host.health.get("/healthz")

    def test_a_wrong_value_names_the_variable(self):
        host = self.host(self.fake(), environ={"KINDRED_DEFAULTS_WORKERS": "many"})
        self.assert_refused(host, "KINDRED_DEFAULTS_WORKERS")
        self.assert_refused(host, "KINDRED_DEFAULTS_WORKERS", command="check")

    def test_unknown_ones_only_warn(self):
        host = self.host(self.fake(), defaults=PAGED, environ={"KINDRED_CLUSTER_QSP": "5"})
        host.start().wait_ready()
        self.assertTrue(host.logged("KINDRED_CLUSTER_QSP"))

    def test_what_kubernetes_injects_is_passed_over(self):
        names = {"KINDRED_SERVICE_HOST": "10.0.0.1", "KINDRED_SERVICE_PORT": "80",
                 "KINDRED_PORT": "tcp://10.0.0.1:80", "KINDRED_PORT_80_TCP_ADDR": "10.0.0.1",
                 "KINDRED_API_SERVICE_PORT_HTTP": "80"}
        host = self.host(self.fake(), defaults=PAGED, environ=names)
        host.start().wait_ready()
        for name in names:
            self.assertFalse(host.logged(name), name)


if __name__ == "__main__":
    main()
