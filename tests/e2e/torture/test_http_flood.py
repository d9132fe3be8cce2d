"""Peers of the HTTP servers that mean no good: memory bounded, the process alive, others served."""

import os
import resource
import socket
import threading
import time

from e2e.lib import env
from e2e.lib.case import PAGED, main
from e2e.lib.objects import node, pod
from e2e.lib.waiting import stays
from e2e.torture.attack import GraphTest, cpu_seconds

LIST = b"GET /api/v1/resources?kind=Pod HTTP/1.1\r\nHost: x\r\n\r\n"
FOLLOW = b"GET /api/v1/changes?since=0&follow=1 HTTP/1.1\r\nHost: x\r\n\r\n"
GRAPH = b"GET /api/v1/graph?root=Node//n1&depth=3 HTTP/1.1\r\nHost: x\r\n\r\n"
ROOM_KB = 150 * 1024 * (4 if env.SANITIZER else 1)


class HttpFlood(GraphTest):
    def begin(self, pods=500, size=0):
        self.cluster = self.fake(kinds=["Pod", "Node"])
        self.cluster.add("Node", node("n1"))
        self.cluster.add_pods(pods, size=size)
        self.target = self.ready(self.cluster, ("pod", "node"), defaults=PAGED)
        self.cluster.await_watch("Pod")
        self.before = self.target.memory_kb()
        return self.target

    def dial(self, text):
        sock = socket.socket(socket.AF_UNIX)
        self.addCleanup(sock.close)
        sock.connect(self.target.socket)    # waits for its turn, as long as no limit is set
        sock.settimeout(env.scaled(10))
        sock.sendall(text)
        return sock

    def assert_served(self, name):
        """Others get their answers, changes get in, memory is bounded."""
        self.cluster.add("Pod", pod(name))
        self.target.until(lambda: self.target.resource("Pod", name), 20, "a change is served")
        begun = time.monotonic()
        self.assertEqual(self.target.health.get("/healthz").status, 200)
        self.assertLess(time.monotonic() - begun, env.scaled(3))
        self.assertLess(self.target.memory_kb("VmHWM") - self.before, ROOM_KB)

    def test_heads_that_never_end(self):
        self.begin()
        slow = [self.dial(b"GET /api/v1/kinds HTTP/1.1\r\nHost: x\r\nX-") for _ in range(300)]
        for _ in range(20):
            for sock in slow:
                sock.sendall(b"a")
        self.assert_served("fresh")

    def test_requests_in_one_piece(self):
        self.begin(20)
        sock = self.dial(b"GET /api/v1/kinds HTTP/1.1\r\nHost: x\r\n\r\n" * 200)
        got = b""
        while got.count(b"HTTP/1.1 200") < 200:
            data = sock.recv(1 << 16)
            self.assertTrue(data, got[-200:])
            got += data
        flood = self.dial(b"")
        flood.settimeout(0.5)
        with self.assertRaises(OSError):
            for _ in range(2000):
                flood.sendall(LIST * 1000)
        self.assert_served("fresh")

    def test_peers_that_go_in_mid_answer(self):
        self.begin(2000)
        for turn in range(200):
            sock = self.dial((LIST, GRAPH, FOLLOW)[turn % 3])
            if turn % 2:
                sock.recv(100 * (turn % 7 + 1))
            sock.close()
        self.assert_served("fresh")
        self.assertEqual(self.target.stop(), 0)

    def test_followers_and_lists_that_nobody_reads(self):
        self.begin(1000, size=20000)
        for _ in range(100):
            self.dial(FOLLOW)
        for _ in range(50):
            self.dial(LIST)
        for turn in range(3000 if env.SANITIZER else 10000):
            self.cluster.modify("Pod", f"p{turn % 1000:05}",
                                change={"metadata": {"labels": {"x": str(turn)}}})
        self.assert_served("fresh")
        self.assertEqual(self.target.stop(), 0)

    def test_short_answers_do_not_wait_behind_long_ones(self):
        self.begin(2000)
        for _ in range(2000):
            name = f"p{_:05}"
            self.cluster.modify("Pod", name, change={"spec": {"nodeName": "n1"}})
        self.target.until(lambda: len(self.target.relations(object="Node//n1")) >= 2000, 30,
                          "the bindings")
        ends = []

        def ask():
            self.target.api.get("/api/v1/graph", root="Node//n1", depth=3)
            ends.append(time.monotonic())
        threads = [threading.Thread(target=ask) for _ in range(20)]
        for thread in threads:
            thread.start()
        self.target.until(lambda: ends, 30, "the first graph")
        self.target.kinds()
        answered = time.monotonic()
        for thread in threads:
            thread.join()
        self.assertLess(answered, sorted(ends)[-3], "the kinds waited behind the graphs")

    def test_no_descriptors_left(self):
        """The listener rests in place of spinning, and the log is not filled (libevent's way)."""
        host = self.begin(20)
        pid = host.process.pid
        held = []
        limit = len(os.listdir(f"/proc/{pid}/fd")) + 50
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit, limit))
        self.addCleanup(lambda: [sock.close() for sock in held])
        for _ in range(150):
            sock = socket.socket()
            held.append(sock)
            sock.connect(("127.0.0.1", host.ports["health"]))
        host.until(lambda: host.logged("no connection can be accepted"), describe="the warning")
        used, size = cpu_seconds(pid), len(host.log_text())
        stays(host.running, 2, "the process")
        self.assertLess(cpu_seconds(pid) - used, env.scaled(0.5))
        self.assertLess(len(host.log_text()) - size, 10000)
        for sock in held:
            sock.close()
        self.assert_served("fresh")


if __name__ == "__main__":
    main()
