#!/usr/bin/env python3
"""Rules of the tree that no compiler holds: layers, sizes, words, scripts, the layout."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import layers  # noqa: E402
import tree    # noqa: E402

LINES_MAX = 400
COLUMNS_MAX = 100
BANNED = ("strcpy strcat sprintf vsprintf strtok atoi strncpy alloca gets system popen").split()
COMPILER = os.environ.get("CC", "gcc")
FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Icore",
         "-Iinclude", "-Itests"]


class Lint(unittest.TestCase):
    def none(self, faults):
        faults = list(faults)
        if faults:
            self.fail(f"{len(faults)} fault(s):\n" + "\n".join(faults))

    def grep(self, names, pattern, body=tree.text):
        self.none(hit for name in names for hit in tree.grep(name, body(name), pattern))


class Layout(Lint):
    def test_the_top_level_is_the_given_one(self):
        top = {name.split("/")[0] for name in tree.files()}
        self.assertEqual(sorted(n for n in top if not n.startswith(".")), sorted(tree.LAYOUT))

    def test_files_are_short(self):
        self.none(f"{name}: {count} lines, at most {LINES_MAX}" for name in tree.sources()
                  if (count := tree.text(name).count("\n")) > LINES_MAX)

    def test_lines_are_short(self):
        self.none(f"{name}:{number}: {len(line)} columns, at most {COLUMNS_MAX}"
                  for name in tree.sources()
                  for number, line in enumerate(tree.text(name).split("\n"), 1)
                  if len(line) > COLUMNS_MAX)

    def test_sources_are_ascii(self):
        self.none(f"{name}:{number}: not ASCII" for name in tree.sources()
                  for number, line in enumerate(tree.data(name).split(b"\n"), 1)
                  if not line.isascii())


class Layers(Lint):
    def test_a_stage_includes_only_what_stands_above_it(self):
        names = [n for n in tree.c_files() if n.startswith(("core/", "plugins/", "include/"))]
        self.none(fault for name in names for fault in layers.faults(name, tree.text(name)))

    def test_the_check_sees_a_breach(self):
        bad = {"core/json/x.c": '#include "store/store.h"\n',
               "core/ctl/x.c": '# include "config/settings.h"\n',
               "core/other/x.c": '#include "base/str.h"\n',
               "plugins/pod/pod.c": '#include "base/str.h"\n',
               "include/kindred/x.h": "#include <curl/curl.h>\n"}
        for name, body in bad.items():
            self.assertEqual(len(list(layers.faults(name, body))), 1, name)
        good = {"core/main.c": '#include "manager/manager.h"\n#include <event2/event.h>\n',
                "core/store/x.h": '#include "store/y.h"\n#include "informer/record.h"\n',
                "plugins/pod/pod.c": "#include <kindred/plugin.h>\n#include <string.h>\n"}
        for name, body in good.items():
            self.assertEqual(list(layers.faults(name, body)), [], name)

    def test_every_header_compiles_alone(self):
        if not shutil.which(COMPILER):
            self.skipTest(f"no {COMPILER}")

        def compile_one(name):
            run = subprocess.run([COMPILER, *FLAGS, "-fsyntax-only", "-x", "c", name],
                                 cwd=tree.ROOT, capture_output=True, text=True)
            return f"{name}:\n{run.stderr}" if run.returncode else None

        headers = [n for n in tree.c_files() if n.endswith(".h")
                   and n.startswith(("core/", "include/", "tests/unit/"))]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            self.none(filter(None, pool.map(compile_one, headers)))


class Words(Lint):
    def test_banned_calls(self):
        self.grep(tree.c_files(), r"\b(" + "|".join(BANNED) + r")\s*\(", tree.code)

    def test_no_tabs_in_c(self):
        self.grep(tree.c_files(), r"\t")

    def test_nothing_is_left_for_later(self):
        names = [n for n in tree.files() if tree.is_text(n)]
        self.grep(names, r"\b(" + "TO" + "DO|FIX" + "ME)\\b")

    def test_no_path_of_a_machine(self):
        names = [n for n in tree.files() if tree.is_text(n)]
        self.grep(names, r"(?<![\w.$}])/(work|root)" + "/")

    def test_the_stripper_leaves_code_alone(self):
        for body, left in (("a /* gets( */ b", "a             b"), ('x = "gets(";', "x =        ;"),
                           ("'\"' gets(x)", "    gets(x)"), ("a // y\nb", "a     \nb")):
            with unittest.mock.patch.object(tree, "text", lambda name, body=body: body):
                self.assertEqual(tree.code("x.c"), left)


class Scripts(Lint):
    def test_shellcheck(self):
        if not shutil.which("shellcheck"):
            self.skipTest("shellcheck is not installed")
        names = tree.shell_files()
        run = subprocess.run(["shellcheck", "-x", "--format=gcc", *names], cwd=tree.ROOT,
                             capture_output=True, text=True)
        self.none(run.stdout.splitlines() + run.stderr.splitlines())

    def test_python_compiles(self):
        for name in tree.python_files():
            compile(tree.text(name), name, "exec")


if __name__ == "__main__":
    unittest.main()
