"""The control plane of the tests itself: it is whole, heals, and leaves nothing behind."""

import os
import subprocess

from e2e.cluster import model
from e2e.cluster.real import PATIENCE, TOOLS, RealCluster, RealTest, run
from e2e.lib.case import main
from e2e.lib.waiting import wait_until


class ControlPlane(RealTest):
    def test_the_workload_comes_to_life(self):
        kubectl = self.real.kubectl
        kubectl("apply", "-f", os.path.join(TOOLS, "workload.yaml"))
        self.real.rollout("deployment/web", "deployment/api", "statefulset/db", "daemonset/agent")
        kubectl("-n", "shop", "wait", "--for=condition=Complete", "job/import", "--timeout=60s")
        kubectl("-n", "shop", "wait", "--for=jsonpath={.status.phase}=Bound", "pvc/db-data",
                "--timeout=60s")
        graph = model.of_cluster(self.real.items(*model.RESOURCES))
        kinds = [key[0] for key in graph if key[0] in model.PREDICATES]
        self.assertEqual(kinds.count("PodNodeBinding"), 12)
        self.assertEqual(kinds.count("ServiceEndpoint"), 3)
        self.assertTrue(all(graph[key] for key in graph if key[0] == "ServiceEndpoint"))

        self.real.control("kill", "apiserver")
        done = subprocess.run([os.path.join(TOOLS, "ctl"), self.real.folder, "kill", "nobody"],
                              capture_output=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.real.control("start", "apiserver")
        kubectl("-n", "shop", "delete", "pod", "db-0", "--wait=true", "--timeout=60s")
        self.real.rollout("statefulset/db")

    def test_all_ends_with_the_owner(self):
        owner = subprocess.Popen(["sleep", "600"])
        folder = os.path.join(os.path.dirname(self.real.folder), "owned")
        try:
            run([os.path.join(TOOLS, "up"), "--dir", folder, "--nodes", "1", "--owner",
                 str(owner.pid)], 3 * PATIENCE)
        finally:
            owner.kill()
            owner.wait()
        wait_until(lambda: not os.path.exists(folder), PATIENCE, "the folder's end")
        wait_until(lambda: not self.processes_of(folder), PATIENCE, "the processes' end")

    def test_down_leaves_nothing(self):
        other = RealCluster(nodes=1)
        self.assertNotEqual(self.processes_of(other.folder), [])
        other.down()
        self.assertFalse(os.path.exists(os.path.dirname(other.folder)))
        self.assertEqual(self.processes_of(other.folder), [])

    @staticmethod
    def processes_of(folder):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if folder.encode() in file.read():
                        found.append(pid)
            except OSError:
                pass
        return found


if __name__ == "__main__":
    main()
