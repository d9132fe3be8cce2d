"""B27: one object of an unexpected shape does not harm the others of its kind."""

import copy

from e2e.lib.case import ALL, KIND_OF, PAGED, KindredTest, main
from e2e.lib.objects import endpoint_slice, node, pod, service

PODS = "/api/v1/pods"
HANG = {"chunks": [], "end": "hang"}

# Sections that replace those of a good object; every plugin gets those that it reads.
SHAPES = {
    "pod": [{"spec": {"nodeName": 17, "containers": "none"}}, {"spec": []}, {"spec": None},
            {"spec": {"nodeName": {"a": 1}, "volumes": {"x": [1]}}}, {"status": "Running"},
            {"spec": {"volumes": [None, 7, "x", {"name": 3, "secret": "s"}]}}],
    "node": [{"spec": 3}, {"status": {"conditions": {"type": "Ready"}}},
             {"status": {"addresses": "10.0.0.1"}}],
    "service": [{"spec": {"selector": "app=x", "ports": 80}}, {"spec": {"selector": ["a"]}},
                {"spec": {"selector": {"app": 5, "b": None}, "ports": [80, None]}}],
    "replicaset": [{"spec": {"replicas": "three", "selector": 5}}, {"status": []}],
    "deployment": [{"spec": "x"}, {"spec": {"selector": {"matchLabels": []}}}],
    "endpointslice": [{"endpoints": {"a": 1}}, {"endpoints": None}, {"ports": "http"},
                      {"endpoints": [None, 5, {"addresses": "10.0.0.1", "targetRef": "pod"},
                                     {"addresses": [7], "conditions": {"ready": "yes"},
                                      "targetRef": {"kind": 1, "name": {}}}]},
                      {"ports": [{"port": "http", "name": 1, "protocol": []}, 9]}],
}
META = [{"labels": "app=x"}, {"labels": ["a"]}, {"labels": {"a": 5, "b": None, "c": {}}},
        {"annotations": 7}, {"ownerReferences": {"kind": "Node"}},
        {"ownerReferences": [None, "x", {"kind": 5, "name": [], "uid": None}]},
        {"creationTimestamp": 17}, {"uid": 5}, {"finalizers": "x"}]


def good(plugin, name):
    made = {"node": lambda: node(name), "service": lambda: service(name),
            "endpointslice": lambda: endpoint_slice(name, "s", [("p", "10.0.0.1")])}
    return made.get(plugin, lambda: pod(name))()


