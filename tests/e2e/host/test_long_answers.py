"""Answers of any length need no memory, neither kindred's nor kindredctl's; KD_PODS=N for more."""

import os
import socket
import subprocess
import sys
import tempfile

from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import pod

PODS = int(os.environ.get("KD_PODS", "5000"))
BYTES = 8000           # of one pod
SERVER_MB = 24         # what a long answer may add to kindred, which keeps 64 KiB pieces
CLIENT_MB = 64         # the whole of kindredctl
# A process's largest size counts from its parent's: this parent is a small one.
SIZED = """
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(pid, 0)
print(used.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""


class LongAnswers(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.fake(kinds=["Pod", "Node"])
        self.cluster.add_pods(PODS, size=BYTES)
        self.host_ = self.started(self.cluster, ("pod", "node"), defaults=PAGED,
                                  store={"path": self.path("g.db")})
        self.host_.wait_stored("Pod", PODS, timeout=300)

    def run_ctl(self, *words):
        """(bytes that it wrote, its largest size in MB)."""
        with tempfile.TemporaryFile() as out:
            done = subprocess.run(
                [sys.executable, "-S", "-c", SIZED, env.program("kindredctl"), "--server",
                 f"unix:{self.host_.socket}", *words], stdout=out, stderr=subprocess.PIPE,
                text=True, env={**os.environ, "TMPDIR": self.folder}, timeout=env.scaled(300))
            self.assertEqual(done.returncode, 0, done.stderr)
            return os.fstat(out.fileno()).st_size, int(done.stderr.split()[-1]) / 1024

    def test_memory_does_not_grow_with_the_answer(self):
        if env.SANITIZER:
            self.skipTest("a sanitizer's own memory is counted too")
        size, largest = self.run_ctl("get", "pods", "-o", "json")   # what is made once is made
        before = self.host_.memory_kb("VmHWM")
        self.assertGreater(size, PODS * BYTES)
        seen = {"get": largest}
        for words in (("get", "pods", "-o", "yaml"), ("get", "pods", "-o", "name"),
                      ("get", "pods", "-l", "app=none"), ("orphans", "-o", "json"),
                      ("export",), ("export", "--format", "graphml")):
            size, seen[" ".join(words)] = self.run_ctl(*words)
        grown = (self.host_.memory_kb("VmHWM") - before) / 1024
        print(f"{PODS} pods: kindred grew by {grown:.1f} MB; kindredctl took "
              f"{ {name: round(mb) for name, mb in seen.items()} }")
        self.assertLess(grown, SERVER_MB)
        self.assertLess(max(seen.values()), CLIENT_MB, seen)

    def test_a_reader_that_stands_still_holds_nobody_up(self):
        """Neither a write nor another answer waits for it."""
        with socket.socket(socket.AF_UNIX) as still:
            still.connect(self.host_.socket)
            still.sendall(b"GET /api/v1/resources HTTP/1.1\r\nHost: k\r\n\r\n")
            self.assertTrue(still.recv(1000))
            for i in range(20):
                self.cluster.add("Pod", pod(f"late-{i}"))
            self.host_.until(lambda: self.host_.kind("Pod")["stored"] == PODS + 20,
                             describe="writes beside a reader that does not read")
            self.assertEqual(len(self.host_.resources("Pod", name="late-7")), 1)


if __name__ == "__main__":
    main()
