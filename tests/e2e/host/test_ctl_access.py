"""kindredctl over TCP and TLS: the same answers as over the socket; tokens, certificates."""

import contextlib
import json
import os
import socket
import ssl
import subprocess
import threading

from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, free_ports, main
from e2e.lib.objects import node, pod
from wire.tls import Files

TOKEN = "a.b-c_d"
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("KINDRED_")}
COMMANDS = (("get", "pods"), ("get", "po", "-o", "json"), ("get", "pod/p1", "-o", "yaml"),
            ("get", "pods", "-o", "jsonpath={.items[*].ref.name}"), ("orphans",), ("unresolved",),
            ("graph", "node/n1", "--direction", "in"), ("graph", "pod/p1", "-o", "dot"),
            ("graph", "pod/p1", "-o", "mermaid"), ("path", "pod/p1", "pod/p2"),
            ("impact", "node/n1"), ("trace", "pod/p1"), ("kinds",), ("plugins",), ("changes",),
            ("store", "check"), ("export",), ("export", "--format", "graphml"))


class Gate:
    """TLS in front of a socket; who has not the token gets 401."""

    def __init__(self, test, context, target, token=TOKEN):
        self.context, self.target, self.token = context, target, token
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.open, self.inner = [], []
        self.thread = threading.Thread(target=self._accept)
        self.thread.start()
        test.addCleanup(self.stop)

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()
        for inner in self.inner:   # a feed has no end of its own
            with contextlib.suppress(OSError):   # or it had one
                inner.shutdown(socket.SHUT_RDWR)
        for thread in self.open:
            thread.join()
        for inner in self.inner:
            inner.close()

    def _accept(self):
        while True:
            try:
                peer = self.listener.accept()[0]
            except OSError:
                return
            self.open.append(threading.Thread(target=self._serve, args=(peer,)))
            self.open[-1].start()

    def _serve(self, peer):
        with peer:
            try:
                with self.context.wrap_socket(peer, server_side=True) as secure:
                    self._relay(secure)
            except (OSError, ssl.SSLError):   # who does not trust us goes
                pass

    def _relay(self, secure):
        while True:
            head = b""
            while b"\r\n\r\n" not in head:
                more = secure.recv(65536)
                if not more:
                    return
                head += more
            if f"authorization: bearer {self.token.lower()}\r\n" not in head.decode().lower():
                body = b'{"error":"who are you?"}'
                secure.sendall(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: %d\r\n"
                               b"Connection: close\r\n\r\n" % len(body) + body)
                return
            inner = socket.socket(socket.AF_UNIX)
            inner.connect(self.target)
            self.inner.append(inner)
            inner.sendall(head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            while more := inner.recv(65536):
                secure.sendall(more)
            return


class Access(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = cluster = self.fake(kinds=["Pod", "Node"])
        cluster.add("Node", node("n1"))
        for name in ("p1", "p2"):
            cluster.add("Pod", pod(name, node="n1"))
        self.host_ = self.ready(cluster, ("pod", "node"), defaults=PAGED,
                                store={"path": self.path("g.db")})
        self.files = Files(self.path("tls"))
        self.gate = Gate(self, self.files.server_context(), self.host_.socket)
        self.url = f"https://localhost:{self.gate.port}"
        self.token = self.write("token", f" {TOKEN}\n")

    def ctl(self, *words, **environ):
        done = subprocess.run([env.program("kindredctl"), *words], capture_output=True, text=True,
                              timeout=env.scaled(60), env={**CLEAN, **environ})
        return done.returncode, done.stdout, done.stderr

    def secure(self, *words, **environ):
        return self.ctl("--server", self.url, "--ca", self.files.ca, *words, **environ)

    def test_every_command_over_tls(self):
        for words in COMMANDS:
            with self.subTest(words):
                want = self.host_.ctl(*words)
                self.assertEqual(self.secure("--token-file", self.token, *words), want)
                self.assertEqual(want[0], 0, want)

    def test_every_command_over_tcp(self):
        port = free_ports("api")["api"]
        other = self.started(self.cluster, ("pod", "node"), name="tcp", defaults=PAGED,
                             api={"bind": f"127.0.0.1:{port}", "authenticate": False})
        other.wait_ready()
        server = ("--server", f"http://127.0.0.1:{port}", "--token", "for-nobody")
        for words in COMMANDS:
            with self.subTest(words):
                code, _, err = self.ctl(*server, *words)
                self.assertEqual((code, err.replace("nothing found\n", "")), (0, ""))
        names = ("get", "pods", "-o", "name")
        self.assertEqual(self.ctl(*server, *names), self.host_.ctl(*names))

    def test_backup_and_status(self):
        copy = self.path("copy.db")
        self.assertEqual(self.secure("--token", TOKEN, "store", "backup", copy), (0, "", ""))
        self.assertEqual(self.ctl("export", copy)[1], self.host_.ctl("export")[1])
        code, out, _ = self.secure("--token", TOKEN, "status", "-o", "json")
        self.assertEqual((code, json.loads(out)["server"]), (0, self.url))
        code, out, _ = self.secure("--token", TOKEN, "top", "--interval", "1")
        self.assertEqual(code, 0)
        self.assertIn(self.url, out)

    def test_a_watch_over_tls(self):
        process = subprocess.Popen(
            [env.program("kindredctl"), "--server", self.url, "--ca", self.files.ca,
             "--token-file", self.token, "get", "pods", "-o", "name", "-w"],
            stdout=subprocess.PIPE, text=True, env=CLEAN)
        limit = threading.Timer(env.scaled(30), process.kill)   # then readline gives ""
        limit.start()
        try:
            self.assertEqual([process.stdout.readline() for _ in range(2)],
                             ["Pod/default/p1\n", "Pod/default/p2\n"])
            self.cluster.add("Pod", pod("p3", node="n1"))
            self.assertEqual(process.stdout.readline(), "Pod/default/p3\n")
        finally:
            limit.cancel()
            process.kill()
            process.wait()
            process.stdout.close()

    def test_access_from_the_environment(self):
        environ = {"KINDRED_SERVER": self.url, "KINDRED_CA": self.files.ca, "KINDRED_TOKEN": TOKEN}
        self.assertEqual(self.ctl("get", "pods", **environ)[0], 0)
        environ["KINDRED_TOKEN"] = "other"
        self.assertEqual(self.ctl("get", "pods", **environ)[0], 1)
        self.assertEqual(self.ctl("get", "pods", "--token", TOKEN, **environ)[0], 0)

    def refused(self, code, said, *words, ca=True):
        ca = ("--ca", self.files.ca) if ca else ()
        got, out, err = self.ctl("--server", self.url, *ca, "kinds", *words)
        self.assertEqual((got, out, err.count("\n")), (code, "", 1), err)
        self.assertIn(said, err)

    def test_refusals_say_what_to_do(self):
        self.refused(1, "who are you?; give a token by --token, --token-file or KINDRED_TOKEN")
        self.refused(1, "the token is not accepted", "--token", "other")
        self.refused(1, "--ca FILE names the certificates to trust", "--token", TOKEN, ca=False)
        self.refused(1, "holds no certificate that can be read", "--ca", self.token, ca=False)
        self.refused(2, "not both", "--token", TOKEN, "--token-file", self.token)
        self.refused(2, "white space", "--token", "a b")
        self.refused(2, "--token-file /none: No such file", "--token-file", "/none")
        self.refused(2, "is empty", "--token-file", self.write("empty", "\n"))
        self.url = f"https://127.0.0.1:{free_ports('none')['none']}"
        self.refused(1, "nobody listens there", "--token", TOKEN)


if __name__ == "__main__":
    main()
