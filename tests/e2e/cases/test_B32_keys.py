"""B32: the queue holds keys; what a reconcile sees is the cache, not an old event."""

import json

from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import node, obj, pod

PODS = "/api/v1/pods"
BINDING = ("PodNodeBinding", "Pod/default/p", "Node//n9")


def event(kind, what, name, rv, uid, namespace="default", **spec):
    meta = {"name": name, "uid": uid, "resourceVersion": str(rv), "namespace": namespace}
    return {"type": what, "object": {"kind": kind, "apiVersion": "v1", "metadata": meta,
                                     "spec": spec}}


class Keys(KindredTest):
    def begin(self):
        self.cluster = self.fake()
        host = self.ready(self.cluster, ["pod", "node"], defaults=PAGED)
        self.cluster.await_watch("Pod")
        self.cluster.await_watch("Node")
        return host

    def test_a_pod_does_not_wait_for_its_node(self):
        host = self.begin()
        self.cluster.add("Pod", pod("p", node="n9"))
        host.until(lambda: host.names("Pod") == ["p"], describe="the pod")
        host.until(lambda: BINDING in host.relations(), describe="its binding")
        found = host.relationships(predicate="PodNodeBinding")[0]
        self.assertEqual((found["predicate"]["nodeName"], found["resolved"]), ("n9", False))
        self.cluster.delete("Pod", "p")
        self.cluster.add("Node", node("n9"))
        host.until(lambda: host.names("Node") == ["n9"] and not host.names("Pod"),
                   describe="the node alone")
        self.assertEqual(host.relations(), set())

    def test_the_binding_is_resolved_when_the_node_comes(self):
        host = self.begin()
        self.cluster.add("Pod", pod("p", node="n9"))
        host.until(lambda: BINDING in host.relations(), describe="the binding")
        self.cluster.add("Node", node("n9"))
        host.until(lambda: [r["resolved"] for r in host.relationships(
            predicate="PodNodeBinding")] == [True], describe="the resolved binding")
        self.cluster.delete("Node", "n9")
        host.until(lambda: [r["resolved"] for r in host.relationships(
            predicate="PodNodeBinding")] == [False], describe="the unresolved binding")
        self.assertEqual(host.names("Pod"), ["p"])

    def burst(self, lines):
        """All events in one write, so that they meet in the queue."""
        self.cluster = self.fake()
        last = event("Pod", "ADDED", "last", 9000, "ul")
        text = "".join(json.dumps(line) + "\n" for line in [*lines, last])
        self.cluster.override("GET", PODS, {"chunks": [{"gate": "go"}, text], "end": "hang"},
                              watch=True)
        host = self.ready(self.cluster, ["pod", "node"], defaults=PAGED)
        self.cluster.server.gates.open("go")
        host.until(lambda: "last" in host.names("Pod"), describe="the last event")
        return host

    def test_added_and_deleted_at_once(self):
        host = self.burst([event("Pod", "ADDED", "p", 201, "u1", nodeName="n9"),
                           event("Pod", "DELETED", "p", 202, "u1", nodeName="n9")])
        host.until(lambda: host.names("Pod") == ["last"], describe="no p")
        self.assertEqual(host.relations(), set())

    def test_deleted_and_made_again_at_once(self):
        host = self.burst([event("Pod", "ADDED", "p", 201, "u1", nodeName="n1"),
                           event("Pod", "DELETED", "p", 202, "u1", nodeName="n1"),
                           event("Pod", "ADDED", "p", 203, "u2", nodeName="n9")])
        host.until(lambda: (host.resource("Pod", "p") or {"ref": {}})["ref"].get("uid") == "u2",
                   describe="the new pod")
        host.until(lambda: host.relations() == {BINDING}, describe="the new binding alone")

    def test_many_changes_of_one_key_end_with_the_last(self):
        lines = [event("Pod", "MODIFIED", "p", 300 + i, "u1", nodeName=f"n{i % 9 + 1}")
                 for i in range(500)]
        host = self.burst([event("Pod", "ADDED", "p", 201, "u1"), *lines,
                           event("Pod", "MODIFIED", "p", 900, "u1", nodeName="n9")])
        host.until(lambda: host.relations() == {BINDING}, describe="the last binding alone")
        adds = host.metrics().value("workqueue_adds_total", name="pod")
        self.assertLessEqual(adds, 503)
        self.assertEqual(host.kind("Pod")["queue"]["depth"], 0)

    def test_a_deletion_is_not_undone_by_what_came_before(self):
        host = self.begin()
        for turn in range(20):
            self.cluster.add("Pod", pod("p", node="n9"))
            self.cluster.modify("Pod", "p", change={"metadata": {"labels": {"t": str(turn)}}})
            self.cluster.delete("Pod", "p")
        self.cluster.add("Pod", obj("Pod", "last", "default", spec={}))
        host.until(lambda: host.names("Pod") == ["last"], describe="the last pod alone")
        self.assertEqual(host.relations(), set())


if __name__ == "__main__":
    main()
