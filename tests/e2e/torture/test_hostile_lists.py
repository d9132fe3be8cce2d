"""Lists from a server that means no good: bounded memory, a clear line, other kinds unharmed."""

import json
import zlib

from e2e.lib.case import main
from e2e.torture.attack import HANG, Attack, listed, made

HEAD = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"20"},"items":['


def body(*items):
    return {"text": HEAD + ",".join(i if isinstance(i, str) else json.dumps(i) for i in items)
            + "]}"}


def bomb(before, char, mib, after):
    """A gzip answer of `mib` MiB of one character, some KB on the wire."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    out = [packer.compress(before)]
    out += [packer.compress(char * (1 << 20)) for _ in range(mib)]
    out += [packer.compress(after), packer.flush()]
    return {"chunks": [b"".join(out)], "framing": "length",
            "headers": {"Content-Encoding": "gzip"}}


class HostileLists(Attack):
    def synced(self, answer, *words):
        host = self.begin([answer], [HANG]).wait_state("Pod", "synced")
        self.assertTrue(not words or host.logged(*words), host.log_text())
        self.assert_unharmed()
        return host

    def failing(self, answer, *words):
        host = self.begin([answer], [HANG]).wait_state("Pod", "failing")
        self.assertTrue(host.logged("out of reach", *words), host.log_text())
        self.assert_calm()
        self.assert_unharmed()
        return host

    def test_100000_levels(self):
        deep = ('{"metadata":{"name":"deep","namespace":"default"},"spec":' + "[" * 100000
                + "]" * 100000 + "}")
        host = self.synced(body(made("a"), deep, made("b")), "left out", "deep", "nested")
        host.until(lambda: host.names() == ["a", "b"], describe="the others")

    def test_brackets_that_never_close(self):
        self.failing({"text": HEAD + "[" * 3000000}, "cut off")

    def test_numbers_of_3_mb(self):
        big = ('{"metadata":{"name":"big","namespace":"default","generation":' + "9" * 3000000
               + "}}")
        host = self.synced(body(made("a"), big, "1" * 3000000, made("b")), "no usable name")
        host.until(lambda: host.kind("Pod")["stored"] == 3, describe="the others")

    def test_the_same_key_twice_in_a_list_and_in_an_object(self):
        twice = ('{"metadata":{"name":"x1","name":"x2","namespace":"default"},'
                 '"metadata":{"name":"y","namespace":"default","resourceVersion":"5"}}')
        last = made("a", "12", labels={"is": "last"})
        host = self.synced(body(twice, made("a", "11"), made("a", "10"), last))
        host.until(lambda: {"a", "y"} == set(host.names()), describe="one of each")
        host.until(lambda: host.resource("Pod", "a")["labels"] == {"is": "last"},
                   describe="the newest one")

    def test_names_that_no_server_gives(self):
        names = ["a/b", "../../x", "nul\0nul", "x" * 253, "sp ace", "\ud800", "%2e", "new\nline"]
        bad = made("y" * 10240)
        host = self.synced(listed(*[made(n) for n in names], bad), "left out", "no usable name")
        host.until(lambda: host.kind("Pod")["stored"] == len(names), describe="the names")
        self.assertEqual(set(host.names()), {n.replace("\ud800", "\ufffd") for n in names})

    def test_what_is_no_list_leaves_the_kind_as_it_is(self):
        for text in ("{}", '{"kind":"Pod","metadata":{"name":"x"}}', "<html>", ""):
            with self.subTest(text):
                host = self.begin([listed(made("a")), {"text": text}], [
                    {"chunks": [], "status": 410}, HANG])
                host.wait_state("Pod", "failing")
                self.assertEqual(host.names(), ["a"])
                self.assert_unharmed()

    def test_a_million_items_that_are_none_do_not_fill_the_disk(self):
        host = self.synced({"text": HEAD + "7," * 300000 + "7]}"}, "left out")
        self.assertLess(len(host.log_text()), 100000)
        found = host.metrics().search("skipped|left_out")
        self.assertTrue(any(n >= 300000 for _, _, n in found), found)

    def test_pages_without_end(self):
        count = iter(range(10**9))
        for name, page in (
                ("one token", lambda _: listed(made("a"), **{"continue": "t"})),
                ("empty", lambda _: listed(**{"continue": f"t{next(count)}"}))):
            with self.subTest(name):
                host = self.begin([page], [HANG], cluster={"qps": 5000.0, "burst": 5000})
                host.wait_state("Pod", "failing", 40)
                self.assertTrue(host.logged("out of reach", "pages follow"), host.log_text())
                self.assert_unharmed()

    def test_gzip_bombs(self):
        named = b'{"metadata":{"resourceVersion":"20"},"items":[{"metadata":{"name":"a",' \
                b'"namespace":"default","labels":{"a":"'
        host = self.synced(bomb(named, b"a", 200, b'"}}}]}'), "left out", "max_object_bytes")
        self.assertEqual(host.kind("Pod")["objects"], 0)
        self.synced(bomb(b'{"kind":"PodList",', b" ", 200, b'"items":[]}'))
        self.failing(bomb(b'{"metadata":{"x":"', b"x", 200, b'"},"items":[]}'), "own fields")


if __name__ == "__main__":
    main()
