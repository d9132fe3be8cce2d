"""B47, B50: a long token from a credential program; commands relative to the kubeconfig."""

import os
import stat

from e2e.lib.access import Program, kubeconfig
from e2e.lib.case import KindredTest, main


class Output(KindredTest):
    def begin(self, program, command=None, environ=None, where="", **over):
        cluster = self.fake(tls=True, pods=2)
        host = self.host(cluster, environ=environ)
        path = os.path.join(host.folder, where, "kubeconfig")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        kubeconfig(path, cluster.url, {"certificate-authority": cluster.server.tls.ca},
                   program.user(command, **over))
        host.environ["KINDRED_CLUSTER_KUBECONFIG"] = path
        return cluster, host.start().wait_ready()

    def test_a_long_token_is_sent_whole(self):
        token = "x" * 12 * 1024
        cluster, _ = self.begin(Program(self.path("p"), {"token": token}))
        self.assertEqual(cluster.log.all()[0].headers["authorization"], "Bearer " + token)

    def test_a_certificate_as_answer(self):
        program = Program(self.path("p"))
        cluster = self.fake(tls=True, client_ca=True, pods=2)
        files = {}
        for name in ("client.crt", "client.key"):
            with open(cluster.server.tls.path(name), encoding="ascii") as file:
                files[name] = file.read()
        program.answer(0, {"clientCertificateData": files["client.crt"],
                           "clientKeyData": files["client.key"]})
        host = self.host(cluster)
        kubeconfig(os.path.join(host.folder, "kubeconfig"), cluster.url,
                   {"certificate-authority": cluster.server.tls.ca}, program.user())
        host.start().wait_ready()
        self.assertEqual(len(host.names("Pod")), 2)
        self.assertEqual(len(program.runs()), 1)
        left = host.metrics().value("rest_client_exec_plugin_ttl_seconds")
        self.assertTrue(86400 < left <= 2 * 86400, left)     # the certificate's two days

    def test_the_program_is_told_about_the_cluster(self):
        program = Program(self.path("p"), {"token": "t"})
        cluster, _ = self.begin(program, provideClusterInfo=True)
        told = program.runs()[0]
        self.assertEqual(told["spec"]["cluster"]["server"], cluster.url)
        self.assertIn("certificate-authority-data", told["spec"]["cluster"])
        self.assertFalse(told["spec"]["interactive"])

    def test_a_command_with_a_slash_belongs_to_the_kubeconfigs_folder(self):
        program = Program(self.path("h0", "conf", "bin"), {"token": "t"})
        self.begin(program, command="./bin/tok", where="conf")
        self.assertEqual(len(program.runs()), 1)

    def test_a_bare_command_is_looked_up_in_path(self):
        program = Program(self.path("bin"), {"token": "t"})
        trap = self.path("h0", "tok")
        os.makedirs(os.path.dirname(trap))
        with open(trap, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nexit 1\n")
        os.chmod(trap, stat.S_IRWXU)
        self.begin(program, command="tok",
                   environ={"PATH": program.folder + ":" + os.environ["PATH"]})
        self.assertEqual(len(program.runs()), 1)

    def test_no_shell_reads_the_arguments(self):
        program = Program(self.path("p"), {"token": "t"})
        touched = self.path("touched")
        self.begin(program, args=[f"; touch {touched}", "$(exit 1)"])
        self.assertFalse(os.path.exists(touched))

    def test_a_program_that_is_not_allowed_is_refused(self):
        program = Program(self.path("p"), {"token": "t"})
        host = self.host(self.fake(), cluster={"exec_allow": ["/bin/other"],
                                               "kubeconfig": self.path("kc")})
        kubeconfig(self.path("kc"), "https://127.0.0.1:1", {}, program.user())
        self.assert_refused(host, program.path, "cluster.exec_allow")
        self.assertEqual(program.runs(), [])


if __name__ == "__main__":
    main()
