"""What the linker and the compiler were asked for is in the binaries, and holds while they run."""

import glob
import os
import re
import subprocess
import unittest

from e2e.lib import env
from e2e.lib.case import ALL, KindredTest, main


def readelf(path, *words):
    return subprocess.run(["readelf", "-W", *words, path], capture_output=True, text=True,
                          check=True, timeout=env.scaled(60)).stdout


class Binaries(unittest.TestCase):
    def setUp(self):
        self.programs = [env.program("kindred"), env.program("kindredctl")]
        self.plugins = sorted(glob.glob(os.path.join(env.BUILD, "plugins", "*.so")))
        self.assertGreater(len(self.plugins), 10)

    def test_loaded_at_any_address_and_bound_at_once(self):
        for path in self.programs + self.plugins:
            with self.subTest(file=path):
                self.assertIn("DYN", readelf(path, "-h"))
                dynamic = readelf(path, "-d")
                self.assertRegex(dynamic, r"BIND_NOW|FLAGS.*NOW")
                self.assertNotIn("TEXTREL", dynamic)
                self.assertNotRegex(dynamic, r"R(UN)?PATH")
        for path in self.programs:
            self.assertRegex(readelf(path, "-d"), r"FLAGS_1.*PIE")

    def test_no_segment_is_writable_and_executable(self):
        for path in self.programs + self.plugins:
            with self.subTest(file=path):
                segments = readelf(path, "-l")
                self.assertIn("GNU_RELRO", segments)
                flags = re.findall(r"^  (\w+) +(?:0x\w+ +){5}([RWE ]{3})", segments, re.M)
                self.assertIn("GNU_STACK", [kind for kind, _ in flags])
                self.assertEqual([f for f in flags if "W" in f[1] and "E" in f[1]], [])

    @unittest.skipIf(env.SANITIZER, "sanitizers bring checks of their own")
    def test_stack_and_buffers_are_guarded(self):
        for path in self.programs:
            symbols = readelf(path, "--dyn-syms")
            self.assertIn("__stack_chk_fail", symbols)
            self.assertRegex(symbols, r"__\w+_chk\b(?<!__stack_chk)")


@unittest.skipIf(env.SANITIZER, "sanitizers map what they need")
class Running(KindredTest):
    def test_no_memory_is_writable_and_executable(self):
        host = self.ready(self.fake(pods=5), ALL)
        with open(f"/proc/{host.process.pid}/maps", encoding="utf-8") as file:
            maps = file.read().splitlines()
        self.assertTrue([line for line in maps if "pod.so" in line])
        self.assertEqual([line for line in maps if re.search(r" .w.?x", line) or " rwx" in line],
                         [])


if __name__ == "__main__":
    main()
