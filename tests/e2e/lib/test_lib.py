"""The harness itself, without kindred: files, waits, processes, plugin heads, metrics parser."""

import os
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

from e2e.lib import conf, elf, env, prom
from e2e.lib.kindred import Ended, Kindred
from e2e.lib.waiting import stays, wait_until

STUB = """#!/bin/sh
echo '{"level":"info","msg":"started"}'
trap 'exit 0' TERM
while :; do sleep 0.05; done
"""
HEAD = """#include <stdint.h>
struct head { uint32_t magic, size; uint16_t major, minor, host, reserved; uint64_t caps;
              const char *name; };
const struct head kindred_plugin = { 0x1234, 99, 1, 2, 3, 0, 5, "x" };
"""


class Files(unittest.TestCase):
    def test_libconfig(self):
        text = conf.text({"a": {"b": True, "n": 2**40, "f": 1.5, "e": {}}, "l": ["x", "y"],
                          "t": 'q"\\\n', "kinds": [{"plugin": "pod"}]})
        for piece in ("b = true;", "n = 1099511627776L;", "f = 1.5;", "e = { };",
                      'l = [ "x", "y" ];', 't = "q\\"\\\\\\n";', 'plugin = "pod";'):
            self.assertIn(piece, text)

    def test_merged_goes_one_level_deep(self):
        base = {"a": {"x": 1, "y": 2}, "k": [1]}
        self.assertEqual(conf.merged(base, {"a": {"y": 3}, "k": [2]}),
                         {"a": {"x": 1, "y": 3}, "k": [2]})
        self.assertEqual(base["a"]["y"], 2)


class Waits(unittest.TestCase):
    def test_wait_until(self):
        self.assertEqual(wait_until(iter([0, None, 7]).__next__), 7)
        with self.assertRaisesRegex(AssertionError, "waited 0 s for a thing; last: 0"):
            wait_until(lambda: 0, 0.0, "a thing")

    def test_stays(self):
        stays(lambda: True, 0.1)
        with self.assertRaises(AssertionError):
            stays(iter([True, False]).__next__, 5)


class Process(unittest.TestCase):
    def begin(self, text):
        folder = tempfile.mkdtemp(prefix="kd-lib-")
        self.addCleanup(shutil.rmtree, folder)
        program = os.path.join(folder, "kindred")
        with open(program, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(program, 0o755)
        with mock.patch.object(env, "BUILD", folder):
            return Kindred(folder, {}).start()

    def test_log_stop_and_exit_code(self):
        host = self.begin(STUB)
        host.until(lambda: host.log_lines(), describe="the log")
        self.assertEqual(host.log_lines(), [{"level": "info", "msg": "started"}])
        self.assertTrue(host.logged("STARTED"))
        self.assertEqual(host.stop(), 0)
        host.collect()
        self.assertIn("started", host.tail)

    def test_a_wait_ends_with_the_process(self):
        host = self.begin("#!/bin/sh\nexit 3\n")
        with self.assertRaisesRegex(Ended, "exit code 3"):
            host.until(lambda: False, 30, "nothing")

    def test_a_process_that_does_not_stop_is_killed(self):
        host = self.begin(STUB.replace("exit 0", ":"))
        host.until(lambda: host.log_lines(), describe="the log")
        with self.assertRaisesRegex(AssertionError, "did not end"):
            host.stop(0.2)
        self.assertFalse(host.running())

    def test_sanitizer_reports_fail(self):
        for line in ("==1==ERROR: AddressSanitizer: heap-use-after-free", "WARNING: "
                     "ThreadSanitizer: data race", "a.c:1:2: runtime error: overflow"):
            host = self.begin(f"#!/bin/sh\necho '{line}' >&2\n")
            host.wait_exit()
            with self.assertRaisesRegex(AssertionError, "sanitizer report"):
                host.collect()


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class Heads(unittest.TestCase):
    def test_fields_are_found_and_set(self):
        with tempfile.TemporaryDirectory(prefix="kd-lib-") as folder:
            source, target = os.path.join(folder, "x.so"), os.path.join(folder, "y.so")
            subprocess.run(["cc", "-shared", "-fPIC", "-xc", "-", "-o", source],
                           input=HEAD.encode(), check=True, timeout=60)
            self.assertEqual(elf.read_head(source), {
                "magic": 0x1234, "struct_size": 99, "abi_major": 1, "abi_minor": 2,
                "min_host_minor": 3, "required_caps": 5})
            elf.patched(source, target, abi_major=7, required_caps=1 << 61)
            self.assertEqual(elf.read_head(target)["abi_major"], 7)
            self.assertEqual(elf.read_head(target)["required_caps"], 1 << 61)
            self.assertEqual(elf.read_head(target)["abi_minor"], 2)


class Parser(unittest.TestCase):
    """The parser itself is as strict as it says."""

    def test_good_pages(self):
        page = prom.Metrics('# HELP a A \\\\ and \\n.\n# TYPE a counter\na{x="q\\"\\\\\\n"} 1\n'
                            "a 2 123\n# a comment\nb +Inf\n# TYPE h histogram\n"
                            'h_bucket{le="1"} 1\nh_bucket{le="+Inf"} 2\nh_sum 3.5e0\nh_count 2\n')
        self.assertEqual(page.samples("a", x='q"\\\n'), [({"x": 'q"\\\n'}, 1.0)])
        self.assertEqual(page.value("a"), 3)
        self.assertEqual(page.families["h"].type, "histogram")

    def test_bad_pages(self):
        for text in ("a 1", "a one\n", "a{x=1} 1\n", 'a{x="1" 1\n', 'a{x="a\\q"} 1\n',
                     "a 1\na 1\n", "a 1\nb 1\na{x=\"1\"} 1\n", "1a 1\n", "a  1\n",
                     "# TYPE a curve\na 1\n", "a 1\n# TYPE a gauge\n",
                     'a{x="1",x="2"} 1\n', 'a{x="new\nline"} 1\n',
                     '# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\n'
                     "h_sum 1\nh_count 1\n",
                     '# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n'):
            with self.subTest(text), self.assertRaises(prom.FormatError):
                prom.parse(text)


if __name__ == "__main__":
    unittest.main()
