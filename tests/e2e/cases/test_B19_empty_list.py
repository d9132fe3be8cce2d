"""B19: the forms of an empty list, and of what only looks like one."""

import json

import wire
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.waiting import stays

AT = "/apis/apps/v1/deployments"
HEAD = {"kind": "DeploymentList", "apiVersion": "apps/v1"}
FIVE = {"metadata": {"resourceVersion": "5"}}
ADDED = ("ADDED", {"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {
    "name": "d", "namespace": "default", "uid": "u", "resourceVersion": "6"}})
HANG = {"chunks": [], "end": "hang"}

EMPTY = {
    "null items": ({**HEAD, **FIVE, "items": None}, "5"),
    "no items": ({**HEAD, **FIVE}, "5"),
    "empty items": ({**HEAD, **FIVE, "items": []}, "5"),
    "items first": ({"items": None, **FIVE, **HEAD}, "5"),
    "no metadata": ({**HEAD, "items": []}, ""),
    "null metadata": ({**HEAD, "metadata": None, "items": None}, ""),
    "empty metadata": ({**HEAD, "metadata": {}, "items": []}, ""),
    "empty version": ({**HEAD, "metadata": {"resourceVersion": ""}, "items": []}, ""),
    "null continue": ({**HEAD, "metadata": {"resourceVersion": "5", "continue": None}}, "5"),
    "unknown keys": ({**HEAD, **FIVE, "items": None, "x": {"items": [{"a": []}]}}, "5"),
}

NO_LIST = {
    "a Status with 200": json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure",
                                     "code": 500, "reason": "InternalError", "message": "broken"}),
    "an empty body": "",
    "a page of HTML": "<html><body>login</body></html>",
    "null": "null",
    "an array": "[]",
    "a broken list": '{"kind":"DeploymentList","apiVersion":"apps/v1","items":[',
    "items of another type": '{"kind":"DeploymentList","apiVersion":"apps/v1","metadata":'
                             '{"resourceVersion":"5"},"items":"none"}',
}


class EmptyList(KindredTest):
    def begin(self, lists, watches=(HANG,)):
        self.cluster = self.fake()
        self.cluster.override("GET", AT, *lists, watch=False)
        self.cluster.override("GET", AT, *watches, watch=True)
        return self.started(self.cluster, ["deployment"], defaults=PAGED)

    def test_each_form_is_an_empty_kind_that_syncs(self):
        for name, (body, rv) in EMPTY.items():
            with self.subTest(name):
                host = self.begin([{"json": body}], [wire.watch({"gate": "send"}, ADDED), HANG])
                host.wait_ready()
                self.assertEqual((host.kind("Deployment")["state"], host.names("Deployment")),
                                 ("synced", []))
                watch = self.cluster.log.wait(1, path=AT, verb="watch")[0]
                self.assertEqual(watch.query.get("resourceVersion", ""), rv)
                self.cluster.server.gates.open("send")
                host.wait_stored("Deployment", 1)
                self.assertEqual(host.stop(), 0)

    def test_white_space_between_all(self):
        text = json.dumps({**HEAD, **FIVE, "items": None}, indent=2)
        self.begin([{"text": "\r\n\t " + text + "\n\n", "headers": {
            "Content-Type": "application/json"}}]).wait_ready()

    def check_item(self, item, head, uid="u1"):
        meta = {"name": "d", "namespace": "default", "uid": uid, "resourceVersion": "3"}
        host = self.begin([{"json": {**head, **FIVE, "items": [{**item, "metadata": meta}]}}])
        host.wait_ready()
        found = host.resource("Deployment", "d")
        self.assertEqual((found["ref"]["group"], found["ref"]["version"], found["ref"]["kind"],
                          found["ref"]["uid"]), ("apps", "v1", "Deployment", uid))
        self.assertEqual((found["data"]["apiVersion"], found["data"]["kind"]),
                         ("apps/v1", "Deployment"))

    def test_items_get_kind_and_version_from_the_list(self):
        self.check_item({"spec": {"replicas": 1}}, HEAD)

    def test_items_that_have_them_keep_them_once(self):
        self.check_item({"kind": "Deployment", "apiVersion": "apps/v1"}, HEAD)

    def test_a_list_without_kind_and_version(self):
        self.check_item({}, {})

    def test_what_is_no_list_never_empties_the_graph(self):
        """A body that is no list of the kind is an error, asked again later."""
        for name, body in NO_LIST.items():
            with self.subTest(name):
                good = {"json": {**HEAD, **FIVE, "items": [ADDED[1]]}}
                answer = {"text": body, "gate": "bad",
                          "headers": {"Content-Type": "application/json"}}
                gone = {"type": "ERROR", "object": {"kind": "Status", "code": 410,
                                                    "reason": "Expired"}}
                host = self.begin([good, answer, {**good, "gate": "heal"}],
                                  [{"lines": [{"gate": "gone"}, gone]}, HANG])
                host.wait_ready().wait_stored("Deployment", 1)
                self.cluster.server.gates.open("gone")
                self.cluster.server.gates.open("bad")
                self.cluster.log.wait(3, path=AT, verb="list")
                stays(lambda h=host: h.kind("Deployment")["stored"] == 1, 0.4, "one stored")
                self.assertNotEqual(host.kind("Deployment")["state"], "synced")
                self.cluster.server.gates.open("heal")
                host.wait_state("Deployment", "synced")
                self.assertEqual(host.names("Deployment"), ["d"])
                self.assertEqual(host.stop(), 0)


if __name__ == "__main__":
    main()
