"""metrics and api over TLS, and behind the cluster's own accounts."""

import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import warnings

from e2e.lib import env
from e2e.lib.api import Reply
from e2e.lib.case import KindredTest, free_ports, main
from wire.tls import Files

TOKENS = "/apis/authentication.k8s.io/v1/tokenreviews"
ACCESS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


class Accounts:
    """The cluster's answers to reviews; `asked` counts them."""

    def __init__(self, fake):
        self.users = {"good": "scraper", "other": "guest"}
        self.allowed = {("scraper", "get", "/metrics")}
        self.tokens, self.access = [], []
        self.broken = 0     # so many answers are errors
        fake.override("POST", TOKENS, self._token)
        fake.override("POST", ACCESS, self._access)

    def _fails(self):
        self.broken -= 1
        return self.broken >= 0

    def _token(self, request):
        if self._fails():
            return {"status": 503, "json": {}}
        token = json.loads(request.body)["spec"]["token"]
        self.tokens.append(token)
        user = self.users.get(token)
        status = {"authenticated": True, "user": {
            "username": user, "uid": "u1", "groups": ["g1", "g2"],
            "extra": {"k": ["v"]}}} if user else {"error": "no such token"}
        return {"status": 201, "json": {"status": status}}

    def _access(self, request):
        if self._fails():
            return {"status": 503, "json": {}}
        spec = json.loads(request.body)["spec"]
        self.access.append(spec)
        what = spec["nonResourceAttributes"]
        allowed = (spec["user"], what["verb"], what["path"]) in self.allowed
        return {"status": 201, "json": {"status": {"allowed": allowed}}}


class GuardTest(KindredTest):
    def begin(self, **over):
        self.cluster = self.fake(pods=1)
        self.accounts = Accounts(self.cluster)
        self.host_ = self.host(self.cluster, ["pod"], **over)
        return self.host_

    def ask(self, token=None, path="/metrics", method="GET", port="metrics", context=None):
        where = ("127.0.0.1", self.host_.ports[port])
        conn = (http.client.HTTPSConnection(*where, timeout=env.scaled(30), context=context)
                if context else http.client.HTTPConnection(*where, timeout=env.scaled(30)))
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            conn.request(method, path, headers=headers)
            got = conn.getresponse()
            return Reply(got.status, {k.lower(): v for k, v in got.getheaders()}, got.read())
        finally:
            conn.close()


class Callers(GuardTest):
    def setUp(self):
        super().setUp()
        ports = free_ports("api")
        self.begin(metrics={"authenticate": True},
                   api={"bind": f"127.0.0.1:{ports['api']}", "authenticate": True})
        self.host_.ports.update(ports)
        self.host_.start().wait_ready()

    def test_who_is_let_in(self):
        reply = self.ask()
        self.assertEqual((reply.status, reply.headers["www-authenticate"]), (401, "Bearer"))
        self.assertEqual(self.ask("bad").status, 401)
        reply = self.ask("other")
        self.assertEqual(reply.status, 403)
        self.assertIn("guest", reply.json()["error"])
        reply = self.ask("good")
        self.assertEqual(reply.status, 200)
        self.assertIn("workqueue_depth", reply.text)
        self.assertEqual(self.accounts.access[-1], {
            "user": "scraper", "uid": "u1", "groups": ["g1", "g2"], "extra": {"k": ["v"]},
            "nonResourceAttributes": {"path": "/metrics", "verb": "get"}})
        self.assertNotIn("good", self.host_.log_text())

    def test_verdicts_are_kept(self):
        for _ in range(3):
            self.ask("good", "/metrics?x=1")
            self.ask("other")
            self.ask("bad")
        self.assertEqual(sorted(self.accounts.tokens), ["bad", "good", "other"])
        self.assertEqual([a["user"] for a in self.accounts.access], ["scraper", "guest"])
        self.ask("good", method="PUT")
        self.assertEqual(self.accounts.access[-1]["nonResourceAttributes"]["verb"], "put")
        self.assertEqual(len(self.accounts.tokens), 3)

    def test_an_api_server_that_stumbles_is_asked_again(self):
        self.accounts.broken = 2
        self.assertEqual(self.ask("good").status, 200)
        self.accounts.broken = 100
        self.assertEqual(self.ask("third").status, 500)

    def test_health_is_open_and_the_api_is_not(self):
        self.assertEqual(self.host_.health.get("/healthz").status, 200)
        self.assertEqual(self.ask(path="/api/v1/kinds", port="api").status, 401)
        self.assertEqual(self.ask("good", "/api/v1/kinds", port="api").status, 403)
        self.accounts.allowed.add(("guest", "get", "/api/v1/kinds"))
        self.assertEqual(self.ask("other", "/api/v1/kinds", port="api").status, 200)

    def test_peers_that_do_not_wait_for_the_verdict(self):
        self.accounts.broken = 4
        for _ in range(20):
            sock = socket.create_connection(("127.0.0.1", self.host_.ports["metrics"]))
            sock.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n")
            sock.close()
        self.assertEqual(self.ask("good").status, 200)
        self.accounts.broken = 1000
        sock = socket.create_connection(("127.0.0.1", self.host_.ports["metrics"]))
        self.addCleanup(sock.close)
        sock.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer new\r\n\r\n")
        self.host_.until(lambda: self.accounts.broken < 1000, describe="the review")
        self.assertEqual(self.host_.stop(), 0)


