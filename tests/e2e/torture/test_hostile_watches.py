"""Watches from a server that means no good."""

import json

from e2e.lib.case import main
from e2e.torture.attack import Attack, event, listed, made

EXPIRED = {"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired"}}


def line(obj):
    return json.dumps(obj) + "\n"


def bookmark(version):
    return {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": version}}}


class HostileWatches(Attack):
    def attack(self, *chunks, end="hang"):
        host = self.begin([listed(made("a"))], [{"chunks": list(chunks), "end": end}])
        host.until(lambda: "a" in host.names(), describe="the list")
        self.cluster.log.wait(1, path="/api/v1/pods", verb="watch")
        return host

    def test_garbage_is_a_failure_and_no_loop(self):
        for text in ("\x00\x01garbage\n", "<html>\n<body>\n", '{"a":1}\n',
                     line(event("MODIFIED", made("a", "50"))) + "garbage\n"):
            with self.subTest(text[:20]):
                host = self.attack(text, end="close")
                host.wait_state("Pod", "failing")
                self.assertTrue(host.logged("out of reach", "malformed"))
                self.assert_calm()
                self.assert_unharmed()
                self.assertEqual(host.names(), ["a"])

    def test_half_a_line_then_silence(self):
        self.attack('{"type":"ADDED","object":{"metadata":{"na')
        self.assert_calm(requests=0)
        self.assert_unharmed()

    def test_odd_events_are_passed_over(self):
        host = self.attack(
            '{"type":"BOOKMARK","object":{"kind":"Pod"}}\n{"type":"BOOKMARK","object":null}\n'
            '{"type":"BOOKMARK"}\n{"type":"BOOKMARK","object":{"metadata":'
            '{"resourceVersion":7}}}\n', line(event("DELETED", made("never", "30"))),
            *[line(event(t, made(n, v))) for t, n, v in (
                ("MODIFIED", "a", "50"), ("MODIFIED", "a", "xyz"), ("ADDED", "b", "45"),
                ("DELETED", "a", "30"), ("ADDED", "a", "12"), ("MODIFIED", "last", "99"))])
        host.until(lambda: host.names() == ["a", "b", "last"], describe="what is left")
        self.assert_calm(requests=0)
        self.assert_unharmed()

    def test_watches_that_end_after_each_event_do_not_spin(self):
        for text, end in ((line(event("MODIFIED", made("a", "50"))), "close"),
                          (line(bookmark("30")), "reset"),
                          (line(bookmark("20")) + line(EXPIRED), "close")):
            with self.subTest(text[:40]):
                self.attack(text, end=end)
                self.assert_calm(requests=20)
                self.assert_unharmed()

    def test_floods(self):
        for name, chunk, count in (
                ("unknown types", '{"type":"X","object":{}}\n' * 1000, 100),
                ("newlines", "\n" * (1 << 20), 30), ("bookmarks", line(bookmark("30")) * 1000, 100),
                ("one line", "x" * (1 << 20), 100)):
            with self.subTest(name):
                start = '{"type":"ADDED","object":{"metadata":{"name":"big","namespace":' \
                        '"default"},"x":"' if name == "one line" else ""
                host = self.attack(start, *[chunk] * count)
                self.assert_unharmed()
                self.assertEqual(host.names(), ["a"])
                self.assertLess(len(host.log_text()), 100000)


if __name__ == "__main__":
    main()
