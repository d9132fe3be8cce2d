"""B17: a line of a watch that is a bare Status counts by its code, and its message is told."""

import itertools
import json

from e2e.cases.pace import HANG, PODS, gaps, pods
from e2e.lib.case import PAGED, KindredTest, main

LATER = {"message": "try later", "code": 429, "reason": "TooManyRequests", "kind": "Status",
         "apiVersion": "v1", "status": "Failure", "details": {"retryAfterSeconds": 1}}
GONE = {"message": "too old resource version", "code": 410, "reason": "Expired", "kind": "Status",
        "apiVersion": "v1", "status": "Failure"}
BROKEN = {"code": 500, "kind": "Status", "message": "etcd has no leader", "apiVersion": "v1",
          "status": "Failure", "reason": "InternalError"}


class BareStatus(KindredTest):
    def begin(self, *watches, lists=(pods(10, "a"),)):
        self.cluster = self.fake()
        self.cluster.override("GET", PODS, *lists, watch=False)
        self.cluster.override("GET", PODS, *watches, watch=True)
        return self.started(self.cluster, defaults=PAGED)

    def check_waits(self, host, text, least, most=None):
        """The watch goes on from the same version, after a pause and without a list."""
        watches = self.cluster.log.wait(2, path=PODS, verb="watch")
        self.assertGreater(gaps(watches)[0], least)
        if most:
            self.assertLess(gaps(watches)[0], most)
        self.assertEqual([w.query["resourceVersion"] for w in watches], ["10", "10"])
        self.assert_lists(self.cluster, PODS, 1)
        self.assertEqual(len(host.logged(text)), 1, host.log_text())

    def test_429_waits_as_long_as_it_says(self):
        host = self.begin({"lines": [LATER], "end": "hang"}, HANG)
        self.check_waits(host, "try later", 0.95, 5)

    def test_429_with_a_longer_wait(self):
        host = self.begin({"lines": [{**LATER, "details": {"retryAfterSeconds": 3}}]}, HANG)
        self.check_waits(host, "try later", 2.9)

    def test_any_order_of_keys(self):
        keys = ("kind", "code", "message", "status")
        orders = [dict([(k, BROKEN[k]) for k in order]) for order in itertools.permutations(keys)]
        body = [json.dumps(order) + "\n" for order in orders[::6]]
        for line in body:
            with self.subTest(line):
                host = self.begin({"chunks": [line], "end": "hang", "every": 7}, HANG)
                self.check_waits(host, "etcd has no leader", 0.7)
                self.assertEqual(host.stop(), 0)

    def test_410_leads_to_a_list(self):
        host = self.begin({"lines": [GONE], "end": "hang"}, HANG,
                          lists=(pods(10, "a"), pods(20, "b")))
        host.until(lambda: host.names("Pod") == ["b"], describe="the second list")
        watch = self.cluster.log.wait(2, path=PODS, verb="watch")[-1]
        self.assertEqual(watch.query["resourceVersion"], "20")

    def test_wrapped_ones_count_the_same(self):
        host = self.begin({"lines": [{"type": "ERROR", "object": LATER}], "end": "hang"}, HANG)
        self.check_waits(host, "try later", 0.95, 5)

    def test_events_before_it_count(self):
        event = {"type": "ADDED", "object": {"kind": "Pod", "apiVersion": "v1", "metadata": {
            "name": "b", "namespace": "default", "uid": "u-b", "resourceVersion": "15"}}}
        host = self.begin({"lines": [event, LATER], "end": "hang"}, HANG)
        host.until(lambda: host.names("Pod") == ["a", "b"], describe="the event")
        watches = self.cluster.log.wait(2, path=PODS, verb="watch")
        self.assertEqual(watches[1].query["resourceVersion"], "15")
        self.assertGreater(gaps(watches)[0], 0.95)

    def test_lines_that_are_neither_event_nor_status(self):
        for line in ('{"kind":"Pod","metadata":{"name":"x"}}\n', '{"code":429}\n', "<html>\n",
                     "7\n"):
            with self.subTest(line):
                host = self.begin({"chunks": [line], "end": "hang"}, HANG)
                watches = self.cluster.log.wait(2, path=PODS, verb="watch")
                self.assertGreater(gaps(watches)[0], 0.7)
                self.assertEqual(len(host.logged("malformed")), 1)
                self.assertEqual(host.stop(), 0)


if __name__ == "__main__":
    main()
