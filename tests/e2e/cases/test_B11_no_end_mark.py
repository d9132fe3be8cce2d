"""B11: a streaming list whose end mark never comes is given up for a plain list."""

from e2e.cases.pace import HANG, PODS, meta, pods
from e2e.lib.case import KindredTest, main
from e2e.lib.waiting import stays

SHORT = {"stream_deadline": "2s"}


def added(name, rv):
    return {"type": "ADDED", "object": {"kind": "Pod", "apiVersion": "v1", **meta(name, rv)}}


def bookmark(rv, **annotations):
    return {"type": "BOOKMARK", "object": {"kind": "Pod", "apiVersion": "v1", "metadata": {
        "resourceVersion": str(rv), **({"annotations": annotations} if annotations else {})}}}


PART = [added("part", 7), added("both", 8)]


class NoEndMark(KindredTest):
    def begin(self, stream, defaults=SHORT):
        self.cluster = self.fake()
        self.cluster.override("GET", PODS, stream, watch=True, query={"sendInitialEvents": "true"})
        self.cluster.override("GET", PODS, pods(50, "both", "listed"), watch=False)
        self.cluster.override("GET", PODS, HANG, watch=True)
        return self.started(self.cluster, defaults=defaults)

    def check_falls_back(self, host):
        """One stream, then a list and a watch from it; nothing of the stream alone is left."""
        host.wait_ready()
        self.assertEqual(host.names("Pod"), ["both", "listed"])
        stream, *later = self.cluster.log.all(path=PODS)
        self.assertIn("sendInitialEvents", stream.query)
        watch = self.cluster.log.wait(2, path=PODS, verb="watch")[-1]
        self.assertNotIn("sendInitialEvents", watch.query)
        self.assertEqual(watch.query["resourceVersion"], "50")
        self.assert_lists(self.cluster, PODS, 1)
        return later[0].t - stream.t

    def test_silence_after_a_plain_bookmark(self):
        host = self.begin({"lines": [*PART, bookmark(40)], "end": "hang"})
        self.assertTrue(1.9 < self.check_falls_back(host) < 10)

    def test_not_synced_before_the_list(self):
        host = self.begin({"lines": [*PART, bookmark(40)], "end": "hang"},
                          defaults={"stream_deadline": "60s"})
        self.cluster.log.wait(1, path=PODS, verb="watch")
        host.until(lambda: host.kind("Pod")["objects"] == 2, describe="the part that came")
        stays(lambda: host.health.get("/readyz").status != 200, 1, "not ready")
        self.assertEqual(host.kind("Pod")["state"], "syncing")

    def test_silence_from_the_start(self):
        self.check_falls_back(self.begin(HANG))

    def test_no_answer_at_all(self):
        self.check_falls_back(self.begin({"gate": "never"}))

    def test_other_annotations_and_values_end_nothing(self):
        odd = [bookmark(40, **{"k8s.io/initial-events-end": "false"}),
               bookmark(41, **{"initial-events-end": "true"}), bookmark(42, **{"a": "true"})]
        self.check_falls_back(self.begin({"lines": [*PART, *odd], "end": "hang"}))

    def test_bookmarks_without_end_do_not_move_the_deadline(self):
        lines = [*PART]
        for number in range(200):
            lines += [bookmark(40 + number), {"gate": f"g{number}"}]
        host = self.begin({"lines": lines, "end": "hang"})
        self.cluster.log.wait(1, path=PODS, verb="watch")
        for number in range(200):
            self.cluster.server.gates.open(f"g{number}")
        self.check_falls_back(host)

    def test_a_stream_that_ends_early(self):
        host = self.begin({"lines": [*PART, bookmark(40)]})
        self.check_falls_back(host)


if __name__ == "__main__":
    main()
