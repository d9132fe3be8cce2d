"""B02: 410 as the HTTP code, and a relist that fails is tried again without end."""

from e2e.cases.pace import HANG, PODS, RESET, gaps, pods, status
from e2e.lib.case import PAGED, KindredTest, main

GONE = status(410, "Expired", "too old resource version")
UNAVAILABLE = status(503, "ServiceUnavailable", "try later")
# A kept connection that is found dead is replaced and the request repeated, once and at once.
DEAD = [RESET, RESET]
FAILURES = ([UNAVAILABLE], DEAD,
            [{"chunks": ['{"kind":"PodList","items":[{"meta'], "end": "cut"}])


class RelistFails(KindredTest):
    def begin(self, lists, watches):
        self.cluster = self.fake()
        self.cluster.override("GET", PODS, *lists, watch=False)
        self.cluster.override("GET", PODS, *watches, watch=True)
        return self.started(self.cluster, defaults=PAGED)

    def check_converged(self, host, version, names):
        host.until(lambda: self.cluster.log.all(path=PODS, verb="watch",
                                                query={"resourceVersion": version}),
                   40, f"a watch from {version}")
        host.until(lambda: host.names("Pod") == names, describe="the new state")
        host.wait_ready()

    def test_each_failure_of_the_relist(self):
        for failure in FAILURES:
            with self.subTest(failure):
                host = self.begin([pods(10, "old", "a"), *failure, pods(50, "a", "b")],
                                  [GONE, HANG])
                self.check_converged(host, "50", ["a", "b"])
                _, *again = self.cluster.log.lists(PODS)
                self.assertEqual(len(again), 1 + len(failure), self.cluster.log.text())
                self.assertGreater(gaps(again)[-1], 0.7)
                self.assertEqual(host.stop(), 0)

    def test_failures_in_a_row(self):
        host = self.begin([pods(10, "old", "a"), UNAVAILABLE, *DEAD,
                           pods(50, "a", "b")], [GONE, HANG])
        self.check_converged(host, "50", ["a", "b"])
        waits = [wait for wait in gaps(self.cluster.log.lists(PODS)[1:]) if wait > 0.2]
        self.assertEqual(len(waits), 2, self.cluster.log.text())
        self.assertGreater(waits[0], 0.7)
        self.assertGreater(waits[1], 1.5)

    def test_not_in_sync_meanwhile(self):
        host = self.begin([pods(10, "a"), UNAVAILABLE, pods(50, "b", gate="heal")],
                          [{**GONE, "gate": "gone"}, HANG])
        host.wait_ready()
        self.cluster.server.gates.open("gone")
        host.wait_state("Pod", "failing")
        shown = host.kind("Pod")
        self.assertIn("try later", shown["lastError"])
        self.assertEqual(shown["stored"], 1)
        self.cluster.server.gates.open("heal")
        self.check_converged(host, "50", ["b"])
        self.assertEqual(host.kind("Pod")["lastError"], "")

    def test_a_list_that_answers_410_is_repeated_at_once_without_version(self):
        host = self.begin([pods(10, "a"), GONE, pods(50, "b")], [GONE, HANG])
        self.check_converged(host, "50", ["b"])
        _, refused, repeated = self.cluster.log.lists(PODS)
        self.assertEqual(refused.query.get("resourceVersion"), "10")
        self.assertEqual(repeated.query.get("resourceVersion", ""), "")
        self.assertNotIn("resourceVersionMatch", repeated.query)
        self.assertLess(repeated.t - refused.t, 0.7)

    def test_lists_that_only_answer_410_do_not_spin(self):
        host = self.begin([pods(10, "a"), GONE, GONE, GONE, pods(50, "b")], [GONE, HANG])
        self.check_converged(host, "50", ["b"])
        waits = gaps(self.cluster.log.lists(PODS)[2:])
        self.assertEqual(len(waits), 2, self.cluster.log.text())
        self.assertTrue(all(wait > 0.7 for wait in waits), waits)


if __name__ == "__main__":
    main()