class Tls(GuardTest):
    def setUp(self):
        super().setUp()
        self.files = Files(self.path("tls"))
        self.addCleanup(self.files.remove)
        self.pair = {"tls_cert": self.files.path("server.crt"),
                     "tls_key": self.files.path("server.key")}

    def subject(self):
        """The common name of the certificate that the server shows."""
        with socket.create_connection(("127.0.0.1", self.host_.ports["metrics"])) as plain:
            with self.files.client_context().wrap_socket(
                    plain, server_hostname="localhost") as sock:
                return dict(item[0] for item in sock.getpeercert()["subject"])["commonName"]

    def swap(self, name):
        """Key and certificate change as a mounted Secret does, both at once by name."""
        self.files.issue(name, f"/CN={name}", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                         "extendedKeyUsage=serverAuth")
        for end in ("crt", "key"):
            os.rename(self.files.path(f"{name}.{end}"), self.files.path(f"server.{end}"))

    def metric(self, name):
        text = self.ask(context=self.files.client_context()).text
        return float(next(line.split()[1] for line in text.splitlines()
                          if line.startswith(name + " ")))

    def test_certificates_are_taken_anew_and_bad_ones_are_not(self):
        self.begin(metrics=self.pair).start()
        self.host_.until(lambda: self.subject() == "wire-server", describe="the certificate")
        self.assertEqual(self.ask(context=self.files.client_context()).status, 200)
        self.swap("second")
        self.host_.until(lambda: self.subject() == "second", 30, "the second certificate")
        with open(self.files.path("server.crt"), "w", encoding="ascii") as file:
            file.write("no certificate")
        self.host_.until(lambda: self.subject() == "second" and self.host_.logged("not usable"),
                         30, "the bad one noticed")
        self.assertGreaterEqual(self.metric("certwatcher_read_certificate_errors_total"), 1)
        self.swap("third")
        self.host_.until(lambda: self.subject() == "third", 30, "the third certificate")
        self.assertGreaterEqual(self.metric("certwatcher_read_certificate_total"), 4)

    def test_plain_text_and_old_tls_are_turned_away(self):
        self.begin(metrics=self.pair).start().wait_ready()
        with self.assertRaises((http.client.HTTPException, OSError)):
            self.ask()
        old = self.files.client_context()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")     # that these are old is the point
            old.minimum_version = ssl.TLSVersion.TLSv1
            old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        with self.assertRaises(OSError):
            self.ask(context=old)
        self.assertEqual(self.ask(context=self.files.client_context()).status, 200)

    def test_without_memory_for_tls_nothing_is_told_in_clear(self):
        if env.SANITIZER:
            self.skipTest("a sanitizer has to be the first library")
        source = self.write("no_tls.c", "void *SSL_new(void *c) { (void)c; return 0; }\n")
        library = self.path("no_tls.so")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
        self.begin(metrics=self.pair, environ={"LD_PRELOAD": library}).start().wait_ready()
        reply = self.ask()
        self.assertEqual(reply.status, 503)
        self.assertNotIn("kindred_build_info", reply.text)

    def test_the_api_over_tls_with_accounts(self):
        ports = free_ports("api")
        self.begin(api={"bind": f"127.0.0.1:{ports['api']}", **self.pair})
        self.host_.ports.update(ports)
        self.host_.start().wait_ready()
        self.accounts.allowed.add(("scraper", "get", "/api/v1/resources"))
        context = self.files.client_context()
        reply = self.ask("good", "/api/v1/resources?kind=Pod", port="api", context=context)
        self.assertEqual((reply.status, len(reply.json()["items"])), (200, 1))
        self.assertEqual(self.ask("other", "/api/v1/resources", port="api",
                                  context=context).status, 403)
        self.assert_kindredctl(f"127.0.0.1:{ports['api']}")

    def assert_kindredctl(self, where):
        for scheme, token, ca, code, said in (
                ("https", "good", self.files.ca, 0, "p0"),
                ("https", "other", self.files.ca, 1, "may not get"),
                ("https", None, self.files.ca, 1, "bearer token"),
                ("https", "good", None, 1, "certificate"),
                ("http", "good", None, 1, "")):
            words = [env.program("kindredctl"), "--server", f"{scheme}://{where}", "get", "pods"]
            words += ["--ca", ca] if ca else []
            words += ["--token-file", self.write("token", token + "\n")] if token else []
            done = subprocess.run(words, capture_output=True, text=True, check=False,
                                  timeout=env.scaled(30))
            self.assertEqual(done.returncode, code, words)
            self.assertIn(said, done.stdout + done.stderr)
        done = subprocess.run([env.program("kindredctl"), "--server", "http://192.0.2.1:9", "get",
                               "pods", "--token-file", self.path("token")], capture_output=True,
                              text=True, check=False, timeout=env.scaled(30))
        self.assertIn("by https:// or to this machine only", done.stderr)

    def test_a_pair_that_cannot_be_used_ends_the_start(self):
        shutil.copy(self.files.path("client.key"), self.files.path("wrong.key"))
        for over, said in (
                ({"tls_key": self.files.path("wrong.key")}, "tls_key"),
                ({"tls_cert": self.files.path("nonesuch")}, "tls_cert")):
            host = self.begin(metrics={**self.pair, **over})
            for command in ("check", "run"):
                code, out, err = host.once(command)
                self.assertEqual(code, 2, out + err)
                self.assertIn(f"metrics: {said} cannot be read", out + err)


