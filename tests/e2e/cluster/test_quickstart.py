"""deploy/quickstart --local shows the live graph, and Ctrl-C stops all that it started."""

import os
import re
import signal
import subprocess
import tempfile
import unittest
import urllib.request

from e2e.cluster.real import PROGRAM
from e2e.lib import env
from e2e.lib.case import main
from e2e.lib.waiting import wait_until

QUICKSTART = os.path.join(env.SOURCE, "deploy", "quickstart")
PATIENCE = 300


class Quickstart(unittest.TestCase):
    def setUp(self):
        if not os.access(PROGRAM, os.X_OK):
            raise unittest.SkipTest("the control plane is not built: run tests/cluster/build")
        self.scratch = tempfile.TemporaryDirectory(prefix="kd-quick-")
        self.addCleanup(self.scratch.cleanup)
        self.environ = {**os.environ, "TMPDIR": self.scratch.name, "KINDRED_BUILD": env.BUILD}
        self.environ.pop("KUBECONFIG", None)

    def assert_nothing_left(self):
        self.assertEqual(os.listdir(self.scratch.name), [])
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    self.assertNotIn(self.scratch.name.encode(), file.read())
            except OSError:
                pass

    def assert_graph_shown(self, text):
        for kind in ("Pod", "Node", "ReplicaSet", "Deployment", "Service", "EndpointSlice"):
            self.assertRegex(text, rf"(?m)^\s*{kind}\s.*\d", text)
        tree = text[text.index("its ReplicaSets"):]
        for line in (r"Deployment.*web", r"ReplicaSet.*web-\w+", r"Pod.*web-\w+-\w+",
                     r"Node.*node-\d"):
            self.assertRegex(tree, line, text)

    def test_once(self):
        done = subprocess.run([QUICKSTART, "--local", "--once"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, env=self.environ, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assert_graph_shown(done.stdout)
        self.assertRegex(done.stdout, r"(?m)^    .*Pod \d+")
        self.assert_nothing_left()

    def test_until_interrupted(self):
        output = os.path.join(self.scratch.name, "output")
        with open(output, "wb") as file:
            running = subprocess.Popen([QUICKSTART, "--local"], stdin=subprocess.DEVNULL,
                                       stdout=file, stderr=subprocess.STDOUT, env=self.environ,
                                       start_new_session=True)
        self.addCleanup(running.wait)
        self.addCleanup(running.terminate)

        def text():
            with open(output, encoding="utf-8") as file:
                return file.read()
        wait_until(lambda: running.poll() is not None or "Ctrl-C stops" in text(), PATIENCE)
        self.assertIsNone(running.poll(), text())
        for name in ("health", "metrics"):
            address = re.search(rf"(?m)^  {name} +(http\S+)", text()).group(1)
            with urllib.request.urlopen(address, timeout=20) as answer:
                self.assertEqual(answer.status, 200)
        os.killpg(running.pid, signal.SIGINT)
        self.assertEqual(running.wait(PATIENCE), 0, text())
        os.unlink(output)
        self.assert_nothing_left()

    def test_without_go(self):
        self.environ["PATH"] = "/usr/bin:/bin"
        if os.path.exists("/usr/bin/go"):
            self.skipTest("Go is in /usr/bin")
        done = subprocess.run([QUICKSTART, "--local"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, env=self.environ, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("Go 1.26 or newer", done.stderr)


if __name__ == "__main__":
    main()
