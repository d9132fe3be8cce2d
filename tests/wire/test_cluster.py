"""The fake cluster: lists, pages, watches, versions, faults."""

import json
import time
import unittest

import wire
from wire.client_for_tests import Client, events

PODS = "/api/v1/pods"
PARTIAL = "application/json;as=PartialObjectMetadata{};g=meta.k8s.io;v=v1"


class ClusterTest(unittest.TestCase):
    options = {}

    def setUp(self):
        self.cluster = wire.FakeCluster(**self.options)
        self.cluster.server.start()
        self.addCleanup(self.cluster.stop)
        self.client = Client(self.cluster.server)
        self.addCleanup(self.client.close)

    def watch(self, query="", path=PODS, **headers):
        client = Client(self.cluster.server)
        self.addCleanup(client.close)
        answer = client.begin(f"{path}?watch=true{query}", **headers)
        self.addCleanup(answer.close)
        return answer


class Lists(ClusterTest):
    options = {"pods": 5}

    def test_items_have_no_kind_and_the_list_has_a_version(self):
        listed = self.client.json(PODS)[1]
        self.assertEqual((listed["kind"], listed["metadata"]["resourceVersion"]),
                         ("PodList", str(self.cluster.rv)))
        self.assertNotIn("kind", listed["items"][0])

    def test_pages_are_one_snapshot(self):
        first = self.client.json(f"{PODS}?limit=2")[1]
        self.cluster.delete("Pod", "p00004")
        names, token = [], first["metadata"]["continue"]
        self.assertEqual(first["metadata"]["remainingItemCount"], 3)
        while token:
            page = self.client.json(f"{PODS}?limit=2&continue={token}")[1]
            names += [i["metadata"]["name"] for i in page["items"]]
            token = page["metadata"].get("continue")
            self.assertEqual(page["metadata"]["resourceVersion"],
                             first["metadata"]["resourceVersion"])
        self.assertEqual(names, ["p00002", "p00003", "p00004"])

    def test_an_old_token_is_gone_after_compaction(self):
        token = self.client.json(f"{PODS}?limit=2")[1]["metadata"]["continue"]
        self.cluster.compact("Pod")
        self.assertEqual(self.client.json(f"{PODS}?limit=2&continue={token}")[0], 410)

    def test_too_large_version(self):
        status, body = self.client.json(f"{PODS}?resourceVersion=99999")
        self.assertEqual((status, body["reason"]), (504, "Timeout"))

    def test_partial_metadata(self):
        listed = self.client.json(PODS, Accept=PARTIAL.format("List"))[1]
        self.assertEqual(listed["kind"], "PartialObjectMetadataList")
        self.assertEqual(set(listed["items"][0]), {"kind", "apiVersion", "metadata"})

    def test_selectors_namespaces_and_get(self):
        self.cluster.add("Pod", {"metadata": {"name": "w", "namespace": "kube",
                                              "labels": {"app": "web"}}, "spec": {}})
        for query in ("?labelSelector=app%3Dweb", "?labelSelector=app+in+(web,x)",
                      "?fieldSelector=metadata.namespace%3Dkube"):
            names = [i["metadata"]["name"] for i in self.client.json(PODS + query)[1]["items"]]
            self.assertEqual(names, ["w"], query)
        self.assertEqual(len(self.client.json("/api/v1/namespaces/kube/pods")[1]["items"]), 1)
        got = self.client.json("/api/v1/namespaces/kube/pods/w")
        self.assertEqual((got[0], got[1]["kind"]), (200, "Pod"))
        self.assertEqual(self.client.json("/api/v1/namespaces/kube/pods/v")[0], 404)

    def test_forbid_unserve_heal_hold(self):
        self.cluster.forbid("Pod")
        self.assertEqual(self.client.json(PODS)[1]["reason"], "Forbidden")
        self.cluster.unserve("Pod")
        self.assertEqual(self.client.json(PODS)[0], 404)
        self.cluster.heal("Pod")
        gate = self.cluster.hold("Pod")
        self.client.http.request("GET", PODS)
        self.cluster.log.wait(3, path=PODS)
        gate.open()
        self.assertEqual(self.client.http.getresponse().status, 200)

    def test_override_then_the_model(self):
        self.cluster.override("GET", PODS, {"status": 500, "json": {}}, wire.PASS)
        self.assertEqual([self.client.get(PODS)[0] for _ in range(3)], [500, 200, 200])

    def test_discovery(self):
        self.assertEqual(self.client.json("/version")[1]["major"], "1")
        self.assertEqual(self.client.get("/readyz"), (200, b"ok"))
        names = [r["name"] for r in self.client.json("/apis/apps/v1")[1]["resources"]]
        self.assertIn("deployments", names)
        self.assertIn("apps", [g["name"] for g in self.client.json("/apis")[1]["groups"]])
        wanted = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        items = self.client.json("/apis", Accept=wanted)[1]["items"]
        self.assertIn("discovery.k8s.io", [i["metadata"]["name"] for i in items])
        self.assertEqual(self.client.json("/apis/none.test/v1")[0], 404)