class Rules(GuardTest):
    def test_what_would_open_the_graph_is_refused(self):
        pair = {"tls_cert": "/c", "tls_key": "/k"}
        for section, settings, said in (
                ("api", {"bind": ":9", "authenticate": False}, "open the graph to everyone"),
                ("api", {"bind": "0.0.0.0:9", "authenticate": False, **pair},
                 "open the graph to everyone"),
                ("api", {"bind": "0.0.0.0:9", "authenticate": True}, "send tokens in clear"),
                ("metrics", {"bind": ":9", "authenticate": True}, "send tokens in clear"),
                ("metrics", {"bind": ":9", "tls_cert": "/c"}, "stands without"),
                ("api", {"bind": "unix:/tmp/x", **pair}, "no use on a unix socket")):
            host = self.begin(**{section: settings})
            code, out, err = host.once("check")
            self.assertEqual(code, 2, (section, settings))
            self.assertIn(said, out + err)

    def test_what_is_guarded_is_accepted(self):
        files = Files(self.path("tls"))
        pair = {"tls_cert": files.path("server.crt"), "tls_key": files.path("server.key")}
        for section, settings in (
                ("api", {"bind": ":9", "authenticate": True, **pair}),
                ("api", {"bind": "127.0.0.1:9", "authenticate": False}),
                ("api", {"bind": "[::1]:9", "authenticate": True}),
                ("metrics", {"bind": ":9", "authenticate": True, **pair}),
                ("metrics", {"bind": ":9", **pair})):
            host = self.begin(**{section: settings})
            self.assertEqual(host.once("check")[0], 0, host.tail)


if __name__ == "__main__":
    main()
