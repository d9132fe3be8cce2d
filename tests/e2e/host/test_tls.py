"""TLS servers: trust by the kubeconfig's CA, token and client certificate."""

import ssl

from e2e.lib import conf
from e2e.lib.case import KindredTest, main


class Tls(KindredTest):
    def begin(self, **options):
        cluster = self.fake(tls=True, pods=2, **options)
        return cluster, cluster.server.tls

    def host_with(self, cluster, **user):
        host = self.host(cluster)
        with open(host.config_path.replace("kindred.conf", "kubeconfig"), "w",
                  encoding="ascii") as file:
            file.write(conf.kubeconfig(cluster.url, ca=cluster.server.tls.ca, **user))
        return host.start()

    def test_a_token_over_tls(self):
        cluster, _ = self.begin()
        host = self.host_with(cluster, token="secret-token").wait_ready()
        self.assertEqual(len(host.names("Pod")), 2)
        for request in cluster.log.all():
            self.assertEqual(request.headers.get("authorization"), "Bearer secret-token")
        self.assertNotIn("secret-token", host.log_text())

    def test_a_client_certificate(self):
        cluster, files = self.begin(client_ca=True)
        host = self.host_with(cluster, cert=files.path("client.crt"),
                              key=files.path("client.key")).wait_ready()
        self.assertEqual(len(host.names("Pod")), 2)

    def test_a_server_of_tls_1_2_is_good_enough(self):
        cluster, _ = self.begin()
        cluster.server._context.maximum_version = ssl.TLSVersion.TLSv1_2
        self.assertEqual(len(self.host_with(cluster).wait_ready().names("Pod")), 2)

    def test_an_older_server_is_refused_by_name(self):
        cluster, _ = self.begin()
        context = cluster.server._context
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        host = self.host_with(cluster)
        host.until(lambda: host.logged("out of reach", "protocol version"), 30, "the refusal")
        self.assertTrue(host.logged("protocol version", f"127.0.0.1:{cluster.server.port}"))

    def test_an_ipv6_server(self):
        cluster, _ = self.begin(host="::1")
        self.assertEqual(len(self.host_with(cluster).wait_ready().names("Pod")), 2)


if __name__ == "__main__":
    main()
