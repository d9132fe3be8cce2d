"""B26: every change reaches the graph; equal versions and declared noise cause no work."""

from e2e.cases.pace import PODS, meta
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import node, pod
from e2e.lib.waiting import stays


def reconciled(host, kind):
    return host.metrics().value("controller_runtime_reconcile_total", controller=kind)


class EveryChange(KindredTest):
    def check_each(self, kind, plugin, name, space, changes):
        """Each change alone, as MODIFIED, becomes visible in the resource's data."""
        for what, (change, seen) in changes.items():
            with self.subTest(what):
                self.cluster.modify(kind, name, change=change)
                self.host_.until(
                    lambda s=seen: s(self.host_.resource(kind, name, space)["data"]),
                    describe=what)

    def test_the_four_of_the_case(self):
        self.cluster = self.fake()
        self.cluster.add("Pod", pod("a", node="n1"))
        self.host_ = host = self.ready(self.cluster, defaults=PAGED)
        self.cluster.await_watch("Pod")
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "u-rs"}
        self.check_each("Pod", "pod", "a", "default", {
            "deletionTimestamp": ({"metadata": {"deletionTimestamp": "2030-01-01T00:00:00Z"}},
                                  lambda d: "deletionTimestamp" in d["metadata"]),
            "status.podIP": ({"status": {"podIP": "10.1.2.3"}},
                             lambda d: d["status"].get("podIP") == "10.1.2.3"),
            "an annotation": ({"metadata": {"annotations": {"x": "y"}}},
                              lambda d: d["metadata"].get("annotations") == {"x": "y"}),
            "ownerReferences": ({"metadata": {"ownerReferences": [owner]}},
                                lambda d: d["metadata"].get("ownerReferences") == [owner])})
        self.assertIn(("OwnerReference", "ReplicaSet/default/rs", "Pod/default/a"),
                      host.relations(predicate="OwnerReference"))
        self.assertEqual(reconciled(host, "pod"), 5)

    def test_more_of_the_kind(self):
        self.cluster = self.fake()
        self.cluster.add("Pod", pod("a", labels={"app": "x"}))
        self.host_ = self.ready(self.cluster, defaults=PAGED)
        self.cluster.await_watch("Pod")
        self.check_each("Pod", "pod", "a", "default", {
            "a label": ({"metadata": {"labels": {"app": "y"}}},
                        lambda d: d["metadata"]["labels"] == {"app": "y"}),
            "a label goes": ({"metadata": {"labels": None}},
                             lambda d: "labels" not in d["metadata"]),
            "a finalizer": ({"metadata": {"finalizers": ["f"]}},
                            lambda d: d["metadata"].get("finalizers") == ["f"]),
            "a node": ({"spec": {"nodeName": "n9"}}, lambda d: d["spec"].get("nodeName") == "n9"),
            "a section of its own": ({"extra": {"k": [1, None]}},
                                     lambda d: d.get("extra") == {"k": [1, None]}),
            "status goes": ({"status": None}, lambda d: "status" not in d),
            "the owners' order": ({"metadata": {"generation": 3}},
                                  lambda d: d["metadata"].get("generation") == 3)})

    def test_equal_versions_are_dropped(self):
        """What a resync or a second delivery repeats, even when the content claims to differ."""
        cluster = self.fake()
        again = {"kind": "Pod", "apiVersion": "v1", **meta("a", 20, spec={"nodeName": "n1"})}
        last = {"kind": "Pod", "apiVersion": "v1", **meta("z", 30)}
        cluster.override("GET", PODS, {"list": {"resourceVersion": "20", "items": [
            meta("a", 20, spec={"nodeName": "n1"})]}}, watch=False)
        cluster.override("GET", PODS, {"lines": [
            {"gate": "go"}, *[{"type": "MODIFIED", "object": again}] * 3,
            {"type": "ADDED", "object": last}], "end": "hang"}, watch=True)
        host = self.ready(cluster, defaults=PAGED)
        self.assertEqual(reconciled(host, "pod"), 1)
        seq = host.seq()
        cluster.server.gates.open("go")
        host.wait_stored("Pod", 2)
        self.assertEqual(reconciled(host, "pod"), 2)
        self.assertFalse([c for c in host.changes(since=seq) if '"a"' in str(c).replace("'", '"')])

    def test_noise_alone_causes_no_work_but_is_taken(self):
        cluster = self.fake()
        made = node("n1")
        made["status"]["conditions"][0]["lastHeartbeatTime"] = "2024-01-01T00:00:00Z"
        cluster.add("Node", made)
        host = self.ready(cluster, ["node"], defaults=PAGED)
        cluster.await_watch("Node")
        done = reconciled(host, "node")

        def beat(obj, ready="True"):
            obj["status"]["conditions"][0].update(lastHeartbeatTime="2025-05-05T00:00:00Z",
                                                  status=ready)
        cluster.modify("Node", "n1", change=beat)
        host.until(lambda: host.kind("Node")["resourceVersion"] == str(cluster.rv),
                   describe="the heart-beat is read")
        stays(lambda: reconciled(host, "node") == done, 0.5, "no work for a heart-beat")
        cluster.modify("Node", "n1", change=lambda obj: beat(obj, "False"))
        host.until(lambda: reconciled(host, "node") == done + 1, describe="work for a condition")
        host.until(lambda: host.resource("Node", "n1", "")["data"]["status"]["conditions"][0]
                   ["status"] == "False", describe="the condition")

    def test_changes_during_a_cut_are_seen_by_the_list(self):
        cluster = self.fake()
        cluster.add("Pod", pod("a"))
        host = self.ready(cluster, defaults=PAGED)
        cluster.await_watch("Pod")
        gate = cluster.hold("Pod", "watch")
        cluster.close_watches("Pod", "reset")
        cluster.modify("Pod", "a", change={"status": {"podIP": "10.9.9.9"}})
        cluster.compact("Pod")
        gate.open()
        host.until(lambda: host.resource("Pod", "a")["data"]["status"].get("podIP") == "10.9.9.9",
                   describe="the change from the list")


if __name__ == "__main__":
    main()
