"""A long run under faults: 5,000 pods, 100 changes a second, the API server killed every 20 s, the
leader of two replicas killed every 30 s. At the end the graph is the cluster, and memory is flat.

KD_SOAK_SECONDS: how long (70); KD_SOAK_REPLICAS: 2; KD_SOAK_PODS: 5000.
"""

import os
import subprocess
import sys
import time

from e2e.cluster.real import PROGRAM, GraphTest
from e2e.lib import env
from e2e.lib.case import main

SECONDS = int(os.environ.get("KD_SOAK_SECONDS", "70"))
REPLICAS = int(os.environ.get("KD_SOAK_REPLICAS", "2"))
PODS = int(os.environ.get("KD_SOAK_PODS", "5000"))
API_SERVER_EVERY, LEADER_EVERY = 20, 30
GROWTH = 1.25
LEASE = {"enabled": True, "namespace": "kube-system", "lease_duration": "6s",
         "renew_deadline": "4s", "retry_period": "1s"}


class Soak(GraphTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.real.program("load", "pods", "--count", str(PODS), "--namespace", "load", "--wait",
                         timeout=600)

    def setUp(self):
        super().setUp()
        self.memory = []
        self.kills = {"apiserver": 0, "leader": 0}
        leader = {**LEASE, "enabled": REPLICAS > 1}
        self.hosts = []
        for i in range(REPLICAS):
            host = self.watcher(name=f"replica{i}", leader=leader,
                                store={"path": self.path(f"graph{i}.db")})
            self.hosts.append(host.start())

    def leader(self):
        """The replica that answers questions about the graph; None for a while after a kill."""
        for host in self.hosts:
            try:
                if host.api.get("/api/v1/resources", kind="node", limit=1).status == 200:
                    return host
            except OSError:
                pass
        return None

    def await_leader(self, seconds=60):
        found = []

        def led():
            found[:] = [self.leader()]
            return found[0] is not None
        self.hosts[0].until(led, seconds, "a replica that leads")
        return found[0]

    def churn(self):
        process = subprocess.Popen(
            [PROGRAM, "load", "churn", "--namespace", "load", "--rate", "100", "--seconds",
             str(SECONDS)], env={**os.environ, "KUBECONFIG": self.real.kubeconfig},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

        def end():
            process.kill()
            process.communicate()
        self.addCleanup(end)
        return process

    def kill_api_server(self):
        self.real.control("kill", "apiserver")
        self.real.control("start", "apiserver")
        self.kills["apiserver"] += 1

    def kill_leader(self):
        host = self.leader()
        if host is None:
            return
        self.memory.append(host.memory_kb())
        host.process.kill()
        host.wait_exit()
        host.start()
        self.kills["leader"] += 1

    def live(self, churn):
        """Faults at their times until the changes end."""
        begun = time.monotonic()
        due = {self.kill_api_server: API_SERVER_EVERY, self.kill_leader: LEADER_EVERY}
        every = dict(due)
        while churn.poll() is None:
            for fault in due:
                if time.monotonic() - begun >= due[fault] and churn.poll() is None:
                    fault()
                    due[fault] += every[fault]
            time.sleep(0.2)         # the faults' clock, not a wait for something

    def test_soak(self):
        self.await_leader().wait_stored("Pod", PODS, env.scaled(120))
        churn = self.churn()
        self.live(churn)
        said = churn.communicate(timeout=60)[0].strip()
        self.assertEqual(churn.returncode, 0, said)
        leader = self.await_leader()
        for host in self.hosts:
            host.wait_ready(env.scaled(120))
        self.assert_same_graph(leader, f"after {SECONDS} s of faults", timeout=240)
        self.memory.append(leader.memory_kb())
        print(f"{SECONDS} s: {said}; kills {self.kills}; leaders' memory "
              f"{[kb // 1024 for kb in self.memory]} MB", file=sys.stderr)
        self.assertGreater(self.kills["leader"], 0)
        self.assertGreater(self.kills["apiserver"], 0)
        if not env.SANITIZER:
            self.assertLess(self.memory[-1], max(self.memory[0], 1) * GROWTH, "memory grew")
        for host in self.hosts:
            self.assertEqual(host.stop(), 0)


if __name__ == "__main__":
    main()
