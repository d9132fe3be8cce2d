"""docs/plugin-guide.md, word for word: its sh blocks are one shell's session, and the lines of a
text block are printed by the block before it."""

import os
import re
import subprocess
import tempfile
import unittest

from e2e.cluster.real import PATIENCE, PROGRAM, TOOLS
from e2e.lib import env
from e2e.lib.case import main

PAGE = os.path.join(env.SOURCE, "docs", "plugin-guide.md")
MARK = "=== end of block"


def blocks():
    """[(commands, lines that they print)]"""
    with open(PAGE, encoding="utf-8") as file:
        found = re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", file.read())
    made = []
    for kind, text in found:
        if kind == "sh":
            made.append((text, []))
        else:
            made[-1][1].extend(text.splitlines())
    return made


class PluginGuide(unittest.TestCase):
    def setUp(self):
        if not os.access(PROGRAM, os.X_OK):
            raise unittest.SkipTest("the control plane is not built: run tests/cluster/build")
        if not os.path.exists(os.path.join(env.SOURCE, "build", "cmake_install.cmake")):
            raise unittest.SkipTest("build/ of the source tree is what the page installs")
        self.home = tempfile.TemporaryDirectory(prefix="kd-guide-")
        self.addCleanup(self.home.cleanup)
        self.addCleanup(self.cluster_down)

    def cluster_down(self):
        folder = os.path.join(self.home.name, "cluster")
        if os.path.exists(folder):
            subprocess.run([os.path.join(TOOLS, "down"), folder], stdin=subprocess.DEVNULL,
                           capture_output=True, timeout=PATIENCE, check=False)

    def session(self, commands):
        """What bash printed; its background jobs end with it."""
        script = "set -e\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n" + "".join(
            f"{text}echo '{MARK}'\n" for text in commands)
        environ = {k: v for k, v in os.environ.items()
                   if not k.startswith("KINDRED_") and k not in ("KUBECONFIG", "LSAN_OPTIONS")}
        with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
            code = subprocess.run(["bash", "-c", script], cwd=self.source(), stdout=out,
                                  stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                  env={**environ, "HOME": self.home.name},
                                  timeout=4 * PATIENCE, check=False).returncode
            out.seek(0)
            return code, out.read()

    def source(self):
        """The source tree as a folder that may be written to: only build/ and tests/ are used."""
        folder = os.path.join(self.home.name, "source")
        os.mkdir(folder)
        for name in ("build", "tests"):
            os.symlink(os.path.join(env.SOURCE, name), os.path.join(folder, name))
        return folder

    def test_the_page(self):
        wanted = blocks()
        self.assertGreater(len(wanted), 10)
        self.assertGreater(sum(len(lines) for _, lines in wanted), 15)
        code, said = self.session([text for text, _ in wanted])
        self.assertEqual(code, 0, said)
        printed = said.split(MARK + "\n")
        self.assertEqual(len(printed), len(wanted) + 1, said)
        for (text, lines), part in zip(wanted, printed):
            have = [line.rstrip() for line in part.splitlines()]
            for line in lines:
                self.assertIn(line, have, f"{text}\nprinted\n{part}")


if __name__ == "__main__":
    main()
