"""The API's questions: a path between two resources, impact, orphans, unresolved references."""

from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import deployment, endpoint_slice, node, owner, pod, replica_set, service

KINDS = ("pod", "node", "replicaset", "deployment", "service", "endpointslice", "configmap")
WEB, RS, A, B, LONE = ("Deployment/default/web", "ReplicaSet/default/web-1", "Pod/default/web-1-a",
                       "Pod/default/web-1-b", "Pod/default/lone")
SERVICE, N1, N2, CONFIG, SPARE = ("Service/default/web", "Node//n1", "Node//n2",
                                  "ConfigMap/default/settings", "ConfigMap/default/spare")


def config_map(name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


def name_of(ref):
    return f"{ref['kind']}/{ref['namespace']}/{ref['name']}"


class Questions(KindredTest):
    """web owns web-1, which owns a on n1 and b on n2; a reads settings; the service has a."""

    def setUp(self):
        super().setUp()
        self.cluster = self.fake()
        made = self.cluster.add("Deployment", deployment("web"))
        made = self.cluster.add("ReplicaSet", replica_set("web-1", owner=owner("Deployment", made)))
        for name in ("n1", "n2", "idle"):
            self.cluster.add("Node", node(name))
        for name in ("settings", "spare"):
            self.cluster.add("ConfigMap", config_map(name))
        first = pod("web-1-a", node="n1", owner=owner("ReplicaSet", made))
        first["spec"]["volumes"] = [{"name": "s", "configMap": {"name": "settings"}}]
        self.cluster.add("Pod", first)
        self.cluster.add("Pod", pod("web-1-b", node="n2", owner=owner("ReplicaSet", made)))
        self.cluster.add("Pod", pod("lone", node="lost"))
        self.cluster.add("Service", service("web"))
        self.cluster.add("EndpointSlice",
                         endpoint_slice("web-x", "web", [("web-1-a", "10.0.0.1")]))
        self.host_ = self.ready(self.cluster, KINDS, defaults=PAGED)
        self.host_.until(lambda: len(self.host_.relations()) >= 8, describe="the relations")

    def ask(self, what, **query):
        return self.host_.api.json(f"/api/v1/{what}", **query)

    def way(self, start, end, **query):
        answer = self.ask("path", **{"from": start, "to": end}, **query)
        steps = [name_of(item["ref"]) for item in answer["nodes"]]
        self.assertEqual(answer["found"], bool(steps))
        self.assertEqual(len(answer["relationships"]), max(0, len(steps) - 1))
        for i, relation in enumerate(answer["relationships"]):
            self.assertEqual({name_of(relation["subject"]), name_of(relation["object"])},
                             {steps[i], steps[i + 1]})
        self.assertEqual([item["depth"] for item in answer["nodes"]], list(range(len(steps))))
        return steps

    def test_shortest_path(self):
        self.assertEqual(self.way(SERVICE, N1), [SERVICE, A, N1])
        self.assertEqual(self.way(N1, SERVICE), [N1, A, SERVICE])
        self.assertEqual(self.way(CONFIG, N2), [CONFIG, A, RS, B, N2])
        self.assertEqual(self.way(WEB, WEB), [WEB])

    def test_path_by_direction_and_predicate(self):
        self.assertEqual(self.way(WEB, N2, direction="out"), [WEB, RS, B, N2])
        self.assertEqual(self.way(N2, WEB, direction="out"), [])
        self.assertEqual(self.way(N2, WEB, direction="in"), [N2, B, RS, WEB])
        self.assertEqual(self.way(WEB, A, predicate="OwnerReference"), [WEB, RS, A])
        self.assertEqual(self.way(WEB, N1, predicate="OwnerReference"), [])

    def test_no_path(self):
        self.assertEqual(self.way(SPARE, N1), [])
        self.assertEqual(self.way(LONE, A), [])

    def impact(self, root):
        answer = self.ask("impact", root=root)
        self.assertEqual(name_of(answer["root"]), root)
        known = {root} | {name_of(item["ref"]) for item in answer["nodes"]}
        for relation in answer["relationships"]:
            self.assertLessEqual({name_of(relation["subject"]), name_of(relation["object"])}, known)
        return {name_of(item["ref"]): item["effect"] for item in answer["nodes"]}

    def test_impact(self):
        affected = dict.fromkeys((A, RS, WEB, SERVICE), "affected")
        self.assertEqual(self.impact(CONFIG), affected)
        self.assertEqual(self.impact(N1), affected)
        self.assertEqual(self.impact(N2), dict.fromkeys((B, RS, WEB), "affected"))
        self.assertEqual(self.impact("Node//idle"), {})
        gone = self.impact(WEB)
        self.assertEqual({name: gone.pop(name) for name in (RS, A, B)},
                         dict.fromkeys((RS, A, B), "goes"))
        self.assertEqual(gone, {SERVICE: "affected"})

    def test_orphans(self):
        found = {name_of(item["ref"]) for item in self.ask("orphans")["items"]}
        self.assertLessEqual({SPARE, LONE, "Node//idle"}, found)
        self.assertFalse(found & {WEB, RS, A, B, SERVICE, N1, N2, CONFIG})
        of_kind = self.ask("orphans", kind="cm", namespace="default")["items"]
        self.assertEqual([name_of(item["ref"]) for item in of_kind], [SPARE])
        page = self.ask("orphans", kind="node", limit=1)
        self.assertEqual((len(page["items"]), page["continue"]), (1, ""))

    def test_unresolved(self):
        rows = self.ask("unresolved", predicate="PodNodeBinding")["items"]
        self.assertEqual([(name_of(r["subject"]), name_of(r["object"])) for r in rows],
                         [(LONE, "Node//lost")])
        self.assertTrue(all(not r["resolved"] for r in self.ask("unresolved")["items"]))
        self.cluster.add("Node", node("lost"))
        self.host_.until(lambda: not self.ask("unresolved", predicate="PodNodeBinding")["items"],
                         describe="the node that came")

    def test_bad_questions(self):
        for what, query, code in (
                ("path", {"from": "x", "to": A}, 400), ("path", {"from": A}, 400),
                ("path", {"from": A, "to": "Pod/default/none"}, 404),
                ("path", {"from": A, "to": B, "direction": "up"}, 400),
                ("impact", {"root": "Pod/default/none"}, 404), ("impact", {}, 400),
                ("orphans", {"kind": "nonesuch"}, 404), ("unresolved", {"limit": "-1"}, 400)):
            with self.subTest(what, **query):
                answer = self.host_.api.get(f"/api/v1/{what}", **query)
                self.assertEqual(answer.status, code)
                self.assertTrue(answer.json()["error"])

    def ctl(self, *words, code=0):
        got, out, err = self.host_.ctl(*words)
        self.assertEqual(got, code, f"{words}: {out}{err}")
        return out if code == 0 else err

    def test_kindredctl_asks_them(self):
        self.assertEqual(self.ctl("path", "svc/web", "node/n1").splitlines(),
                         ["Service default/web", "  ServiceEndpoint -> Pod default/web-1-a",
                          "  PodNodeBinding -> Node n1"])
        self.assertIn("PodNodeBinding <- Pod default/web-1-b",
                      self.ctl("path", "node/n2", "deployment/web"))
        self.assertIn("no path", self.ctl("path", "cm/spare", "node/n1", code=1))
        self.assertIn('no pod "none"', self.ctl("path", "pod/none", "node/n1", code=1))
        rows = [line.split() for line in self.ctl("impact", "deploy/web").splitlines()]
        self.assertIn(["goes", "1", "ReplicaSet", "default/web-1"], rows)
        self.assertEqual(self.ctl("orphans", "cm", "-o", "name"), f"{SPARE}\n")
        self.assertIn(["ConfigMap", "default", "spare"],
                      [line.split()[:3] for line in self.ctl("orphans").splitlines()])
        self.assertIn(["PodNodeBinding", "Pod", "default/lone", "Node", "lost"],
                      [line.split() for line in self.ctl("unresolved").splitlines()])


if __name__ == "__main__":
    main()
