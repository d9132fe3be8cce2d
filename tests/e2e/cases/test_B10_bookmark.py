"""B10: a bookmark moves the version and nothing else."""

import wire
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.waiting import stays

DEPLOYMENTS = "/apis/apps/v1/deployments"
PATHS = {"pod": ("Pod", "v1", "/api/v1/pods"), "node": ("Node", "v1", "/api/v1/nodes"),
         "service": ("Service", "v1", "/api/v1/services"),
         "replicaset": ("ReplicaSet", "apps/v1", "/apis/apps/v1/replicasets"),
         "deployment": ("Deployment", "apps/v1", DEPLOYMENTS),
         "endpointslice": ("EndpointSlice", "discovery.k8s.io/v1",
                           "/apis/discovery.k8s.io/v1/endpointslices")}
HOLLOW = {"selector": None, "strategy": {},
          "template": {"metadata": {"creationTimestamp": None}, "spec": {"containers": None}}}


def bookmark(kind, api_version, rv, **sections):
    meta = {"resourceVersion": rv, "creationTimestamp": None}
    return ("BOOKMARK", {"kind": kind, "apiVersion": api_version, "metadata": meta, **sections})


def listing(kind, api_version, rv, *items):
    return {"list": {"kind": f"{kind}List", "apiVersion": api_version, "resourceVersion": rv,
                     "items": list(items)}}


class Bookmark(KindredTest):
    def begin(self, plugin, *watches, items=()):
        self.kind, self.api_version, self.at = PATHS[plugin]
        self.cluster = self.fake()
        self.cluster.override("GET", self.at, listing(self.kind, self.api_version, "10", *items),
                              watch=False)
        self.cluster.override("GET", self.at, *watches, {"chunks": [], "end": "hang"}, watch=True)
        return self.started(self.cluster, [plugin], defaults=PAGED)

    def versions(self, count=2):
        seen = self.cluster.log.wait(count, path=self.at, verb="watch")
        return [r.query.get("resourceVersion", "") for r in seen]

    def check_resumed(self, *versions):
        self.assertEqual(self.versions(len(versions)), list(versions))
        self.assert_lists(self.cluster, self.at, 1)

    def test_a_hollow_bookmark_is_where_the_next_watch_starts(self):
        self.begin("deployment", wire.watch(
            bookmark("Deployment", "apps/v1", "900", spec=HOLLOW, status={}), end="keep"))
        self.check_resumed("10", "900")

    def test_each_kind(self):
        for plugin, (kind, api_version, _) in PATHS.items():
            with self.subTest(plugin):
                self.begin(plugin, wire.watch(bookmark(
                    kind, api_version, "900", spec={"containers": None, "ports": None},
                    status={}, endpoints=None), end="keep"))
                self.check_resumed("10", "900")
                self._hosts[-1].stop()

    def test_it_is_no_object_and_no_event(self):
        node = {"metadata": {"name": "n1", "resourceVersion": "9", "uid": "u1"}}
        host = self.begin("node", wire.watch(
            {"gate": "send"}, bookmark("Node", "v1", "900", spec={}, status={}),
            {"gate": "end"}, end="keep"), items=[node])
        host.wait_ready()
        seq = host.changes()[-1]["seq"]
        done = host.metrics().value("controller_runtime_reconcile_total", controller="node")
        self.cluster.server.gates.open("send")
        host.until(lambda: host.kind("Node")["resourceVersion"] == "900",
                   describe="the bookmark's version")
        stays(lambda: host.kind("Node")["stored"] == 1, 0.5, "one node stored")
        self.assertEqual(host.kind("Node")["objects"], 1)
        self.assertEqual(host.changes(since=seq), [])
        self.assertEqual(
            host.metrics().value("controller_runtime_reconcile_total", controller="node"), done)
        self.cluster.server.gates.open("end")
        self.check_resumed("10", "900")

    def test_a_bookmark_among_events(self):
        host = self.begin("node", wire.watch(
            ("ADDED", {"kind": "Node", "apiVersion": "v1", "metadata": {
                "name": "n1", "uid": "u1", "resourceVersion": "20"}}),
            bookmark("Node", "v1", "30"),
            ("MODIFIED", {"kind": "Node", "apiVersion": "v1", "metadata": {
                "name": "n1", "uid": "u1", "resourceVersion": "31", "labels": {"a": "b"}}}),
            bookmark("Node", "v1", "45"), end="keep"))
        self.check_resumed("10", "45")
        host.wait_ready()
        self.assertEqual(host.resource("Node", "n1", "")["labels"], {"a": "b"})

    def test_any_end_any_key_order_any_cut(self):
        line = (b'{"object":{"metadata":{"annotations":{"x":"{\\"type\\":\\"ADDED\\"}"},'
                b'"creationTimestamp":null,"resourceVersion":"900"},"status":{},'
                b'"apiVersion":"v1","kind":"Node"},"type":"BOOKMARK"}\n')
        for end in ("keep", "close", "cut", "reset"):
            with self.subTest(end):
                host = self.begin("node", {"chunks": [line, {"gate": "end"}], "every": 1,
                                           "end": end})
                host.wait_api()
                host.until(lambda h=host: h.kind("Node")["resourceVersion"] == "900",
                           describe="the bookmark is read")
                self.cluster.server.gates.open("end")
                self.assertEqual(self.versions(2), ["10", "900"])
                self._hosts[-1].stop()

    def test_a_bookmark_without_a_version_moves_nothing(self):
        for meta in ({}, {"resourceVersion": ""}, None):
            with self.subTest(meta=meta):
                self.begin("node", wire.watch(
                    bookmark("Node", "v1", "900"),
                    ("BOOKMARK", {"kind": "Node", "apiVersion": "v1", "metadata": meta}),
                    end="keep"))
                self.assertEqual(self.versions(2), ["10", "900"])
                self._hosts[-1].stop()

    def test_the_watch_asks_for_bookmarks(self):
        self.begin("pod")
        watch = self.cluster.log.wait(1, path=self.at, verb="watch")[0]
        self.assertEqual(watch.query.get("allowWatchBookmarks"), "true")


if __name__ == "__main__":
    main()