class BadObject(KindredTest):
    def check_named_or_kept(self, host, kind, name):
        """Either the raw object is in the graph, or the log names it and it is counted."""
        if name in host.names(kind):
            return
        self.assertTrue(host.logged(name), f"{name} is neither stored nor named")
        self.assertTrue(any(n >= 1 for _, _, n in host.metrics().search(
            r"errors_total|skipped|rejected|dropped|bad_objects|invalid")))

    def test_a_bad_pod_between_two_good_ones(self):
        cluster = self.fake()
        for name in ("a", "bad", "c"):
            cluster.add("Pod", pod(name, node="n1"))
        bad = {"nodeName": 17, "containers": "none"}
        cluster.modify("Pod", "bad", spec=bad)
        host = self.ready(cluster, defaults=PAGED)
        self.assertLessEqual({"a", "c"}, set(host.names("Pod")))
        bound = {s for t, s, _ in host.relations(predicate="PodNodeBinding")}
        self.assertEqual(bound, {"Pod/default/a", "Pod/default/c"})
        cluster.await_watch("Pod")
        cluster.modify("Pod", "c", spec=bad)
        cluster.add("Pod", pod("d", node="n1"))
        host.until(lambda: "d" in host.names("Pod"), describe="the object after the bad one")
        host.until(lambda: "Pod/default/c" not in {
            s for t, s, _ in host.relations(predicate="PodNodeBinding")},
            describe="no binding of the pod that turned bad")
        self.check_named_or_kept(host, "Pod", "bad")
        self.assertEqual(len(cluster.log.watches(PODS)), 1, cluster.log.text())
        self.assert_lists(cluster, PODS, 1)

    def test_every_plugin_with_every_shape(self):
        cluster = self.fake()
        bad = []
        for plugin in ALL:
            kind = KIND_OF[plugin]
            cluster.add(kind, good(plugin, f"{plugin}-first"))
            for number, shape in enumerate(SHAPES[plugin]):
                bad.append((kind, f"{plugin}-bad{number}"))
                cluster.add(kind, {**good(plugin, bad[-1][1]), **copy.deepcopy(shape)})
            for number, meta in enumerate(META):
                made = good(plugin, f"{plugin}-meta{number}")
                made["metadata"].update(copy.deepcopy(meta))
                bad.append((kind, made["metadata"]["name"]))
                cluster.add(kind, made)
        host = self.ready(cluster, ALL, defaults=PAGED)
        for plugin in ALL:
            kind = KIND_OF[plugin]
            cluster.await_watch(kind)
            for number, shape in enumerate(SHAPES[plugin]):
                name = f"{plugin}-bad{number}"
                cluster.modify(kind, name, **copy.deepcopy(shape), extra={"turn": 2})
            cluster.add(kind, good(plugin, f"{plugin}-last"))
        for plugin in ALL:
            kind = KIND_OF[plugin]
            host.until(lambda k=kind, p=plugin: {f"{p}-first", f"{p}-last"} <= set(host.names(k)),
                       describe=f"the good ones of {kind}")
            self.assertEqual(host.kind(kind)["state"], "synced")
            at = next(k.path for k in cluster.kinds if k.kind == kind)
            self.assertEqual(len(cluster.log.watches(at)), 1, cluster.log.text())
        for kind, name in bad:
            with self.subTest(name):
                self.check_named_or_kept(host, kind, name)

    def scripted(self, items, lines):
        cluster = self.fake()
        rest = [pod("a"), pod("z")]
        for number, made in enumerate(rest):
            made["metadata"].update(resourceVersion=str(10 + number), uid=f"u{number}")
        cluster.override("GET", PODS, {"list": {"resourceVersion": "20", "items": [
            rest[0], *items, rest[1]]}}, watch=False)
        after = {"kind": "Pod", "apiVersion": "v1", **copy.deepcopy(rest[1])}
        after["metadata"].update(name="after", resourceVersion="99", uid="u9")
        cluster.override("GET", PODS, {"lines": [*lines, {"type": "ADDED", "object": after}],
                                       "end": "hang"}, HANG, watch=True)
        host = self.started(cluster, defaults=PAGED)
        host.until(lambda: {"a", "z", "after"} <= set(host.names("Pod")), 30, "the good ones")
        return cluster, host

    def test_items_that_are_no_objects(self):
        items = [None, 7, "x", [], [{"metadata": {"name": "in"}}], {}, {"metadata": None},
                 {"metadata": []}, {"metadata": {"namespace": "default"}},
                 {"metadata": {"name": 5, "namespace": "default"}},
                 {"metadata": {"name": "", "namespace": "default"}}]
        cluster, host = self.scripted(items, [])
        self.assertEqual(host.names("Pod"), ["a", "after", "z"])
        self.assert_lists(cluster, PODS, 1)
        self.assertTrue(host.logged("pods") or host.logged("Pod"))

    def test_events_that_are_none(self):
        lines = [{"type": "ADDED", "object": None}, {"type": "MODIFIED", "object": 7},
                 {"type": "FROBNICATED", "object": {"metadata": {"name": "f"}}},
                 {"type": "ADDED", "object": {"metadata": {"namespace": "default"}}},
                 {"type": "DELETED", "object": {"kind": "Pod", "metadata": {
                     "name": "never", "namespace": "default", "resourceVersion": "30"}}}]
        cluster, host = self.scripted([], lines)
        self.assertEqual(host.names("Pod"), ["a", "after", "z"])
        self.assertEqual(len(cluster.log.watches(PODS)), 1, cluster.log.text())


if __name__ == "__main__":
    main()
