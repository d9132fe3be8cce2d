"""The manual pages: well formed, installed, and of one mind with the programs."""

import os
import re
import subprocess
import tempfile
import unittest

from e2e.lib import env, manual

FOLDER = os.path.join(env.SOURCE, "docs", "man")
RENEW = "PYTHONPATH=tests python3 -m e2e.lib.manual renews it"
PAGES = ("kindred.1", "kindredctl.1", "kindred.conf.5")


def read(*names):
    with open(os.path.join(env.SOURCE, *names), encoding="utf-8") as file:
        return file.read()


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=env.scaled(60))


class Manual(unittest.TestCase):
    maxDiff = None

    def test_mandoc_finds_nothing(self):
        for page in PAGES:
            done = run("mandoc", "-Tlint", "-Wstyle", os.path.join(FOLDER, page))
            found = [line for line in done.stdout.splitlines()
                     if "referenced manual not found" not in line]   # they may not be installed
            self.assertEqual((found, done.stderr), ([], ""))

    def test_man_shows_them(self):
        for page in PAGES:
            done = subprocess.run(["man", "-l", "--warnings", os.path.join(FOLDER, page)],
                                  capture_output=True, text=True, timeout=env.scaled(60),
                                  env={**os.environ, "LC_ALL": "C", "MANPAGER": "cat",
                                       "MANWIDTH": "100"})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(page.split(".")[0].upper(), done.stdout)

    def test_commands_and_options(self):
        done = run(env.program("kindredctl"), "--help")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(manual.block(read("docs", "man", "kindredctl.1"), "commands"),
                         manual.commands(done.stdout), RENEW)
        self.assertIn(".It Cm diff Ar BACKUP BACKUP\n", manual.commands(done.stdout))
        self.assertIn(".It Fl w , -watch\n", manual.commands(done.stdout))

    def test_keys(self):
        page = read("docs", "man", "kindred.conf.5")
        self.assertEqual(manual.block(page, "keys"), manual.keys(read("docs", "configuration.md")),
                         RENEW)
        self.assertIn(".It Cm flush_interval\n", page)

    def test_the_words_of_kindred(self):
        page = read("docs", "man", "kindred.1")
        said = run(env.program("kindred"), "--help")
        words = said.stdout + said.stderr
        for word in re.findall(r"kindred (\w+)", words):
            self.assertIn(f".Cm {word}\n", page)
        for option in re.findall(r"--(\w+)", words):
            self.assertIn(f"Fl -{option}", page)

    def test_they_are_installed(self):
        with tempfile.TemporaryDirectory(prefix="kd-man-") as folder:
            done = subprocess.run(["cmake", "--install", env.BUILD, "--prefix", folder],
                                  capture_output=True, text=True, timeout=env.scaled(120))
            self.assertEqual(done.returncode, 0, done.stderr)
            for page in PAGES:
                path = os.path.join(folder, "share", "man", f"man{page[-1]}", page)
                self.assertTrue(os.path.exists(path), path)
            for path in ("lib/kindred/kindred_sqlite.so",
                         "share/bash-completion/completions/kindredctl",
                         "share/zsh/vendor-completions/_kindredctl",
                         "share/fish/vendor_completions.d/kindredctl.fish"):
                path = os.path.join(folder, path)
                self.assertTrue(os.path.exists(path) and os.path.getsize(path) > 0, path)


if __name__ == "__main__":
    unittest.main()
