"""B56: proxy-url and the environment's proxies, HTTP, HTTPS and SOCKS5, and NO_PROXY."""

import base64
import os
import urllib.parse

from e2e.lib.access import Proxy, kubeconfig
from e2e.lib.case import KindredTest, free_ports, main

NAME = "kubernetes.default.svc"


class ThroughProxy(KindredTest):
    def begin(self, context=None):
        self.cluster = self.fake(tls=True, pods=2)
        self.server = f"https://{NAME}:{self.cluster.server.port}"
        made = Proxy(("127.0.0.1", self.cluster.server.port), context and context(self.cluster))
        self.addCleanup(made.stop)
        return made

    def run_host(self, server=None, proxy_url="", environ=None, **cluster):
        host = self.host(self.cluster, environ=environ)
        if proxy_url:
            cluster["proxy-url"] = proxy_url
        kubeconfig(os.path.join(host.folder, "kubeconfig"), server or self.server,
                   {"certificate-authority": self.cluster.server.tls.ca, **cluster},
                   {"token": "secret-token"})
        return host.start()

    def assert_asked(self, proxy, kind, host=NAME):
        self.assertTrue(proxy.asked)
        for asked in proxy.asked:
            self.assertEqual(asked[:3], (kind, host, self.cluster.server.port))
            self.assertNotIn("authorization", asked[3], "the token is for the server only")

    def test_http(self):
        proxy = self.begin()
        host = self.run_host(proxy_url=f"http://me:pw%21@127.0.0.1:{proxy.port}").wait_ready()
        self.assertEqual(len(host.names("Pod")), 2)
        self.assert_asked(proxy, "connect")
        self.assertEqual(proxy.asked[0][3]["proxy-authorization"],
                         "Basic " + base64.b64encode(b"me:pw!").decode("ascii"))
        self.assertEqual(self.cluster.log.all()[0].headers["authorization"],
                         "Bearer secret-token")
        self.assertNotIn("pw", urllib.parse.unquote(host.log_text()))

    def test_https(self):
        proxy = self.begin(lambda cluster: cluster.server.tls.server_context())
        self.run_host(proxy_url=f"https://127.0.0.1:{proxy.port}").wait_ready()
        self.assert_asked(proxy, "connect")

    def test_socks5_resolves_the_name(self):
        proxy = self.begin()
        self.run_host(proxy_url=f"socks5://127.0.0.1:{proxy.port}").wait_ready()
        self.assert_asked(proxy, "socks5")

    def test_the_environment(self):
        proxy = self.begin()
        self.run_host(environ={"https_proxy": f"127.0.0.1:{proxy.port}"}).wait_ready()
        self.assert_asked(proxy, "connect")

    def test_with_a_tls_server_name(self):
        proxy = self.begin()
        self.run_host(server=f"https://10.9.8.7:{self.cluster.server.port}",
                      environ={"HTTPS_PROXY": f"http://127.0.0.1:{proxy.port}"},
                      **{"tls-server-name": NAME}).wait_ready()
        self.assert_asked(proxy, "connect", "10.9.8.7")

    def test_proxy_url_wins_over_no_proxy_and_environment(self):
        proxy = self.begin()
        closed = free_ports("closed")["closed"]
        self.run_host(proxy_url=f"http://127.0.0.1:{proxy.port}", environ={
            "HTTPS_PROXY": f"http://127.0.0.1:{closed}", "NO_PROXY": "*"}).wait_ready()
        self.assert_asked(proxy, "connect")

    def test_loopback_and_no_proxy_go_direct(self):
        proxy = self.begin()
        environ = {"HTTPS_PROXY": f"http://127.0.0.1:{proxy.port}",
                   "NO_PROXY": ".svc,10.0.0.0/8,::1"}
        self.run_host(server=self.cluster.url, environ=environ).wait_ready()
        self.assertEqual(proxy.asked, [])

    def test_a_closed_proxy_is_told(self):
        self.begin()
        closed = free_ports("closed")["closed"]
        host = self.run_host(server=f"https://192.0.2.1:{self.cluster.server.port}",
                             environ={"HTTPS_PROXY": f"http://me:pw@127.0.0.1:{closed}"})
        host.until(lambda: host.logged("out of reach"), 30, "the warning")
        self.assertNotIn("me:pw", host.log_text())


if __name__ == "__main__":
    main()
