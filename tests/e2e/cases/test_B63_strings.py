"""B63 (SQLite): NUL and odd Unicode in strings stop nothing and lose nothing."""

import json

from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import pod

PODS = "/api/v1/pods"
ODD = {
    "k": "a\0b",
    "nul-first": "\0after",
    "nul-only": "\0",
    "emoji": "\U0001f600",
    "bad": "\ud800",
    "bad-low": "x\udc00y",
    "bad-order": "\udc00\ud800",
    "controls": "\b\f\n\r\t\x01\x1f\x7f",
    "quote": '"\\/',
    "separators": "\u2028\u2029\ufeff\uffff",
    "key\0one": "1",
    "key\0two": "2",
    "long": "\0" * 5000,
    "empty": "",
}


class Strings(KindredTest):
    def begin(self, **over):
        self.cluster = self.fake(pods=100)
        odd = pod("odd")
        odd["metadata"]["annotations"] = ODD
        self.cluster.add("Pod", odd)
        host = self.ready(self.cluster, defaults=PAGED, **over)
        self.assertEqual(len(host.names("Pod")), 101)
        return host

    def check(self, annotations, where):
        for key, value in ODD.items():
            with self.subTest(key=key, where=where):
                self.assertIn(key, annotations)
                if any("\ud800" <= c <= "\udfff" for c in value):
                    self.check_surrogate(annotations[key], value)
                else:
                    self.assertEqual(annotations[key], value)
        self.assertEqual(len(annotations), len(ODD))

    def check_surrogate(self, got, value):
        """As it was, or in a form that still names the code units."""
        if got != value:
            for char in value:
                self.assertIn(f"{ord(char):x}" if "\ud800" <= char <= "\udfff" else char,
                              got.lower())

    def check_host(self, host):
        reply = host.api.get("/api/v1/resources", kind="Pod", name="odd")
        item = json.loads(reply.body.decode("utf-8", "strict"))["items"][0]
        self.check(item["annotations"], "annotations")
        self.check(item["data"]["metadata"]["annotations"], "data")

    def test_all_are_stored_and_kept(self):
        host = self.begin()
        self.check_host(host)
        self.assertEqual(host.kind("Pod")["state"], "synced")
        self.assert_lists(self.cluster, PODS, 1)

    def test_in_a_file_and_after_a_restart(self):
        host = self.begin(store={"path": self.path("graph.db")})
        self.assertEqual(host.stop(), 0)
        host.start().wait_ready()
        self.check_host(host)

    def test_kindredctl_writes_valid_json(self):
        host = self.begin()
        code, out, err = host.ctl("get", "pod", "-o", "json")
        self.assertEqual(code, 0, err)
        text = json.dumps(json.loads(out))
        self.assertIn("a\\u0000b", text)
        for form in ("table", "yaml", "name"):
            code, out, err = host.ctl("get", "pod", "odd", "-n", "default", "-o", form)
            self.assertEqual((code, "odd" in out), (0, True), err)
            self.assertNotIn("\0", out)

    def test_by_a_watch_too_and_changes_are_seen(self):
        host = self.begin()
        self.cluster.await_watch("Pod")
        self.cluster.modify("Pod", "odd", change={"metadata": {"annotations": {"k": "a\0c"}}})
        host.until(lambda: host.resource("Pod", "odd")["annotations"]["k"] == "a\0c",
                   describe="a change after a NUL")

    def test_odd_escapes_cut_at_any_byte(self):
        cluster = self.fake()
        item = pod("odd")
        item["metadata"].update(annotations=ODD, resourceVersion="7", uid="u")
        cluster.override("GET", PODS, {"list": {"items": [item]}, "every": 1}, watch=False)
        cluster.override("GET", PODS, {"chunks": [], "end": "hang"}, watch=True)
        self.check_host(self.ready(cluster, defaults=PAGED))

    def test_raw_bytes_that_are_no_utf8(self):
        """An invalid byte, a NUL byte and a raw control harm at most their own object."""
        good = json.dumps(pod("good")).encode()
        for bad in (b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\0", b"\n"):
            with self.subTest(bad):
                cluster = self.fake()
                broken = good.replace(b'"good"', b'"broken"')
                broken = broken.replace(b'"app": "', b'"app": "' + bad)
                body = (b'{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},'
                        b'"items":[' + broken + b"," + good + b"]}")
                cluster.override("GET", PODS, {"chunks": [body], "framing": "length"}, watch=False)
                cluster.override("GET", PODS, {"chunks": [], "end": "hang"}, watch=True)
                host = self.started(cluster, defaults=PAGED)
                host.until(lambda h=host: "good" in h.names("Pod"), describe="the good pod")
                host.api.get("/api/v1/resources", kind="Pod").body.decode("utf-8", "strict")
                host.stop()


if __name__ == "__main__":
    main()
