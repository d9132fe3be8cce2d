"""B06: a watch starts from the list's version, never from that of an initial object."""

import wire
from e2e.lib.case import PAGED, KindredTest, main

PODS = "/api/v1/pods"
END = {"k8s.io/initial-events-end": "true"}


def pod(name, rv):
    return {"kind": "Pod", "apiVersion": "v1", **wire.pod(name, rv=rv)}


def listed(rv, *pods):
    items = [wire.pod(name, rv=version) for name, version in pods]
    return {"list": {"resourceVersion": rv, "items": items}}


def bookmark(rv, annotations=None):
    meta = {"resourceVersion": rv, **({"annotations": annotations} if annotations else {})}
    return ("BOOKMARK", {"kind": "Pod", "apiVersion": "v1", "metadata": meta})


class ResumeVersion(KindredTest):
    def begin(self, lists, watches, **defaults):
        self.cluster = self.fake()
        self.cluster.override("GET", PODS, *lists, watch=False)
        self.cluster.override("GET", PODS, *watches, {"chunks": [], "end": "hang"}, watch=True)
        return self.started(self.cluster, defaults=defaults or PAGED)

    def versions(self, count):
        seen = self.cluster.log.wait(count, path=PODS, verb="watch")
        return [r.query.get("resourceVersion", "") for r in seen]

    def test_the_first_watch_uses_the_lists_version(self):
        self.begin([listed("40", ("a", 7), ("z", 3))], [])
        self.assertEqual(self.versions(1), ["40"])

    def test_also_when_an_object_has_a_higher_one(self):
        self.begin([listed("40", ("a", 7), ("b", 39), ("z", 90))], [])
        self.assertEqual(self.versions(1), ["40"])

    def test_the_newest_event_moves_it(self):
        self.begin([listed("40", ("a", 7))],
                   [wire.watch(("MODIFIED", pod("a", 41)), ("ADDED", pod("b", 42)), end="keep")])
        self.assertEqual(self.versions(2), ["40", "42"])
        self.assert_lists(self.cluster, PODS, 1)

    def test_a_deletion_moves_it_too(self):
        self.begin([listed("40", ("a", 7))], [wire.watch(("DELETED", pod("a", 44)), end="keep")])
        self.assertEqual(self.versions(2), ["40", "44"])

    def test_a_half_event_does_not_move_it(self):
        self.begin([listed("40", ("a", 7))],
                   [wire.watch(("MODIFIED", pod("a", 41)),
                               b'{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1",'
                               b'"metadata":{"name":"a","namespace":"default","resourceVersion":'
                               b'"77"', end="cut")])
        self.assertEqual(self.versions(2), ["40", "41"])

    def test_initial_events_of_a_watch_without_a_version(self):
        """A list without a version: the watch sends what is there, in no order."""
        self.begin([{"json": {"kind": "PodList", "apiVersion": "v1", "items": []}},
                    listed("50", ("a", 7), ("z", 3))],
                   [wire.watch(("ADDED", pod("a", 7)), ("ADDED", pod("z", 3)), end="keep")])
        self.assertEqual(self.versions(1)[0], "")
        self.assertNotIn(self.versions(2)[1], ("3", "7"))

    def streamed(self, *watches):
        host = self.begin([listed("60", ("a", 7), ("z", 3))], watches, stream_list=True)
        first = self.cluster.log.wait(1, path=PODS)[0]
        if "sendInitialEvents" not in first.query:
            self.skipTest("this host lists in pages")
        return host

    def test_an_initial_stream_that_breaks_moves_nothing(self):
        self.streamed(wire.watch(("ADDED", pod("a", 7)), ("ADDED", pod("z", 3)), bookmark("8"),
                                 end="reset"))
        again = self.cluster.log.wait(2, path=PODS)[1]
        self.assertNotIn(again.query.get("resourceVersion", ""), ("3", "7", "8"))
        self.assertTrue(again.verb == "list" or "sendInitialEvents" in again.query,
                        again.target)

    def test_the_end_bookmark_gives_the_version(self):
        host = self.streamed(wire.watch(("ADDED", pod("a", 7)), ("ADDED", pod("z", 3)),
                                        bookmark("40", END), {"gate": "end"}, end="keep"))
        host.wait_ready()
        self.cluster.server.gates.open("end")
        again = self.cluster.log.wait(2, path=PODS, verb="watch")[1]
        self.assertEqual(again.query["resourceVersion"], "40")
        self.assertNotIn("sendInitialEvents", again.query)
        self.assertEqual(host.names("Pod"), ["a", "z"])


if __name__ == "__main__":
    main()
