"""B08: one very long event neither ends the watch nor stays in memory."""

import random
import unittest

from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import pod

PODS = "/api/v1/pods"
MIB = 1 << 20
COUNTERS = r"oversi[sz]e|too_large|over_limit|skipped|dropped|rejected"


def large(name, value, **spec):
    made = pod(name, **spec)
    made["spec"]["containers"][0]["env"] = [{"name": "BIG", "value": value}]
    return made


def value_of(resource):
    return resource["data"]["spec"]["containers"][0]["env"][0]["value"]


class LongLine(KindredTest):
    def begin(self, **over):
        self.cluster = self.fake()
        self.cluster.add("Pod", pod("small"))
        host = self.ready(self.cluster, defaults=PAGED, **over)
        self.cluster.await_watch("Pod")
        return host

    def mark(self, host, text):
        """A small change after the large one, and that it has arrived."""
        self.cluster.modify("Pod", "small", change={"metadata": {"labels": {"mark": text}}})
        host.until(lambda: host.resource("Pod", "small")["labels"].get("mark") == text, 30,
                   f"the small change {text}")

    def check_same_watch(self):
        self.assertEqual(len(self.cluster.log.watches(PODS)), 1, self.cluster.log.text())
        self.assertEqual(len(self.cluster.log.lists(PODS)), 1, self.cluster.log.text())

    def test_a_pod_of_1_4_mib_and_what_follows(self):
        host = self.begin()
        text = "x" * int(1.4 * MIB)
        self.cluster.add("Pod", large("big", text))
        self.mark(host, "after")
        host.until(lambda: host.resource("Pod", "big"), describe="the big one")
        self.assertEqual(value_of(host.resource("Pod", "big")), text)
        self.check_same_watch()

    def test_a_line_of_3_mib_that_does_not_compress(self):
        host = self.begin()
        rng = random.Random(8)
        text = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz0123456789\u00e9\\\"\n", k=3 * MIB))
        self.cluster.add("Pod", large("big", text))
        self.mark(host, "after")
        host.until(lambda: host.resource("Pod", "big"), describe="the big one")
        self.assertEqual(value_of(host.resource("Pod", "big")), text)
        self.check_same_watch()

    def test_a_long_line_in_small_and_odd_pieces(self):
        self.cluster = self.fake()
        self.cluster.add("Pod", pod("small"))
        big = large("big", "y" * MIB)
        big["metadata"]["resourceVersion"] = "5000"
        line = {"type": "ADDED", "object": {"kind": "Pod", "apiVersion": "v1", **big}}
        self.cluster.override("GET", PODS, {"lines": [line], "every": 4093, "end": "hang"},
                              watch=True)
        host = self.ready(self.cluster, defaults=PAGED)
        host.wait_stored("Pod", 2)
        self.assertEqual(len(value_of(host.resource("Pod", "big"))), MIB)

    def check_named(self, host, name):
        host.until(lambda: host.logged(f"default/{name}"), describe=f"{name} named in the log")
        counted = host.metrics().search(COUNTERS)
        self.assertTrue(any(number >= 1 for _, _, number in counted), counted)

    def test_past_the_limit_it_is_named_counted_and_passed_over(self):
        host = self.begin(cluster={"max_object_bytes": 65536})
        self.cluster.add("Pod", large("huge", "z" * 200000))
        self.mark(host, "after")
        self.assertEqual(host.names("Pod"), ["small"])
        self.check_named(host, "huge")
        self.check_same_watch()

    def test_the_name_may_come_after_what_is_too_long(self):
        self.cluster = self.fake()
        self.cluster.add("Pod", pod("small"))
        huge = large("huge", "z" * 200000)
        meta = {**huge.pop("metadata"), "resourceVersion": "5000"}
        follow = pod("follow")
        follow["metadata"]["resourceVersion"] = "5001"
        lines = [{"object": {**huge, "metadata": meta, "kind": "Pod", "apiVersion": "v1"},
                  "type": "ADDED"},
                 {"type": "ADDED", "object": {"kind": "Pod", "apiVersion": "v1", **follow}}]
        self.cluster.override("GET", PODS, {"lines": lines, "end": "hang"}, watch=True)
        host = self.ready(self.cluster, defaults=PAGED, cluster={"max_object_bytes": 65536})
        host.until(lambda: host.names("Pod") == ["follow", "small"], describe="the next event")
        self.check_same_watch()

    def test_past_the_limit_in_a_list(self):
        self.cluster = self.fake(pods=3)
        self.cluster.add("Pod", large("huge", "z" * 200000))
        self.cluster.add_pods(3, prefix="q")
        host = self.ready(self.cluster, defaults=PAGED, cluster={"max_object_bytes": 65536})
        self.assertEqual(len(host.names("Pod")), 6)
        self.assertNotIn("huge", host.names("Pod"))
        self.check_named(host, "huge")
        self.check_same_watch()

    def test_an_object_that_grows_past_the_limit_and_shrinks_again(self):
        host = self.begin(cluster={"max_object_bytes": 65536})
        self.cluster.add("Pod", large("grows", "1"))
        host.wait_stored("Pod", 2)
        self.cluster.modify("Pod", "grows", spec=large("grows", "2" * 200000)["spec"])
        self.mark(host, "after")
        self.cluster.modify("Pod", "grows", spec=large("grows", "3")["spec"])
        host.until(lambda: value_of(host.resource("Pod", "grows")) == "3",
                   describe="the shrunken object")
        self.check_same_watch()

    @unittest.skipIf(env.SANITIZER, "a sanitizer keeps freed memory")
    def test_memory_falls_back(self):
        host = self.begin()
        before = host.memory_kb()
        for turn in range(8):
            if turn:
                self.cluster.modify("Pod", "big", spec=large("big", str(turn) * 3 * MIB)["spec"])
            else:
                self.cluster.add("Pod", large("big", "0" * 3 * MIB))
            self.mark(host, f"t{turn}")
        self.cluster.delete("Pod", "big")
        self.mark(host, "gone")
        host.until(lambda: host.memory_kb() < before + 24 * 1024, 30,
                   f"memory back near {before} kB")


if __name__ == "__main__":
    main()
