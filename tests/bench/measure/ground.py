"""What is measured on: the programs of tests/bench/peers and a filled control plane."""

import os
import subprocess

from e2e.cluster.real import RealCluster
from e2e.lib import env

from .peer import Talking, numbered

PEERS = os.path.join(env.SOURCE, "tests", "bench", "peers")
PROGRAMS = os.path.join(env.SOURCE, "build", "bench")
FILL_LIMIT = 1800


def build_peers(*names):
    """Builds them into build/bench; seconds when nothing has changed."""
    os.makedirs(PROGRAMS, exist_ok=True)
    subprocess.run(["go", "build", "-trimpath", "-o", PROGRAMS + "/", *(f"./{n}" for n in names)],
                   cwd=PEERS, check=True,
                   env={**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local"})


def program(name):
    return os.path.join(PROGRAMS, name)


class Ground:
    """A control plane filled with N pods and what belongs to them; only etcd and API server stay.
    With `kubeconfig` one that is filled already, which stays."""

    def __init__(self, pods, seed, kubeconfig=""):
        nodes = max(3, pods // 500)
        self._updates = 0
        self._real = None if kubeconfig else RealCluster(nodes)
        self.kubeconfig = kubeconfig or self._real.kubeconfig
        try:
            if self._real:
                for role in ("controller-manager", "scheduler", "kubelet"):
                    self._real.control("kill", role)
            said = subprocess.run(
                [program("fill"), "--pods", str(0 if kubeconfig else pods), "--nodes", str(nodes),
                 "--seed", str(seed)],
                env={**os.environ, "KUBECONFIG": self.kubeconfig}, check=True, timeout=FILL_LIMIT,
                capture_output=True, text=True).stdout
        except BaseException:
            self.down()
            raise
        counts = dict(line.rsplit(" ", 1) for line in said.splitlines())
        self.pods = int(counts["/api/v1/pods"])
        self.objects = sum(int(n) for n in counts.values())

    def stream(self, count, rate):
        """A call that makes so many updates and says when each was answered."""
        def run():
            first = self._updates + 1
            self._updates += count
            updater = Talking([program("update"), "--count", str(count), "--rate", str(rate),
                               "--first", str(first)], self.kubeconfig)
            try:
                updater.line("ready")
                updater.order("go")
                return numbered(updater.line("end")[1])
            finally:
                updater.stop()
        return run

    def down(self):
        if self._real:
            self._real.down()
