"""The real control plane of tests/cluster, and the base of the tests that need it."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

from e2e.cluster import model
from e2e.lib import env
from e2e.lib.case import ALL, KindredTest
from e2e.lib.waiting import wait_until

TOOLS = os.path.join(env.SOURCE, "tests", "cluster")
PROGRAM = os.path.join(env.SOURCE, "build", "cluster", "kindred-cluster")
PATIENCE = 120


def run(command, timeout=PATIENCE, **options):
    """stdout of a command; AssertionError with stderr when it fails."""
    if "input" not in options:
        options["stdin"] = subprocess.DEVNULL
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stderr[-3000:]}")
    return done.stdout


class RealCluster:
    """A whole control plane in a folder of its own; it goes with this process in any case."""

    def __init__(self, nodes=3, api_args=()):
        parent = tempfile.mkdtemp(prefix="kd-real-")
        self.folder = os.path.join(parent, "cluster")
        try:
            self.kubeconfig = run([os.path.join(TOOLS, "up"), "--dir", self.folder, "--nodes",
                                   str(nodes), "--owner", str(os.getpid()),
                                   *(word for a in api_args for word in ("--api-arg", a))],
                                  3 * PATIENCE).strip()
        except BaseException:
            shutil.rmtree(parent, ignore_errors=True)
            raise

    def down(self):
        run([os.path.join(TOOLS, "down"), self.folder])
        os.rmdir(os.path.dirname(self.folder))

    def control(self, verb, role):
        """verb: kill (as by -9) or start."""
        run([os.path.join(TOOLS, "ctl"), self.folder, verb, role], 2 * PATIENCE)

    def program(self, *words, timeout=PATIENCE, **options):
        return run([PROGRAM, *words], timeout, env={**os.environ, "KUBECONFIG": self.kubeconfig},
                   **options)

    def kubectl(self, *words, **options):
        return self.program("kubectl", *words, **options)

    def apply(self, text):
        return self.kubectl("apply", "-f", "-", input=text)

    def items(self, *kinds):
        """What kubectl says of these kinds, in all namespaces."""
        return json.loads(self.kubectl("get", ",".join(kinds), "-A", "-o", "json"))["items"]

    def rollout(self, *names, namespace="shop"):
        for name in names:
            self.kubectl("-n", namespace, "rollout", "status", "--timeout=100s", name)


class RealTest(unittest.TestCase):
    """One control plane for all tests of a class."""

    @classmethod
    def api_args(cls):
        """More arguments of the API server."""
        return ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not os.access(PROGRAM, os.X_OK):
            raise unittest.SkipTest("the control plane is not built: run tests/cluster/build")
        cls.real = RealCluster(api_args=cls.api_args())
        cls.addClassCleanup(cls.real.down)


class GraphTest(RealTest, KindredTest):
    """Compares kindred with kubectl."""

    def setUp(self):
        super().setUp()
        self.maxDiff = None

    def watcher(self, kinds=ALL, **over):
        """A kindred on the real cluster, not yet started."""
        host = self.host(None, kinds, **over)
        shutil.copyfile(self.real.kubeconfig, os.path.join(host.folder, "kubeconfig"))
        return host

    def assert_same_graph(self, host, when, timeout=60):
        """Waits until graph and cluster say the same; else fails with what differs."""
        found = []

        def same():
            wanted = model.of_cluster(self.real.items(*model.RESOURCES))
            found[:] = model.differences(wanted, model.of_host(host))
            return not found
        try:
            host.until(same, timeout, f"the same graph {when}")
        except AssertionError as fault:
            raise AssertionError(f"{when}: {len(found)} differences between kubectl (-) and the "
                                 f"graph (+)\n" + "\n".join(found[:60])) from fault

    def wait_uid_changed(self, kind, name, old, namespace="shop"):
        def changed():
            made = self.real.kubectl("-n", namespace, "get", kind, name, "--ignore-not-found", "-o",
                                     "jsonpath={.metadata.uid}")
            return made and made != old
        wait_until(changed, PATIENCE, f"{kind} {name} made again")
