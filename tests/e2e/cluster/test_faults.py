"""Faults of a real API server and of the way to it: the graph is right again, by itself."""

import json
import os
import re
import urllib.request

from e2e.cluster.proxy import Proxy
from e2e.cluster.real import GraphTest
from e2e.lib.case import KIND_OF, main

# Watches that end soon, lists in pages: what a test waits for comes within seconds.
BRISK = {"watch_timeout": "1s", "stream_list": False}
KINDS = ("pod", "service", "node")
RESOURCES = {"pod": "pods", "service": "services", "node": "nodes"}
POD = """
apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: default, labels: {app: faults}}
spec: {containers: [{name: main, image: "example.org/app:1"}]}
"""
ROLE = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: faults}
rules: [{apiGroups: [""], resources: [%s], verbs: [get, list, watch]}]
"""
ACCOUNT = """
apiVersion: v1
kind: ServiceAccount
metadata: {name: faults, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: faults}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: faults}
subjects: [{kind: ServiceAccount, name: faults, namespace: default}]
"""


class Faults(GraphTest):
    def setUp(self):
        super().setUp()
        with open(self.real.kubeconfig, encoding="utf-8") as file:
            self.kubeconfig = file.read()
        self.port = int(re.search(r"server: https://127\.0\.0\.1:(\d+)", self.kubeconfig)[1])
        self.addCleanup(self.real.kubectl, "delete", "pod", "-n", "default", "-l", "app=faults",
                        "--ignore-not-found", "--wait=true", "--timeout=60s")

    def watcher_by(self, kinds=None, text=None, **over):
        """A kindred with a kubeconfig of the test's own."""
        host = self.watcher(*([kinds] if kinds else []), **over)
        if text:
            with open(os.path.join(host.folder, "kubeconfig"), "w", encoding="utf-8") as file:
                file.write(text)
        return host

    def behind_proxy(self, **over):
        proxy = Proxy("127.0.0.1", self.port)
        self.addCleanup(proxy.close)
        text = self.kubeconfig.replace(f"127.0.0.1:{self.port}", f"127.0.0.1:{proxy.port}")
        host = self.watcher_by(text=text, defaults=BRISK, **over).start().wait_ready()
        self.assert_same_graph(host, "after the first sync")
        return proxy, host

    def pods(self, *names):
        self.real.apply("---".join(POD % name for name in names))

    def remove(self, name):
        self.real.kubectl("delete", "pod", "-n", "default", name, "--wait=true", "--timeout=60s")

    # -- versions that are gone

    def etcd(self, call, body):
        """A request to etcd's own API."""
        with open(os.path.join(self.real.folder, "cluster.json"), encoding="utf-8") as file:
            url = re.search(r"--listen-client-urls=(http://[0-9.:]+)", file.read())[1]
        request = urllib.request.Request(f"{url}/v3/kv/{call}", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def test_history_is_compacted_while_the_way_is_cut(self):
        """Each kind resumes from a version that is gone: 410, one list, the same graph."""
        self.pods("stays", "goes")
        proxy, host = self.behind_proxy()
        proxy.refuse()
        proxy.cut()
        self.pods("comes")
        self.remove("goes")
        self.real.control("kill", "apiserver")
        revision = self.etcd("range", {"key": "AA=="})["header"]["revision"]
        self.etcd("compaction", {"revision": revision, "physical": True})
        self.real.control("start", "apiserver")
        self.assertEqual(host.names("Pod", namespace="default"), ["goes", "stays"])
        lists = self.lists(host)
        proxy.refuse(False)
        self.assert_same_graph(host, "after the compaction", 90)
        host.wait_ready()
        self.assertEqual(host.names("Pod", namespace="default"), ["comes", "stays"])
        self.assertEqual(self.lists(host) - lists, self.expired(host, 1))
        self.assertEqual(host.stop(), 0)

    @staticmethod
    def lists(host):
        return host.metrics().value("kindred_reflector_lists_total", kind="Pod")

    def expired(self, host, least):
        """How many versions of Pods have expired; each asks for one list."""
        found = host.metrics().search("kindred_reflector_errors_total", kind="Pod",
                                      reason="expired")
        count = sum(number for _, _, number in found)
        self.assertEqual(count, least, found)
        return count

    # -- rights

    def allow(self, *kinds):
        self.real.apply(ROLE % ", ".join(RESOURCES[kind] for kind in kinds))

    def test_rights_are_revoked_and_granted(self):
        self.allow(*KINDS)
        self.real.apply(ACCOUNT)
        self.addCleanup(self.real.kubectl, "delete", "clusterrolebinding,clusterrole", "faults")
        self.addCleanup(self.real.kubectl, "delete", "serviceaccount", "-n", "default", "faults")
        token = self.real.kubectl("create", "token", "-n", "default", "faults").strip()
        self.pods("known")
        host = self.watcher_by(KINDS, re.sub(r"token: .*", f"token: {token}", self.kubeconfig),
                               defaults=BRISK).start().wait_ready()
        self.assertEqual(host.names("Pod", namespace="default"), ["known"])

        self.allow("service", "node")
        host.wait_state("Pod", "forbidden", 30)
        ready = host.health.get("/readyz")
        self.assertNotEqual(ready.status, 200)
        self.assertIn("403", ready.text)
        self.assertIn("pods is forbidden", host.kind("Pod")["lastError"])
        self.assertEqual(host.names("Pod", namespace="default"), ["known"], "what is known stays")
        self.real.kubectl("label", "node", "node-1", "faults=yes", "--overwrite")
        host.until(lambda: host.resource("Node", "node-1", "")["labels"].get("faults") == "yes",
                   20, "changes of other kinds")
        for kind in ("service", "node"):
            self.assertEqual(host.kind(KIND_OF[kind])["state"], "synced")
        self.pods("unseen")

        self.allow(*KINDS)
        host.until(lambda: host.names("Pod", namespace="default") == ["known", "unseen"], 60,
                   "the pods after the grant")
        host.wait_ready()
        said = [line for line in host.logged("out of reach", "forbidden") if '"pods"' in line]
        self.assertEqual(len(said), 1, "\n".join(said))
        self.real.kubectl("label", "node", "node-1", "faults-")
        self.assertEqual(host.stop(), 0)

    # -- the way to the server

    def test_connections_are_cut(self):
        proxy, host = self.behind_proxy()
        for number in range(5):
            proxy.cut()
            self.pods(f"cut{number}")
        self.assert_same_graph(host, "after cuts", 60)
        host.wait_ready()
        self.assertEqual(host.stop(), 0)

    def test_connections_are_half_closed(self):
        proxy, host = self.behind_proxy()
        proxy.half_close()
        self.pods("half")
        self.assert_same_graph(host, "after a half-close", 60)
        host.wait_ready()
        self.assertEqual(host.stop(), 0)

    def test_connections_freeze_and_go_on(self):
        proxy, host = self.behind_proxy()
        proxy.freeze()
        self.pods("ice1", "ice2")
        self.remove("ice1")
        proxy.freeze(False)
        self.assert_same_graph(host, "after the thaw", 60)
        self.assertEqual(host.stop(), 0)

    def test_connections_freeze_for_ever(self):
        """Each watch has a deadline of its own; what comes after it must not use what is dead."""
        proxy, host = self.behind_proxy()
        proxy.freeze()
        self.pods("never")
        self.assert_same_graph(host, "over new connections", 80)
        host.wait_ready()
        self.assertEqual(host.stop(), 0)

    def test_kinds_share_connections(self):
        proxy, host = self.behind_proxy()
        self.assertLessEqual(proxy.connections(), 4)
        self.assertEqual(host.stop(), 0)


if __name__ == "__main__":
    main()
