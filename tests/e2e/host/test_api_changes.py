"""The API contract: the change feed."""

from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import pod


def about(line, name):
    """Whether a line tells of this resource."""
    return "resource" in line and name in str(line["resource"])


class Changes(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.fake(pods=2)
        self.host_ = self.ready(self.cluster, defaults=PAGED)
        self.cluster.await_watch("Pod")

    def check_lines(self, lines):
        seqs = [line["seq"] for line in lines]
        self.assertEqual(seqs, sorted(set(seqs)))
        for line in lines:
            self.assertIsInstance(line["seq"], int)
            self.assertIsInstance(line["type"], str)
            self.assertTrue(("resource" in line) != ("relation" in line), line)

    def test_from_the_start(self):
        lines = self.host_.changes()
        self.check_lines(lines)
        for name in ("p00000", "p00001"):
            self.assertTrue(any(about(line, name) for line in lines))
        self.assertTrue(any("relation" in line for line in lines))

    def test_list_answers_say_for_which_seq_they_are_true(self):
        page = self.host_.api.json("/api/v1/resources", kind="Pod")
        self.assertEqual(self.host_.changes(since=page["seq"]), [])
        self.assertEqual(self.host_.changes()[-1]["seq"], page["seq"])

    def test_follow_sees_what_comes(self):
        seq = self.host_.changes()[-1]["seq"]
        with self.host_.api.follow("/api/v1/changes", since=seq, follow=1) as stream:
            self.assertEqual(stream.status, 200)
            self.cluster.add("Pod", pod("new", node="n1"))
            lines = stream.until(lambda line: about(line, "new"))
            self.cluster.delete("Pod", "p00000")
            lines += stream.until(lambda line: about(line, "p00000"))
        self.check_lines(lines)
        self.assertGreater(lines[0]["seq"], seq)
        self.assertNotEqual(*[next(line["type"] for line in lines if about(line, name))
                              for name in ("new", "p00000")])

    def test_resumes_after_a_break(self):
        lines = self.host_.changes()
        middle = lines[len(lines) // 2]["seq"]
        self.assertEqual(self.host_.changes(since=middle),
                         [line for line in lines if line["seq"] > middle])

    def test_the_same_object_again_is_no_change(self):
        seq = self.host_.changes()[-1]["seq"]
        self.cluster.modify("Pod", "p00000")
        self.cluster.add("Pod", pod("new"))
        self.host_.until(lambda: "new" in self.host_.names("Pod"), describe="the next one")
        self.assertFalse([line for line in self.host_.changes(since=seq)
                          if about(line, "p00000")])

    def test_several_followers(self):
        seq = self.host_.changes()[-1]["seq"]
        streams = [self.host_.api.follow("/api/v1/changes", since=seq, follow=1)
                   for _ in range(5)]
        try:
            self.cluster.add("Pod", pod("new"))
            seen = [s.until(lambda line: about(line, "new"))[-1]["seq"] for s in streams]
        finally:
            for stream in streams:
                stream.close()
        self.assertEqual(len(set(seen)), 1)

    def test_a_follower_that_does_not_read_stops_nobody(self):
        with self.host_.api.follow("/api/v1/changes", since=0, follow=1):
            self.cluster.add_pods(1000, prefix="q")
            self.host_.wait_stored("Pod", 1002)

    def test_too_old_is_gone(self):
        host = self.ready(self.cluster, defaults=PAGED,
                          store={"path": ":memory:", "feed_keep": 10})
        self.cluster.await_watch("Pod", 2)
        self.cluster.add_pods(100, prefix="q")
        host.wait_stored("Pod", 102)
        host.until(lambda: host.api.get("/api/v1/changes", since=1).status == 410,
                   describe="410 for an old seq")
        page = host.api.json("/api/v1/resources", kind="Pod", limit=1)
        self.assertEqual(host.api.get("/api/v1/changes", since=page["seq"]).status, 200)


if __name__ == "__main__":
    main()
