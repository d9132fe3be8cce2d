"""The API contract: kinds, plugins, resources."""

import re

from e2e.lib.case import ALL, PAGED, KindredTest, main
from e2e.lib.objects import deployment, node, owner, pod, replica_set

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
STATES = {"syncing", "synced", "forbidden", "notServed", "failing", "disabled"}


class Resources(KindredTest):
    @classmethod
    def build(cls, cluster):
        made = cluster.add("Deployment", deployment("web"))
        cluster.add("ReplicaSet", replica_set("web-1", owner=owner("Deployment", made)))
        for name in ("n1", "n2"):
            cluster.add("Node", node(name, zone=name))
        for number in range(6):
            cluster.add("Pod", pod(f"p{number}", "a" if number % 2 else "b",
                                   node=f"n{number % 2 + 1}",
                                   labels={"app": "web", "n": str(number)}))
        cluster.add("Pod", pod("other", "a", labels={"app": "db"}))

    def setUp(self):
        super().setUp()
        self.cluster = self.fake()
        self.build(self.cluster)
        self.host_ = self.ready(self.cluster, ALL, defaults=PAGED)

    def test_kinds(self):
        reply = self.host_.api.get("/api/v1/kinds")
        self.assertIn("application/json", reply.headers["content-type"])
        items = reply.json()["items"]
        self.assertEqual({i["kind"] for i in items}, {"Pod", "Node", "ReplicaSet", "Deployment",
                                                      "Service", "EndpointSlice"})
        for item in items:
            self.assertIn(item["state"], STATES)
            for key in ("kind", "group", "version", "resource", "plugin", "pluginVersion", "state",
                        "resourceVersion", "lastError"):
                self.assertIsInstance(item[key], str, key)
            for key in ("objects", "stored"):
                self.assertIsInstance(item[key], int, key)
            self.assertEqual({type(item["queue"][k]) for k in ("depth", "delayed")}, {int})
        found = self.host_.kind("Deployment")
        self.assertEqual({k: found[k] for k in ("group", "version", "resource", "plugin", "state",
                                                "objects", "stored", "lastError")},
                         {"group": "apps", "version": "v1", "resource": "deployments",
                          "plugin": "deployment", "state": "synced", "objects": 1, "stored": 1,
                          "lastError": ""})
        self.assertEqual(self.host_.kind("Pod")["group"], "")
        self.assertTrue(int(self.host_.kind("Pod")["resourceVersion"]) >= 100)

    def test_plugins(self):
        items = self.host_.api.json("/api/v1/plugins")["items"]
        self.assertEqual({i["name"] for i in items}, set(ALL))
        for item in items:
            self.assertEqual(set(item) & {"name", "file", "version", "abi", "state", "error",
                                          "expected", "found"},
                             {"name", "file", "version", "abi", "state", "error", "expected",
                              "found"})
            self.assertEqual((item["state"], item["error"]), ("loaded", ""))
            self.assertRegex(item["abi"], r"^\d+\.\d+$")
            self.assertTrue(item["file"].endswith(f"{item['name']}.so"))

    def test_a_resource(self):
        page = self.host_.api.json("/api/v1/resources", kind="Pod", namespace="a", name="p1")
        self.assertIsInstance(page["seq"], int)
        self.assertEqual((len(page["items"]), page["continue"]), (1, ""))
        item = page["items"][0]
        made = self.cluster.get("Pod", "p1", "a")
        self.assertEqual(item["ref"], {
            "group": "", "version": "v1", "kind": "Pod", "namespace": "a", "name": "p1",
            "uid": made["metadata"]["uid"]})
        self.assertEqual((item["labels"], item["annotations"]), ({"app": "web", "n": "1"}, {}))
        self.assertEqual(item["createdAt"], "2024-01-01T00:00:00Z")
        self.assertRegex(item["updatedAt"], STAMP)
        self.assertEqual(item["data"], {"kind": "Pod", "apiVersion": "v1", **made})

    def test_managed_fields_are_left_out(self):
        self.cluster.await_watch("Pod")
        self.cluster.modify("Pod", "p1", "a", change={"metadata": {
            "managedFields": [{"manager": "x", "fieldsV1": {"f:spec": {}}}],
            "annotations": {"note": "1"}}})
        self.host_.until(lambda: self.host_.resource("Pod", "p1", "a")["annotations"],
                         describe="the change")
        self.assertNotIn("managedFields", self.host_.resource("Pod", "p1", "a")["data"]["metadata"])

    def test_kind_by_any_of_its_names(self):
        for kind, count in (("Pod", 7), ("pods", 7), ("pod", 7), ("po", 7), ("Deployment", 1),
                            ("deployments", 1), ("deploy", 1), ("deployments.apps", 1),
                            ("Deployment.apps", 1), ("rs", 1), ("nodes", 2), ("no", 2)):
            with self.subTest(kind):
                self.assertEqual(len(self.host_.resources(kind)), count)

    def test_filters(self):
        for query, names in (
                ({"namespace": "b"}, ["p0", "p2", "p4"]),
                ({"name": "p1"}, ["p1"]),
                ({"labelSelector": "app=db"}, ["other"]),
                ({"labelSelector": "app=web,n!=0", "namespace": "b"}, ["p2", "p4"]),
                ({"labelSelector": "n in (1, 2)"}, ["p1", "p2"]),
                ({"labelSelector": "n notin (0,1,2,3,4)"}, ["other", "p5"]),
                ({"labelSelector": "!n"}, ["other"]),
                ({"labelSelector": "n,app==web", "namespace": "a"}, ["p1", "p3", "p5"]),
                ({"fieldSelector": "metadata.name=p3"}, ["p3"]),
                ({"fieldSelector": "metadata.namespace=a,metadata.name!=other"},
                 ["p1", "p3", "p5"]),
                ({"fieldSelector": "spec.nodeName=n1"}, ["p0", "p2", "p4"]),
                ({"fieldSelector": "spec.nodeName=n2", "labelSelector": "n=3"}, ["p3"]),
                ({"labelSelector": "app=none"}, [])):
            with self.subTest(query):
                self.assertEqual(self.host_.names("Pod", **query), names)

    def test_pages(self):
        for limit in (1, 2, 3, 7, 100):
            with self.subTest(limit):
                page = self.host_.api.json("/api/v1/resources", kind="Pod", limit=limit)
                self.assertEqual(len(page["items"]), min(limit, 7))
                self.assertEqual(bool(page["continue"]), limit < 7)
                names = [i["ref"]["name"] for i in self.host_.resources("Pod", limit=limit)]
                self.assertEqual((len(names), len(set(names))), (7, 7))

    def test_pages_while_things_change(self):
        """What stays all along is seen exactly once."""
        self.cluster.await_watch("Pod")
        page = self.host_.api.json("/api/v1/resources", kind="Pod", limit=3)
        first = [i["ref"]["name"] for i in page["items"]]
        self.cluster.delete("Pod", first[0], page["items"][0]["ref"]["namespace"])
        self.cluster.add("Pod", pod("zz", "a", labels={}))
        self.host_.until(lambda: "zz" in self.host_.names("Pod"), describe="the change")
        names = list(first)
        while page["continue"]:
            page = self.host_.api.json("/api/v1/resources", kind="Pod", limit=3,
                                       **{"continue": page["continue"]})
            names += [i["ref"]["name"] for i in page["items"]]
        stayed = {"p0", "p1", "p2", "p3", "p4", "p5", "other"}
        self.assertEqual(sorted(n for n in names if n in stayed), sorted(stayed))


if __name__ == "__main__":
    main()
