"""The API contract: answers to bad requests, and limits of the server."""

import json
import os
import socket
import stat

from e2e.lib import env
from e2e.lib.api import Http
from e2e.lib.case import PAGED, KindredTest, free_ports, main

BAD = [
    ("/api/v1/resources?kind=Nonesuch", (400, 404)),
    ("/api/v1/resources?kind=Pod&limit=many", (400,)),
    ("/api/v1/resources?kind=Pod&limit=-1", (400,)),
    ("/api/v1/resources?kind=Pod&continue=nonsense", (400, 410)),
    ("/api/v1/resources?kind=Pod&labelSelector=a+in+(b", (400,)),
    ("/api/v1/resources?kind=Pod&labelSelector==x", (400,)),
    ("/api/v1/resources?kind=Pod&fieldSelector=nothing", (400,)),
    ("/api/v1/relationships?subject=Pod", (400,)),
    ("/api/v1/relationships?object=a/b/c/d/e", (400,)),
    ("/api/v1/graph", (400,)),
    ("/api/v1/graph?root=Pod", (400,)),
    ("/api/v1/graph?root=Pod/default/none", (404,)),
    ("/api/v1/graph?root=Pod/default/p00000&direction=up", (400,)),
    ("/api/v1/graph?root=Pod/default/p00000&format=png", (400,)),
    ("/api/v1/graph?root=Pod/default/p00000&depth=deep", (400,)),
    ("/api/v1/changes?since=now", (400,)),
    ("/api/v1/nonesuch", (404,)),
    ("/api/v2/kinds", (404,)),
    ("/", (404,)),
    ("/api/v1/resources?kind=%00%ff", (400, 404)),
    ("/api/v1/resources?kind=Pod&name=%", (400,)),
    ("/api/v1/../../etc/passwd", (400, 404)),
]


class Errors(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.fake(pods=3)
        self.host_ = self.ready(self.cluster, defaults=PAGED)

    def test_bad_requests_get_a_sentence(self):
        for target, codes in BAD:
            with self.subTest(target):
                reply = self.host_.api.request("GET", target)
                self.assertIn(reply.status, codes, reply.text)
                self.assertIn("application/json", reply.headers["content-type"])
                words = [v for v in texts(reply.json()) if len(v.split()) > 1]
                self.assertTrue(words, reply.text)
        self.assertTrue(self.host_.running())
        self.assertEqual(len(self.host_.names("Pod")), 3)

    def test_other_methods(self):
        for method in ("POST", "DELETE", "PATCH"):
            with self.subTest(method):
                reply = self.host_.api.request(method, "/api/v1/kinds", body=b"{}")
                self.assertEqual(reply.status, 405)
        self.assertEqual(self.host_.api.request("GET", "/api/v1/log").status, 405)

    def test_the_log_level(self):
        self.assertFalse([e for e in self.host_.log_lines() if e.get("level") == "debug"])
        reply = self.host_.api.request("PUT", "/api/v1/log?level=debug")
        self.assertEqual(reply.status // 100, 2, reply.text)
        self.cluster.add_pods(3, prefix="q")
        self.host_.until(lambda: [e for e in self.host_.log_lines() if e.get("level") == "debug"],
                         describe="debug lines")
        self.assertEqual(self.host_.api.request("PUT", "/api/v1/log?level=loud").status, 400)

    def test_head_is_a_get_without_a_body(self):
        reply = self.host_.api.request("HEAD", "/api/v1/kinds")
        self.assertEqual((reply.status, reply.body), (200, b""))

    def raw(self, data):
        """Bytes in, all bytes out until the server closes or says nothing more."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            sock.settimeout(env.scaled(10))
            sock.connect(self.host_.socket)
            try:
                sock.sendall(data)
                sock.shutdown(socket.SHUT_WR)
                got = b""
                while piece := sock.recv(65536):
                    got += piece
                return got
            except ConnectionError:
                return b""

    def test_nonsense_does_no_harm(self):
        for data in (b"\0\0\0\0", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                     b"GET /api/v1/kinds HTTP/1.1\r\nX: " + b"y" * (2 << 20) + b"\r\n\r\n",
                     b"GET /" + b"y" * (2 << 20) + b" HTTP/1.1\r\n\r\n",
                     b"POST /api/v1/kinds HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\nx"):
            with self.subTest(data[:30]):
                self.assertNotIn(b" 200 ", self.raw(data)[:20])
                self.assertTrue(self.host_.running())
        self.assertEqual(self.host_.api.get("/api/v1/kinds").status, 200)

    def test_the_socket_is_for_its_owner_and_group(self):
        self.assertEqual(stat.S_IMODE(os.stat(self.host_.socket).st_mode), 0o660)


def texts(value):
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for item in (value if isinstance(value, list) else []) for t in texts(item)]


class Tcp(KindredTest):
    def test_a_tcp_bind_without_authentication(self):
        port = free_ports("api")["api"]
        host = self.host(self.fake(pods=1), defaults=PAGED,
                         api={"bind": f"127.0.0.1:{port}", "authenticate": False})
        host.api = Http(("127.0.0.1", port))
        host.start().wait_ready()
        self.assertEqual(json.loads(host.api.get("/api/v1/resources", kind="Pod").body)
                         ["items"][0]["ref"]["name"], "p00000")


if __name__ == "__main__":
    main()
