"""The graph says what kubectl says, whatever happens to the objects and to the API server."""

import os

from e2e.cluster.real import TOOLS, GraphTest
from e2e.lib.case import main

WORKLOAD = os.path.join(TOOLS, "workload.yaml")
WAIT = ("--wait=true", "--timeout=100s")


class Graph(GraphTest):
    def setUp(self):
        super().setUp()
        self.kubectl = self.real.kubectl
        self.shop = lambda *words: self.kubectl("-n", "shop", *words)
        self.kubectl("apply", "-f", WORKLOAD)
        self.addCleanup(self.clear)
        self.settle()

    def clear(self):
        self.kubectl("delete", "-f", WORKLOAD, "--ignore-not-found", *WAIT)

    def settle(self):
        self.real.rollout("deployment/web", "deployment/api", "statefulset/db", "daemonset/agent")

    def uid(self, kind, name):
        return self.shop("get", kind, name, "-o", "jsonpath={.metadata.uid}")

    def test_the_life_of_objects(self):
        host = self.watcher().start().wait_ready()
        self.assert_same_graph(host, "after the first sync")

        self.shop("scale", "deployment/web", "--replicas=6")
        self.shop("scale", "deployment/api", "--replicas=0")
        self.settle()
        self.assert_same_graph(host, "after scaling")

        self.shop("set", "image", "deployment/web", "web=example.org/shop/web:1.1")
        self.shop("annotate", "deployment/web", "example.org/note=with \"quotes\" and a tab\t")
        self.shop("label", "deployment/web", "tier-")
        self.kubectl("label", "node", "node-2", "rack=r7")
        self.settle()
        self.assert_same_graph(host, "after a roll-out")
        self.shop("rollout", "undo", "deployment/web")
        self.settle()
        self.assert_same_graph(host, "after a roll-back")

        before = self.uid("pod", "db-0")
        self.shop("delete", "pod", "db-0", *WAIT)
        self.wait_uid_changed("pod", "db-0", before)
        self.settle()
        self.assert_same_graph(host, "after a pod was made again under its name")

        before = self.uid("deployment", "web")
        self.shop("delete", "deployment/web", "service/web", *WAIT)
        self.assert_same_graph(host, "after a Deployment and a Service were deleted")
        self.kubectl("apply", "-f", WORKLOAD)
        self.settle()
        self.assertNotEqual(self.uid("deployment", "web"), before)
        self.assert_same_graph(host, "after they were made again under their names")

        self.kubectl("label", "node", "node-2", "rack-")
        self.clear()
        self.assert_same_graph(host, "after all was deleted")
        self.assertEqual(host.stop(), 0)

    def test_the_api_server_is_killed_in_the_middle(self):
        host = self.watcher().start().wait_ready()
        self.assert_same_graph(host, "after the first sync")
        old = self.uid("deployment", "api")
        self.shop("scale", "deployment/web", "--replicas=8")
        self.shop("delete", "deployment/api", "--wait=false")
        self.real.control("kill", "apiserver")
        self.assertTrue(host.running())
        self.real.control("start", "apiserver")
        self.shop("wait", "--for=delete", "deployment/api", "--timeout=100s")
        self.kubectl("apply", "-f", WORKLOAD)
        self.shop("scale", "deployment/web", "--replicas=2")
        self.settle()
        self.assertNotEqual(self.uid("deployment", "api"), old)
        self.assert_same_graph(host, "after the API server was killed and started", timeout=120)
        host.wait_ready()

    def test_changes_while_kindred_is_down(self):
        store = {"path": self.path("graph.db")}
        first = self.watcher(store=store).start().wait_ready()
        self.assert_same_graph(first, "after the first sync")
        self.assertEqual(first.stop(), 0)
        old = self.uid("deployment", "api")
        self.shop("delete", "deployment/api", "service/web", *WAIT)
        self.kubectl("apply", "-f", WORKLOAD)
        self.shop("delete", "pod", "-l", "app=web", *WAIT)
        self.settle()
        self.assertNotEqual(self.uid("deployment", "api"), old)
        second = self.watcher(store=store).start().wait_ready()
        self.assert_same_graph(second, "after changes while kindred was down")
        self.assertEqual(second.stop(), 0)


if __name__ == "__main__":
    main()
