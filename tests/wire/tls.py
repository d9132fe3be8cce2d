"""Certificates for tests, made with the openssl command when they are needed."""

import os
import shutil
import ssl
import subprocess
import tempfile

HOSTS = "DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1"


def openssl(*args):
    subprocess.run(["openssl", *args], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)


class Files:
    """A CA, a server and a client certificate in one folder.

    ca.crt ca.key server.crt server.key client.crt client.key
    """

    def __init__(self, folder=None, san=HOSTS):
        self._own = folder is None
        self.folder = folder or tempfile.mkdtemp(prefix="wire-tls-")
        os.makedirs(self.folder, exist_ok=True)
        self.ca = self.path("ca.crt")
        self._make_ca()
        self.issue("server", "/CN=wire-server", f"subjectAltName={san}",
                   "extendedKeyUsage=serverAuth")
        self.issue("client", "/O=wire-group/CN=wire-user", "extendedKeyUsage=clientAuth")

    def path(self, name):
        return os.path.join(self.folder, name)

    def _key(self, name):
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out",
                self.path(f"{name}.key"))

    def _make_ca(self):
        self._key("ca")
        openssl("req", "-x509", "-new", "-key", self.path("ca.key"), "-subj", "/CN=wire-ca",
                "-days", "2", "-out", self.ca)

    def issue(self, name, subject, *extensions):
        """Makes NAME.crt and NAME.key, signed by the CA."""
        self._key(name)
        request, ext = self.path(f"{name}.csr"), self.path(f"{name}.ext")
        openssl("req", "-new", "-key", self.path(f"{name}.key"), "-subj", subject, "-out", request)
        with open(ext, "w", encoding="ascii") as file:
            file.write("\n".join(extensions) + "\n")
        openssl("x509", "-req", "-in", request, "-CA", self.ca, "-CAkey", self.path("ca.key"),
                "-CAcreateserial", "-days", "2", "-extfile", ext,
                "-out", self.path(f"{name}.crt"))
        os.unlink(request)
        os.unlink(ext)

    def server_context(self, client_ca=False):
        """client_ca: a client must show a certificate of this CA."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path("server.crt"), self.path("server.key"))
        context.set_alpn_protocols(["http/1.1"])
        if client_ca:
            context.load_verify_locations(self.ca)
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def client_context(self, with_cert=False):
        context = ssl.create_default_context(cafile=self.ca)
        if with_cert:
            context.load_cert_chain(self.path("client.crt"), self.path("client.key"))
        return context

    def remove(self):
        if self._own:
            shutil.rmtree(self.folder, ignore_errors=True)
