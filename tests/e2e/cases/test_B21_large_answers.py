"""B21: lists have no bound, one object and any other answer have one; nothing is cut silently."""

import re
import unittest

from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, main

PODS = "/api/v1/pods"
MIB = 1 << 20
HANG = {"chunks": [], "end": "hang"}


def too_large(host):
    """The log's lines about an answer for pods that crossed its bound."""
    return [line for line in host.logged("pod")
            if re.search(r"max_body_bytes|too large|larger than|over the limit", line, re.I)]


class LargeAnswers(KindredTest):
    def begin(self, *lists, **over):
        self.cluster = self.fake()
        self.cluster.override("GET", PODS, *lists, watch=False)
        self.cluster.override("GET", PODS, HANG, watch=True)
        return self.started(self.cluster, defaults=PAGED, **over)

    def check_list(self, answer):
        host = self.begin(answer)
        host.wait_stored("Pod", 4000, timeout=90)
        found = host.resource("Pod", "p03999")
        self.assertEqual(len(found["data"]["spec"]["containers"][0]["env"][0]["value"]), 10300)
        host.wait_ready()
        self.assert_lists(self.cluster, PODS, 1)
        return host

    def test_a_list_of_40_mib(self):
        """In one answer, whatever page size was asked for."""
        host = self.check_list({"list": {"pods": 4000, "size": 10300}})
        if not env.SANITIZER:
            self.assertLess(host.memory_kb("VmHWM"), 200 * 1024)

    def test_the_same_as_a_chunked_stream(self):
        self.check_list({"list": {"pods": 4000, "size": 10300}, "every": 30011})

    def test_the_body_limit_is_not_for_lists(self):
        host = self.begin({"list": {"pods": 300, "size": 10300}}, cluster={"max_body_bytes": MIB})
        host.wait_stored("Pod", 300)

    def check_backs_off(self, lists):
        """One clear line and one request per step; then it heals."""
        host = self.begin(*lists, {"list": {"pods": 2}}, cluster={"max_body_bytes": MIB})
        seen = self.cluster.log.wait(3, timeout=env.scaled(30), path=PODS, verb="list")
        gaps = [b.t - a.t for a, b in zip(seen, seen[1:])]
        self.assertTrue(all(gap > 0.7 for gap in gaps), gaps)
        host.wait_ready()
        self.assertEqual(host.names("Pod"), ["p00000", "p00001"])
        lines = too_large(host)
        self.assertTrue(1 <= len(lines) <= len(lists), lines)

    def test_an_error_body_over_the_limit(self):
        large = {"status": 500, "fill": {"bytes": 4 * MIB, "before": '{"kind":"Status","message":"',
                                         "after": '"}'}}
        self.check_backs_off([large, large])

    def test_an_error_body_without_a_known_length(self):
        large = {"status": 500, "chunks": [{"fill": {"bytes": MIB}}] * 4}
        self.check_backs_off([large, large])

    def test_an_endless_error_body_is_given_up(self):
        endless = {"status": 503, "chunks": [{"fill": {"bytes": 2 * MIB}}], "end": "hang"}
        self.check_backs_off([endless, endless])

    def test_an_error_body_of_a_watch(self):
        self.cluster = self.fake(pods=1)
        self.cluster.override("GET", PODS, {"status": 500, "fill": {"bytes": 4 * MIB}},
                              {"status": 500, "fill": {"bytes": 4 * MIB}}, HANG, watch=True)
        host = self.started(self.cluster, defaults=PAGED, cluster={"max_body_bytes": MIB})
        host.wait_stored("Pod", 1)
        seen = self.cluster.log.wait(3, timeout=env.scaled(30), path=PODS, verb="watch")
        self.assertTrue(all(b.t - a.t > 0.7 for a, b in zip(seen, seen[1:])))
        self.assertTrue(too_large(host))

    @unittest.skipIf(env.SANITIZER, "a sanitizer keeps freed memory")
    def test_an_error_body_is_not_held(self):
        answer = {"status": 500, "fill": {"bytes": 64 * MIB}}
        host = self.begin(answer, {"list": {"pods": 1}}, cluster={"max_body_bytes": MIB})
        host.wait_ready()
        self.assertLess(host.memory_kb("VmHWM"), 64 * 1024)


if __name__ == "__main__":
    main()
