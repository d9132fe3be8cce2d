"""The API contract: relationships with open ends, and the graph around a root."""

from e2e.lib.case import ALL, PAGED, KindredTest, main
from e2e.lib.objects import (deployment, endpoint_slice, node, owner, pod, replica_set, service)

OWNER, NODE, ENDPOINT = "OwnerReference", "PodNodeBinding", "ServiceEndpoint"
WANT = {
    (OWNER, "Deployment/default/web", "ReplicaSet/default/web-1"),
    (OWNER, "ReplicaSet/default/web-1", "Pod/default/web-1-a"),
    (OWNER, "ReplicaSet/default/web-1", "Pod/default/web-1-b"),
    (NODE, "Pod/default/web-1-a", "Node//n1"),
    (NODE, "Pod/default/web-1-b", "Node//lost"),
    (ENDPOINT, "Service/default/web", "Pod/default/web-1-a"),
    (ENDPOINT, "Service/default/web", "Pod/default/web-1-b"),
}


class Relations(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.fake()
        made = self.cluster.add("Deployment", deployment("web"))
        made = self.cluster.add("ReplicaSet", replica_set("web-1", owner=owner("Deployment", made)))
        self.cluster.add("Node", node("n1"))
        for name, at in (("web-1-a", "n1"), ("web-1-b", "lost")):
            self.cluster.add("Pod", pod(name, node=at, owner=owner("ReplicaSet", made)))
        self.cluster.add("Service", service("web"))
        self.cluster.add("EndpointSlice", endpoint_slice(
            "web-x", "web", [("web-1-a", "10.0.0.1"), ("web-1-b", "10.0.0.2")]))
        self.host_ = self.ready(self.cluster, ALL, defaults=PAGED)
        self.host_.until(lambda: WANT <= self.host_.relations(), describe="the relations")

    def of_wanted(self, **query):
        return {r for r in self.host_.relations(**query) if r in WANT}

    def test_all_and_by_predicate(self):
        types = {t for t, _, _ in self.host_.relations()}
        self.assertLessEqual({OWNER, NODE, ENDPOINT}, types)
        for kind in (OWNER, NODE, ENDPOINT):
            self.assertEqual(self.of_wanted(predicate=kind), {r for r in WANT if r[0] == kind})
        self.assertEqual(self.host_.relations(predicate="Nonesuch"), set())

    def test_each_combination_of_ends(self):
        for subject in ("", "Pod/default/web-1-a", "Service/default/web"):
            for target in ("", "Pod/default/web-1-a", "Node//n1", "Node//lost"):
                for predicate in ("", NODE, ENDPOINT):
                    query = {k: v for k, v in (("subject", subject), ("object", target),
                                               ("predicate", predicate)) if v}
                    with self.subTest(query):
                        self.assertEqual(self.of_wanted(**query), {
                            r for r in WANT if predicate in ("", r[0])
                            and subject in ("", r[1]) and target in ("", r[2])})

    def test_group_after_the_kind(self):
        self.assertEqual(self.of_wanted(subject="Deployment.apps/default/web"),
                         {r for r in WANT if r[1] == "Deployment/default/web"})

    def test_shape_and_attributes(self):
        rows = {(r["predicate"]["type"], r["object"]["name"]): r
                for r in self.host_.relationships(limit=2)}
        for row in rows.values():
            for end in ("subject", "object"):
                self.assertEqual(set(row[end]), {"group", "version", "kind", "namespace", "name",
                                                 "uid"})
            self.assertIsInstance(row["resolved"], bool)
        owned = rows[OWNER, "web-1-a"]
        uid = self.cluster.get("ReplicaSet", "web-1")["metadata"]["uid"]
        self.assertEqual({k: owned["predicate"][k] for k in ("apiVersion", "kind", "name", "uid")},
                         {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1",
                          "uid": uid})
        self.assertEqual((owned["subject"]["group"], owned["subject"]["version"]), ("apps", "v1"))
        bound = rows[NODE, "n1"]
        self.assertEqual((bound["predicate"]["nodeName"], bound["resolved"]), ("n1", True))
        self.assertFalse(rows[NODE, "lost"]["resolved"])
        point = rows[ENDPOINT, "web-1-a"]["predicate"]
        self.assertEqual({k: point[k] for k in ("ip", "protocol", "portName")},
                         {"ip": "10.0.0.1", "protocol": "TCP", "portName": "http"})
        self.assertEqual(str(point["port"]), "8080")
        self.assertIn(point["ready"], (True, "true"))

    def test_pages(self):
        whole = self.host_.relationships()
        for limit in (1, 3):
            rows = self.host_.relationships(limit=limit)
            self.assertEqual(len(rows), len(whole))
        page = self.host_.api.json("/api/v1/relationships", limit=1)
        self.assertEqual(len(page["items"]), 1)
        self.assertTrue(page["continue"])
        self.assertIsInstance(page["seq"], int)

    def mentioned(self, root, **query):
        """Kind/namespace/name of each reference in the answer."""
        found = set()
        walk(self.host_.graph(root, **query), found)
        return found

    def test_graph_by_direction_and_depth(self):
        root = "Deployment/default/web"
        out = self.mentioned(root, depth=3, direction="out")
        self.assertLessEqual({root, "ReplicaSet/default/web-1", "Pod/default/web-1-a",
                              "Pod/default/web-1-b", "Node//n1"}, out)
        self.assertNotIn("Service/default/web", out)
        one = self.mentioned(root, depth=1, direction="out")
        self.assertIn("ReplicaSet/default/web-1", one)
        self.assertNotIn("Pod/default/web-1-a", one)
        into = self.mentioned("Pod/default/web-1-a", depth=1, direction="in")
        self.assertLessEqual({"Service/default/web", "ReplicaSet/default/web-1"}, into)
        self.assertNotIn("Node//n1", into)
        self.assertLessEqual({"Service/default/web", "Node//n1"},
                             self.mentioned("Pod/default/web-1-a", depth=1, direction="both"))

    def test_graph_of_one_predicate_and_as_dot(self):
        found = self.mentioned("Pod/default/web-1-a", depth=2, direction="both", predicate=NODE)
        self.assertIn("Node//n1", found)
        self.assertNotIn("Service/default/web", found)
        dot = self.host_.api.get("/api/v1/graph", root="Pod/default/web-1-a", depth=1,
                                 direction="both", format="dot").text
        self.assertTrue(dot.lstrip().startswith("digraph"), dot)
        self.assertIn("->", dot)
        self.assertEqual(dot.count("{"), dot.count("}"))


def walk(value, found):
    if isinstance(value, dict):
        if {"kind", "namespace", "name"} <= set(value):
            found.add(f"{value['kind']}/{value['namespace']}/{value['name']}")
        value = list(value.values())
    for item in value if isinstance(value, list) else []:
        walk(item, found)


if __name__ == "__main__":
    main()
