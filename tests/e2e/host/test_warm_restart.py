"""A restart with a store file: the graph is there at once, watches go on, nothing is listed."""

import os
import shutil
import sqlite3

from e2e.lib import env
from e2e.lib.case import KindredTest, main
from e2e.lib.objects import node, pod

KINDS = ("pod", "node")
PODS, NODES = "/api/v1/pods", "/api/v1/nodes"


class WarmRestart(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.new_cluster()
        self.kinds = list(KINDS)

    def new_cluster(self, pods=50):
        cluster = self.fake(kinds=["Pod", "Node", "Namespace"])
        cluster.add("Namespace", {"apiVersion": "v1", "kind": "Namespace",
                                  "metadata": {"name": "kube-system"}})
        for i in range(3):
            cluster.add("Node", node(f"n{i}"))
        for i in range(pods):
            cluster.add("Pod", pod(f"p{i:02}", node=f"n{i % 3}", labels={"app": f"a{i % 5}"}))
        return cluster

    def first(self, **over):
        """A host that has run and ended well."""
        host = self.host(self.cluster, self.kinds, store={"path": self.path("g.db")}, **over)
        host.start().wait_ready()
        host.wait_stored("Pod", len(self.cluster.objects("Pod")))
        return host

    def lists(self, path=None):
        """Requests for a whole kind, as pages or as a stream."""
        return [r for r in self.cluster.log.all() if r.path in ((path,) if path else (PODS, NODES))
                and ("watch" not in r.query or "sendInitialEvents" in r.query)]

    def first_watch(self, path, since):
        found = [r for r in self.cluster.log.all()[since:] if r.path == path and "watch" in r.query]
        return found[0].query if found else {}

    def again(self, host):
        """Starts it anew; gives how many requests there were before."""
        before = len(self.cluster.log.all())
        host.start().wait_ready()
        return before

    def assert_resumed(self, before, path=PODS):
        seen = self.cluster.log.all()[before:]
        self.assertEqual([r.query for r in seen if r.path == path
                          and "sendInitialEvents" in r.query or r.path == path
                          and "watch" not in r.query], [], "a list")
        self.assertNotEqual(self.first_watch(path, before).get("resourceVersion", ""), "")

    def assert_listed(self, before, path=PODS):
        seen = self.cluster.log.all()[before:]
        self.assertTrue([r for r in seen if r.path == path and
                         ("watch" not in r.query or "sendInitialEvents" in r.query)], "no list")

    def assert_same(self, host):
        pods = {o["metadata"]["name"]: o["metadata"]["resourceVersion"]
                for o in self.cluster.objects("Pod")}
        host.until(lambda: pods == {r["ref"]["name"]: r["data"]["metadata"]["resourceVersion"]
                                    for r in host.resources("Pod")}, describe="the same pods")
        self.assertEqual(host.kind("Pod")["objects"], len(pods))

    def test_nothing_is_listed(self):
        host = self.first()
        self.assertEqual(host.stop(), 0)
        before = self.again(host)
        self.assert_resumed(before)
        self.assert_resumed(before, NODES)
        self.assert_same(host)
        self.assertTrue(host.logged("kind resumed", '"Pod"', '"objects":50'))

    def test_what_happened_meanwhile_comes_as_changes(self):
        host = self.first()
        seq = host.seq()
        self.assertEqual(host.stop(), 0)
        self.cluster.delete("Pod", "p07")
        self.cluster.add("Pod", pod("new", node="n1"))
        self.cluster.modify("Pod", "p03", change={"spec": {"nodeName": "n1"}})
        self.cluster.delete("Pod", "p04")
        self.cluster.add("Pod", pod("p04", node="n2"))
        before = self.again(host)
        self.assert_resumed(before)
        self.assert_same(host)
        names = {(c["type"], c["resource"]["name"]) for c in host.changes(seq) if "resource" in c}
        self.assertLessEqual({("delete", "p07"), ("put", "new"), ("put", "p03"),
                              ("delete", "p04"), ("put", "p04")}, names)
        self.assertFalse({n for _, n in names} & {"p00", "p01", "p02"}, "untouched")

    def test_after_a_kill(self):
        host = self.first()
        host.until(lambda: self.marked(host), describe="a mark in the file")
        for i in range(20):
            self.cluster.modify("Pod", f"p{i:02}", change={"metadata": {"labels": {"x": str(i)}}})
        host.process.kill()
        host.wait_exit()
        before = self.again(host)
        self.assert_resumed(before)
        self.assert_same(host)
        self.assertEqual(host.ctl("store", "check")[:2], (0, "ok\n"))

    def marked(self, _):
        with sqlite3.connect(self.path("g.db"), timeout=10) as handle:
            return handle.execute("SELECT count(*) FROM mark").fetchone()[0] == len(KINDS)

    def test_a_version_that_is_gone(self):
        host = self.first()
        seq = host.seq()
        self.assertEqual(host.stop(), 0)
        self.cluster.delete("Pod", "p07")
        self.cluster.compact()
        before = self.again(host)
        self.assert_listed(before)
        self.assert_same(host)
        self.assertEqual(self.deleted(host, seq), {"p07"})

    def deleted(self, host, seq):
        """Pods that one who had read up to `seq` sees go."""
        return {c["resource"]["name"] for c in host.changes(seq)
                if c["type"] == "delete" and c["resource"]["kind"] == "Pod"}

    def test_a_kind_that_is_left_out_for_a_while(self):
        """Its changes meanwhile are found when it is back, whatever its mark says."""
        host = self.first()
        seq = host.seq()
        self.assertEqual(host.stop(), 0)
        without = self.host(self.cluster, ["node"], store={"path": self.path("g.db")})
        without.start().wait_ready()
        self.cluster.delete("Pod", "p07")
        self.cluster.add("Pod", pod("new", node="n1"))
        self.cluster.modify("Pod", "p03", change={"spec": {"nodeName": "n1"}})
        self.assertEqual(without.stop(), 0)
        self.again(host)
        self.assert_same(host)
        self.assertIn("p07", self.deleted(host, seq))
        self.assertEqual(host.ctl("store", "check")[:2], (0, "ok\n"))

    def test_another_version_of_a_plugin(self):
        plugins = env.copy_plugins(self.path("plugins"), *KINDS)
        host = self.first(plugins={"directory": plugins})
        seq = host.seq()
        self.assertEqual(host.stop(), 0)
        self.cluster.delete("Pod", "p07")
        with open(os.path.join(plugins, "pod.so"), "ab") as file:
            file.write(b"another build")  # behind what a loader reads
        before = self.again(host)
        self.assert_listed(before)
        self.assert_resumed(before, NODES)
        self.assert_same(host)
        self.assertEqual(self.deleted(host, seq), {"p07"})

    def test_another_scope(self):
        host = self.first()
        seq = host.seq()
        self.assertEqual(host.stop(), 0)
        self.kinds[0] = {"plugin": "pod", "label_selector": "app=a1"}
        other = self.host(self.cluster, self.kinds, store={"path": self.path("g.db")})
        before = self.again(other)
        self.assert_listed(before)
        self.assert_resumed(before, NODES)
        other.until(lambda: len(other.names("Pod")) == 10, describe="what is selected")
        self.assertEqual(len(self.deleted(other, seq)), 40)
        self.assertEqual(other.stop(), 0)
        before = self.again(host)           # the mark of the first scope went with the second one
        self.assert_listed(before)
        self.assert_same(host)

    def test_another_cluster(self):
        host = self.first()
        seq = host.seq()
        self.assertEqual(host.stop(), 0)
        port = self.cluster.server.port
        self.cluster.stop()
        self.cluster = self.fake(kinds=["Pod", "Node", "Namespace"], port=port)
        self.cluster.add("Namespace", {"apiVersion": "v1", "kind": "Namespace",
                                       "metadata": {"name": "kube-system"}})
        self.cluster.add("Pod", pod("other"))
        before = self.again(host)
        self.assert_listed(before)
        self.assert_same(host)
        self.assertEqual(len(self.deleted(host, seq)), 50)

    def test_a_cluster_that_does_not_say_who_it_is(self):
        self.cluster.delete("Namespace", "kube-system")
        host = self.first()
        self.assertEqual(host.stop(), 0)
        before = self.again(host)
        self.assert_listed(before)
        self.assert_same(host)
        self.assertTrue(host.logged("does not say who it is"))

    def test_keys_under_way_are_asked_for(self):
        """A plugin that fails for a while: its keys stand in the mark as pending."""
        plugins = env.copy_plugins(self.path("plugins"), *KINDS)
        target = os.path.join(plugins, "trouble.so")
        shutil.copyfile(os.path.join(env.test_plugin_folder(), "trouble.so"), target)
        os.chmod(target, 0o755)
        self.kinds.append({"plugin": "trouble", "settings": {
            "mode": "fail-while", "file": self.path("trouble")}, "backoff_base": "300s"})
        host = self.first(plugins={"directory": plugins})
        with open(self.path("trouble"), "w", encoding="ascii"):
            pass
        for name in ("p01", "p02"):
            self.cluster.modify("Pod", name, change={"metadata": {"labels": {"x": "1"}}})
        host.until(lambda: len(host.logged("reconcile failed")) >= 2, describe="two failures")
        self.assertEqual(host.stop(), 0)
        self.cluster.delete("Pod", "p02")
        os.unlink(self.path("trouble"))
        before = self.again(host)
        self.assert_resumed(before)
        asked = {r.path.rsplit("/", 1)[-1] for r in self.cluster.log.all()[before:]
                 if r.path.startswith("/api/v1/namespaces/default/pods/")}
        self.assertEqual(asked, {"p01", "p02"})
        self.assert_same(host)


if __name__ == "__main__":
    main()
