"""docs/queries.md: each of its blocks is run, word for word, and says what the page promises."""

import os
import re
import subprocess

from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import (deployment, endpoint_slice, node, obj, owner, pod, replica_set,
                             service)

KINDS = ("pod", "node", "replicaset", "deployment", "service", "endpointslice", "configmap",
         "secret", "persistentvolumeclaim", "ingress")
CLAIM = {"group": "", "version": "v1", "kind": "PersistentVolumeClaim",
         "resource": "persistentvolumeclaims"}
SECRET = {"group": "", "version": "v1", "kind": "Secret", "resource": "secrets"}
INGRESS = {"group": "networking.k8s.io", "version": "v1", "kind": "Ingress",
           "resource": "ingresses"}
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)


def questions():
    """Number of the question (0: before the first) -> its blocks."""
    with open(os.path.join(env.SOURCE, "docs", "queries.md"), encoding="utf-8") as file:
        parts = re.split(r"^## (\d+)\. ", file.read(), flags=re.M)
    numbered = {0: parts[0], **{int(n): text for n, text in zip(parts[1::2], parts[2::2])}}
    return {number: BLOCK.findall(text) for number, text in numbered.items()}


class Queries(KindredTest):
    """shop/web runs on n1 and n2, reads settings, mounts data, and is served to an ingress."""

    def setUp(self):
        super().setUp()
        cluster = self.cluster = self.fake(kinds=[
            "Pod", "Node", "ReplicaSet", "Deployment", "Service", "EndpointSlice", "ConfigMap",
            SECRET, CLAIM, INGRESS])
        made = cluster.add("Deployment", deployment("web", "shop"))
        made = cluster.add("ReplicaSet", replica_set("web-1", "shop",
                                                     owner=owner("Deployment", made)))
        for name in ("n1", "n2"):
            cluster.add("Node", node(name))
        for name in ("settings", "spare"):
            cluster.add("ConfigMap", obj("ConfigMap", name, "shop"))
        for name in ("data", "forgotten"):
            cluster.add("PersistentVolumeClaim", obj("PersistentVolumeClaim", name, "shop"))
        cluster.add("Secret", obj("Secret", "old-token", "shop"))
        for name, where in (("web-a", "n1"), ("web-b", "n1"), ("web-c", "n2")):
            one = pod(name, "shop", node=where, owner=owner("ReplicaSet", made))
            one["spec"]["containers"] = [{"name": "web", "image": "web:1"}]
            one["spec"]["volumes"] = [
                {"name": "s", "configMap": {"name": "settings"}},
                {"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
            if name == "web-c":
                one["spec"]["containers"].append({"name": "side", "image": "side:2"})
                one["spec"]["imagePullSecrets"] = [{"name": "never-made"}]
            cluster.add("Pod", one)
        cluster.add("Service", service("web", "shop"))
        cluster.add("Service", service("idle", "shop"))
        cluster.add("EndpointSlice", endpoint_slice(
            "web-x", "web", [("web-a", "10.0.0.1"), ("web-b", "10.0.0.2")], "shop"))
        cluster.add("Ingress", obj("Ingress", "front", "shop", spec={
            "defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}))
        self.host_ = self.ready(cluster, KINDS, defaults=PAGED)
        self.host_.until(lambda: len(self.host_.relations()) >= 17, describe="the relations")

    def ask(self, number):
        """What the blocks of a question print, block by block."""
        environ = {**os.environ, "PATH": f"{env.BUILD}:{os.environ['PATH']}", "LC_ALL": "C",
                   "KINDRED_SERVER": f"unix:{self.host_.socket}",
                   "KINDRED_SQLITE": os.path.join(env.BUILD, "kindred_sqlite")}
        if number == 9:
            environ.update(env.for_sqlite())
        said = []
        for block in questions()[number]:
            done = subprocess.run(["bash", "-o", "pipefail", "-c", block], capture_output=True,
                                  text=True, env=environ, cwd=self.folder,
                                  timeout=env.scaled(60))
            self.assertIn(done.returncode, (0, 1) if "diff" in block else (0,), done.stderr)
            said.append(done.stdout)
        return said

    def test_there_are_ten_and_each_is_asked_here(self):
        self.assertEqual(sorted(questions()), list(range(11)))
        for number in range(1, 11):
            self.assertTrue(questions()[number], number)
            self.assertTrue(hasattr(self, f"test_question_{number:02}"), number)

    def test_question_01(self):
        said, = self.ask(1)
        for word in ("Pod shop/web-a", "Pod shop/web-b", "ServiceEndpoint <- Service shop/web",
                     "ReplicaSet shop/web-1"):
            self.assertIn(word, said)
        self.assertNotIn("web-c", said)

    def test_question_02(self):
        said, = self.ask(2)
        rows = [line.split() for line in said.splitlines()[1:]]
        self.assertEqual({(row[0], row[2], row[3]) for row in rows}, {
            ("affected", "Pod", "shop/web-a"), ("affected", "Pod", "shop/web-b"),
            ("affected", "Pod", "shop/web-c"), ("affected", "ReplicaSet", "shop/web-1"),
            ("affected", "Deployment", "shop/web"), ("affected", "Service", "shop/web"),
            ("affected", "Ingress", "shop/front")})

    def test_question_03(self):
        self.ask(0)
        rows = [row.split("|") for row in self.ask(3)[0].splitlines()]
        self.assertEqual([row[:2] for row in rows], [["shop", "forgotten"]])

    def test_question_04(self):
        said, = self.ask(4)
        names = {line.split()[1] for line in said.splitlines() if "AGE" not in line}
        self.assertEqual(names, {"spare", "old-token"})

    def test_question_05(self):
        said, = self.ask(5)
        self.assertEqual([line.split() for line in said.splitlines()[1:]],
                         [["ConfigReference", "Pod", "shop/web-c", "Secret", "shop/never-made"]])

    def test_question_06(self):
        said, = self.ask(6)
        self.assertEqual([line.split()[-1] for line in said.splitlines()][::3],
                         ["shop/front", "n1"])
        self.assertIn("IngressBackend -> Service shop/web", said)

    def test_question_07(self):
        self.ask(0)
        self.assertEqual(self.ask(7), ["n1|2\nn2|1\n"])

    def test_question_08(self):
        self.ask(0)
        self.assertEqual(self.ask(8), ["shop|idle\n"])

    def test_question_09(self):
        self.ask(0)
        first, second = self.ask(9)
        self.assertEqual(first, "web:1|3\nside:2|1\n")
        self.assertEqual(sorted(line.split() for line in second.splitlines()),
                         [["1", "web:1", "side:2"], ["2", "web:1"]])

    def test_question_10(self):
        self.ask(0)
        self.cluster.delete("Pod", "web-c", "shop")
        self.host_.until(lambda: len(self.host_.names("Pod")) == 2, describe="the pod to go")
        said, = self.ask(10)
        self.assertIn("- Pod shop/web-c\n", said)
        self.assertIn("- PodNodeBinding Pod shop/web-c -> Node n2\n", said)


if __name__ == "__main__":
    main()