class Watches(ClusterTest):
    options = {"pods": 2}

    def test_events_after_a_version(self):
        rv = self.cluster.rv
        self.cluster.delete("Pod", "p00000")
        answer = self.watch(f"&resourceVersion={rv}")
        self.assertEqual(events(answer, 1)[0]["type"], "DELETED")
        added = self.cluster.add("Pod", {"metadata": {"name": "new"}, "spec": {}})
        event = events(answer, 1)[0]
        self.assertEqual((event["type"], event["object"]["kind"]), ("ADDED", "Pod"))
        self.assertEqual(event["object"]["metadata"], added["metadata"])

    def test_without_a_version_what_is_there_comes_first(self):
        self.assertEqual([e["type"] for e in events(self.watch(), 2)], ["ADDED"] * 2)

    def test_streaming_list(self):
        answer = self.watch("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                            "&allowWatchBookmarks=true")
        last = events(answer, 3)[-1]
        self.assertEqual(last["type"], "BOOKMARK")
        self.assertEqual(last["object"]["metadata"]["annotations"],
                         {"k8s.io/initial-events-end": "true"})

    def test_streaming_list_refused(self):
        self.cluster.set_streaming(False)
        answer = self.watch("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                            "&allowWatchBookmarks=true")
        self.assertEqual((answer.status, json.loads(answer.read())["reason"]), (422, "Invalid"))

    def test_bookmark_and_clean_end(self):
        answer = self.watch(f"&resourceVersion={self.cluster.rv}&allowWatchBookmarks=true")
        self.cluster.await_watch("Pod")
        self.cluster.advance(7)
        self.assertEqual(self.cluster.bookmark("Pod"), 1)
        self.assertEqual(events(answer, 1)[0]["object"]["metadata"]["resourceVersion"],
                         str(self.cluster.rv))
        self.cluster.close_watches("Pod")
        self.assertEqual(answer.read(), b"")

    def test_timeout_ends_it(self):
        self.assertEqual(self.watch(f"&timeoutSeconds=0.05&resourceVersion={self.cluster.rv}")
                         .read(), b"")

    def test_gone_after_compaction(self):
        rv = self.cluster.rv
        self.cluster.compact("Pod")
        event = events(self.watch(f"&resourceVersion={rv}"), 1)[0]
        self.assertEqual((event["type"], event["object"]["code"]), ("ERROR", 410))
        self.cluster.gone = "http"
        self.assertEqual(self.watch(f"&resourceVersion={rv}").status, 410)

    def test_selector_turns_a_change_into_add_and_delete(self):
        answer = self.watch(f"&resourceVersion={self.cluster.rv}&labelSelector=tier%3Dweb")
        for value in ("web", "db"):
            self.cluster.modify("Pod", "p00001", change={"metadata": {"labels": {"tier": value}}})
        self.assertEqual([e["type"] for e in events(answer, 2)], ["ADDED", "DELETED"])

    def test_watchers_end_with_their_client(self):
        client = Client(self.cluster.server)
        answer = client.begin(f"{PODS}?watch=1&resourceVersion={self.cluster.rv}")
        self.cluster.await_watch("Pod")
        answer.close()
        client.close()
        with self.cluster._lock:
            self.assertTrue(self.cluster._lock.wait_for(
                lambda: not self.cluster.watch_count("Pod"), 10))


class Size(ClusterTest):
    def test_ten_thousand_pods_in_short_time(self):
        self.cluster.add_pods(10000)
        begun = time.monotonic()
        answer = self.watch("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                            "&allowWatchBookmarks=true")
        lines = 0
        while b"initial-events-end" not in answer.readline():
            lines += 1
        self.assertEqual(lines, 10000)
        self.assertEqual(len(self.client.json(PODS)[1]["items"]), 10000)
        self.assertLess(time.monotonic() - begun, 20)


if __name__ == "__main__":
    unittest.main()
