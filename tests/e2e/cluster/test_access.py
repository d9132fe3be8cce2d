"""Every way to the real API server: credentials of each kind, and what changes while we watch."""

import json
import os
import ssl
import urllib.parse

from e2e.cluster.real import RealTest
from e2e.lib.access import Program, Proxy, Terminator, kubeconfig
from e2e.lib.case import KindredTest, main
from wire.tls import Files

ROLE = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: reader }
rules:
- { apiGroups: [ "" ], resources: [ namespaces, nodes, pods ], verbs: [ get, list, watch ] }
"""
BINDING = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: "%s" }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader }
subjects: [ %s ]
"""


class Access(RealTest, KindredTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        view = json.loads(cls.real.kubectl("config", "view", "--raw", "-o", "json"))
        cls.server = view["clusters"][0]["cluster"]["server"]
        cls.admin = view["users"][0]["user"]
        where = urllib.parse.urlsplit(cls.server)
        cls.to = (where.hostname, where.port)
        cls.ca = os.path.join(cls.real.folder, "pki", "ca.crt")
        cls.real.apply(ROLE)

    def begin(self, user, server=None, **cluster):
        host = self.host(None, kinds=["node", "pod"])
        kubeconfig(os.path.join(host.folder, "kubeconfig"), server or self.server,
                   {"certificate-authority": self.ca, **cluster}, user)
        return host.start()

    def assert_nodes(self, host):
        host.wait_ready(60)
        self.assertEqual(len(host.names("Node")), 3)

    def terminator(self, host="127.0.0.1"):
        files = Files(self.path("tls"))
        self.addCleanup(files.remove)
        made = Terminator(self.to, files.server_context(),
                          ssl.create_default_context(cafile=self.ca), host)
        self.addCleanup(made.stop)
        return files, made

    def grow(self, host, name):
        """A pod made now reaches the graph. A server that has just come may refuse it at first."""
        def made():
            try:
                return self.real.kubectl("run", name, "--image=none", "--restart=Never")
            except AssertionError as fault:
                return "AlreadyExists" in str(fault)
        host.until(made, 60, f"pod {name} made")
        host.until(lambda: name in host.names("Pod"), 60, f"pod {name}")

    def test_a_token_and_check_cluster(self):
        host = self.begin(self.admin)
        self.assert_nodes(host)
        code, out, err = host.once("check", "--cluster")
        self.assertEqual(code, 0, out + err)
        self.assertIn("yes, v1.36", out)
        self.assertNotIn(self.admin["token"], out + err + host.log_text())

    def test_a_client_certificate(self):
        pki = os.path.join(self.real.folder, "pki")
        self.assert_nodes(self.begin({"client-certificate": os.path.join(pki, "admin.crt"),
                                      "client-key": os.path.join(pki, "admin.key")}))

    def test_a_credential_program(self):
        program = Program(self.path("p"), {"token": self.admin["token"]})
        self.assert_nodes(self.begin(program.user()))
        self.assertEqual(len(program.runs()), 1)

    def test_a_service_account_whose_token_ends(self):
        """The old token dies with its account; the file has a new one; no restart."""
        tokens = {}
        for name in ("first", "second"):
            self.real.kubectl("create", "serviceaccount", name)
            self.real.apply(BINDING % (name, f"{{ kind: ServiceAccount, name: {name}, "
                                             "namespace: default }"))
            tokens[name] = self.real.kubectl("create", "token", name, "--duration=10m")
        self.write("token", tokens["first"])
        host = self.begin({"tokenFile": self.path("token")})
        self.assert_nodes(host)
        self.write("token.new", tokens["second"])
        os.rename(self.path("token.new"), self.path("token"))
        self.real.kubectl("delete", "serviceaccount", "first")
        self.real.control("kill", "apiserver")
        self.real.control("start", "apiserver")
        self.grow(host, "after-token")

    def test_impersonation_with_rbac(self):
        host = self.begin({**self.admin, "as": "nobody-yet", "as-groups": ["guests"]})
        host.wait_state("Node", "forbidden")
        self.assertIn("nobody-yet", host.kind("Node")["lastError"])
        self.real.apply(BINDING % ("guests", "{ kind: Group, name: guests, "
                                             "apiGroup: rbac.authorization.k8s.io }"))
        self.assert_nodes(host)

    def test_a_proxy(self):
        proxy = Proxy(self.to)
        self.addCleanup(proxy.stop)
        host = self.begin(self.admin, **{"proxy-url": f"http://127.0.0.1:{proxy.port}"})
        self.assert_nodes(host)
        self.assertEqual({asked[:3] for asked in proxy.asked}, {("connect", *self.to)})

    def test_an_ipv6_server(self):
        files, made = self.terminator("::1")
        self.assert_nodes(self.begin(self.admin, f"https://[::1]:{made.port}",
                                     **{"certificate-authority": files.ca}))

    def test_a_server_certificate_that_changes_while_we_watch(self):
        files, made = self.terminator()
        host = self.begin(self.admin, f"https://127.0.0.1:{made.port}",
                          **{"certificate-authority": files.ca})
        self.assert_nodes(host)
        files.issue("server", "/CN=second", "subjectAltName=IP:127.0.0.1",
                    "extendedKeyUsage=serverAuth")
        made.context = files.server_context()
        self.grow(host, "same-connection")
        made.drop()
        self.grow(host, "next-connection")
        self.assertEqual(host.logged("certificate"), [])


if __name__ == "__main__":
    main()
