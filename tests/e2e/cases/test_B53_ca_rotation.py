"""B53: a bundle of several roots; CA and client certificate are read again when they change."""

import os
import shutil

from e2e.lib.access import kubeconfig
from e2e.lib.case import KindredTest, main
from wire.tls import Files


class Rotation(KindredTest):
    def files(self, name):
        made = Files(self.path(name))
        self.addCleanup(made.remove)
        return made

    @staticmethod
    def text(path):
        with open(path, encoding="ascii") as file:
            return file.read()

    def replace(self, name, text):
        """By a rename, as a mounted Secret changes."""
        self.write(name + ".new", text)
        os.rename(self.path(name + ".new"), self.path(name))

    def host_of(self, cluster, trust, user=None):
        host = self.host(cluster)
        kubeconfig(os.path.join(host.folder, "kubeconfig"), cluster.url,
                   {"certificate-authority": trust}, user or {})
        return host

    def test_every_root_of_a_bundle_is_trusted(self):
        other = self.text(self.files("other").ca).rstrip("\n")
        for number, order in enumerate((0, 1)):
            cluster = self.fake(tls=True, pods=1)
            own = self.text(cluster.server.tls.ca).rstrip("\n")
            parts = [other, own] if order else [own, other]
            trust = self.write(f"bundle{number}", "".join(parts))   # no line break between them
            self.host_of(cluster, trust).start().wait_ready().stop()

    def test_a_new_ca_is_taken_and_a_bad_one_is_not(self):
        cluster = self.fake(tls=True, pods=1)
        self.write("ca", self.text(cluster.server.tls.ca))
        host = self.host_of(cluster, self.path("ca")).start().wait_ready()
        self.replace("ca", "-----BEGIN CERTIFICATE-----\nrubbish\n-----END CERTIFICATE-----\n")
        host.until(lambda: host.logged("changed certificates are not usable"), 30, "the warning")
        fresh = self.files("fresh")
        server = cluster.server
        server._context = fresh.server_context()     # from now on: a server of the new CA
        server.drop_connections()
        host.until(lambda: host.logged("unable to get local issuer certificate"), 30, "a refusal")
        self.assertTrue(host.logged("CN = wire-server"), "the certificate is named")
        self.replace("ca", self.text(fresh.ca))
        cluster.add("Pod", {"metadata": {"name": "after"}})
        host.until(lambda: "after" in host.names("Pod"), 40, "the watch with the new CA")
        for result, reason in (("failure", "ca_parse_error"), ("success", "updated")):
            self.assertGreaterEqual(host.metrics().value(
                "rest_client_transport_ca_reload_total", result=result, reason=reason), 1)

    def test_a_running_watch_outlives_a_new_ca(self):
        cluster = self.fake(tls=True, pods=1)
        self.write("ca", self.text(cluster.server.tls.ca))
        host = self.host_of(cluster, self.path("ca")).start().wait_ready()
        watches = len(cluster.log.watches("/api/v1/pods"))
        self.replace("ca", self.text(cluster.server.tls.ca) + self.text(self.files("more").ca))
        host.until(lambda: host.logged("certificates read again"), 30, "the new CA")
        cluster.add("Pod", {"metadata": {"name": "after"}})
        host.until(lambda: "after" in host.names("Pod"), 20, "the watch goes on")
        self.assertEqual(len(cluster.log.watches("/api/v1/pods")), watches)

    def test_a_new_client_certificate_makes_new_connections(self):
        """By a symlink swap of the whole folder, as a kubelet does it."""
        cluster = self.fake(tls=True, client_ca=True, pods=1)
        files = cluster.server.tls
        for name in ("one", "two"):
            os.makedirs(self.path(name))
        self.copy_pair(files, "one")
        files.issue("client", "/CN=second", "extendedKeyUsage=clientAuth")
        self.copy_pair(files, "two")
        os.symlink(self.path("one"), self.path("now"))
        host = self.host_of(cluster, files.ca, {
            "client-certificate": self.path("now", "client.crt"),
            "client-key": self.path("now", "client.key")}).start().wait_ready()
        before = max(request.conn for request in cluster.log.all())
        os.symlink(self.path("two"), self.path("next"))
        os.rename(self.path("next"), self.path("now"))
        host.until(lambda: host.logged("new client certificate"), 30, "the new certificate")
        host.until(lambda: max(r.conn for r in cluster.log.all()) > before, 30, "a new connection")
        cluster.add("Pod", {"metadata": {"name": "after"}})
        host.until(lambda: "after" in host.names("Pod"), 30, "the watch on it")

    def copy_pair(self, files, name):
        for part in ("client.crt", "client.key"):
            shutil.copy(files.path(part), self.path(name, part))


if __name__ == "__main__":
    main()
