"""The lock of the plugin ABI: old plugins load, new ones load in an old host, plugins of any
compiler do the same, and the interface does not change without a minor and a line in the ledger."""

import itertools
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from e2e.lib import env
from e2e.lib.case import KindredTest, main

HERE = os.path.join(env.SOURCE, "tests", "abi")
HEADERS = os.path.join(env.SOURCE, "include")
PROBE = os.path.join(env.SOURCE, "tests", "plugins", "probe.c")
BUILT = os.path.join(env.BUILD, "tests", "abi")
WANTED = """\
Peer Probe.{group}:v1/a/p@1 -> Probe.{group}:v1/a/q@2 rivals=1 up=1?
{{"labels":{{"set":"yes"}},"annotations":{{}},"data":{{"apiVersion":"{group}/v1","kind":"Probe",\
"metadata":{{"name":"p","namespace":"a","uid":"1"}},"spec":{{"peer":"q"}},"status":1}}}}
{{"labels":{{"l":"v"}},"annotations":{{}},"data":{{"apiVersion":"{group}/v1","kind":"Probe",\
"metadata":{{"name":"q","namespace":"a","uid":"2","labels":{{"l":"v"}}}}}}}}
log debug hello
event added Probe/a/p: queued
event added Probe/a/q: queued
event modified Probe/a/p status: dropped
event added Probe/a/r: queued
event added Steady//s: queued
get Probe/a/q: found
list spec.peer=q: 1
run Probe/a/p: done
run Probe/a/q: done
run Probe/a/r: terminal error, no retry
get Steady//s: found
run Steady//s: requeue after 1m
event deleted Probe/a/p: queued
log info gone with a peer
run Probe/a/p: done
""".format(group="example.org")
WANTED_OF_AN_OLD_HOST = """\
hello
no part
part
spec.peer
Peer 2 7
Peer 2 7
gone with a peer
"""
# A plugin without instruments in a host with them, and the other way round.
SANITIZED = "-fsanitize=address,undefined"


def run(*command, code=0, **more):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=120, **more)
    if done.returncode != code:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def compiler(*names):
    return next(filter(None, map(shutil.which, names)), None)


class Abi(KindredTest):
    def build(self, name, cc, source, *flags, headers=HEADERS, defines=()):
        target = self.path(f"{name}.so")
        standard = "-std=c++17" if source.endswith(".cc") else "-std=c11"
        run(cc, standard, "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra",
            "-Wpedantic", "-Werror", "-I", headers, f'-DPLUGIN_NAME="{name}"', *defines, *flags,
            source, "-o", target)
        os.chmod(target, 0o755)
        return target

    def assert_runs(self, plugin, **more):
        self.assertEqual(run(os.path.join(BUILT, "abi_run"), plugin, **more), WANTED, plugin)

    def test_a_plugin_of_each_released_header_runs_today(self):
        self.assert_runs(os.path.join(BUILT, "released-1-0.so"))

    def test_todays_plugin_runs_in_a_host_of_the_first_release(self):
        plugin = os.path.join(env.test_plugin_folder(), "probe.so")
        self.assertEqual(run(os.path.join(BUILT, "abi_host_1_0"), plugin), WANTED_OF_AN_OLD_HOST)

    def variants(self):
        """(name, compiler, source, flags) of every way to build."""
        compilers = {"gcc": compiler("gcc"), "clang": compiler("clang", "clang-14")}
        plus = {"gcc": compiler("g++"), "clang": compiler("clang++", "clang++-14")}
        sources = ((compilers, PROBE, "c"), (plus, os.path.join(HERE, "plugin.cc"), "cc"))
        for family, (by, source, short), level in itertools.product(
                compilers, sources, ("-O0", "-O3")):
            self.assertTrue(by[family], f"{family} for {short}: deploy/install-deps --tests")
            yield f"{family}-{short}{level.lower()}", by[family], source, level

    def test_every_compiler_and_level(self):
        groups, names = {}, []
        for number, (name, cc, source, level) in enumerate(self.variants()):
            with self.subTest(name):
                self.assert_runs(self.build(name, cc, source, level))
            groups[name] = f'-DPLUGIN_GROUP="g{number}.example.org"'
            self.build(name, cc, source, level, defines=[groups[name]])
            names.append(name)
        os.chmod(self.folder, 0o755)
        host = self.host(self.fake(), names, plugins={"directory": self.folder})
        code, out, err = host.once("check")
        self.assertEqual(code, 0, out + err)
        for number, name in enumerate(names):
            self.assertIn(f"plugin {name} 1.0.0: probes.g{number}.example.org/v1", out)

    def test_instruments_on_one_side_of_the_border(self):
        if env.SANITIZER == "thread":
            self.skipTest("a thread sanitizer's process takes no plugin of another's")
        if env.SANITIZER:  # the host has them, and the plugin has none
            return self.test_every_compiler_and_level()
        for suffix, source in (("gcc", PROBE), ("g++", os.path.join(HERE, "plugin.cc"))):
            plugin = self.build("instruments", compiler(suffix), source, "-O1", SANITIZED)
            preload = ":".join(run("gcc", f"-print-file-name=lib{name}.so").strip()
                               for name in ("asan", "ubsan"))
            self.assert_runs(plugin, env={**os.environ, "LD_PRELOAD": preload,
                                          "ASAN_OPTIONS": "detect_leaks=0"})
        return None

    def test_headers_compile_as_cpp(self):
        for cc in (compiler("g++"), compiler("clang++", "clang++-14")):
            for header in sorted(os.listdir(os.path.join(HEADERS, "kindred"))):
                source = self.write("all.cc", f"#include <kindred/{header}>\nint main() {{}}\n")
                for standard in ("c++11", "c++20"):
                    run(cc, f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic",
                        "-Werror", "-I", HEADERS, source)

    def test_each_plugin_shows_one_symbol(self):
        folder = os.path.join(env.BUILD, "plugins")
        names = sorted(n for n in os.listdir(folder) if n.endswith(".so"))
        self.assertGreater(len(names), 20)
        for name in names:
            said = run("nm", "-D", "--defined-only", "--format=posix", os.path.join(folder, name))
            symbols = [line.split()[0] for line in said.splitlines()
                       if not line.startswith("__odr_asan")]
            self.assertEqual(symbols, ["kindred_plugin"], name)


class Ledger(unittest.TestCase):
    """abidiff between the newest frozen headers and today's: any difference needs a new minor, its
    line in the ledger, and a frozen folder of its own."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="kd-abi-")
        self.addCleanup(self.scratch.cleanup)
        with open(os.path.join(HEADERS, "kindred", "plugin.h"), encoding="ascii") as file:
            self.header = file.read()

    def frozen(self):
        """(major, minor) of each frozen folder, sorted."""
        found = (re.fullmatch(r"v(\d+)\.(\d+)", name) for name in os.listdir(HERE))
        return sorted((int(m[1]), int(m[2])) for m in found if m)

    def newest(self):
        return os.path.join(HERE, "v%d.%d" % self.frozen()[-1])

    def number(self, name):
        return int(re.search(rf"(?m)^#define {name} (\d+)u", self.header)[1])

    def library(self, name, headers):
        """A library that shows all of the interface to abidiff."""
        source = os.path.join(self.scratch.name, f"{name}.c")
        target = os.path.join(self.scratch.name, f"{name}.so")
        with open(source, "w", encoding="ascii") as file:
            file.write("#include <kindred/plugin.h>\nconst struct kd_plugin kindred_plugin;\n"
                       "struct kd_requests requests; struct kd_kind_sink sink;\n"
                       "struct kd_strs strs; struct kd_result result;\n")
        run("gcc", "-std=c11", "-g", "-shared", "-fPIC", "-I", headers, source, "-o", target)
        return target

    def differs(self, headers):
        """abidiff's exit code, 4 for any change of the interface, and what it says."""
        tool = shutil.which("abidiff")
        self.assertTrue(tool, "no abidiff: deploy/install-deps --tests")
        old = self.library("old", self.newest())
        new = self.library("new", headers)
        done = subprocess.run([tool, "--harmless", old, new], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode & 3, 0, done.stdout + done.stderr)
        return done.returncode, done.stdout

    def test_nothing_changed_without_a_minor(self):
        self.assertEqual(self.frozen()[-1],
                         (self.number("KD_ABI_MAJOR"), self.number("KD_ABI_MINOR")),
                         "a new minor comes with its frozen headers: tests/abi/README.md")
        code, said = self.differs(HEADERS)
        self.assertEqual(code, 0, "raise KD_ABI_MINOR, write a line into the ledger, freeze the "
                                  f"headers (tests/abi/README.md):\n{said}")

    def test_each_minor_has_its_line_in_the_ledger(self):
        ledger = re.search(r"(?s) \* Ledger\n(.*?)\*/", self.header)[1]
        lines = [(int(m[1]), int(m[2]))
                 for m in re.finditer(r"(?m)^ \*   (\d+)\.(\d+)  \S", ledger)]
        self.assertEqual(lines, self.frozen())

    def test_the_check_sees_changes(self):
        changes = {
            "append": ("    void (*fini)(void *self);\n",
                       "    void (*fini)(void *self);\n    uint64_t more;\n"),
            "order": ("    const char *group;\n    const char *version;\n    const char *kind;\n",
                      "    const char *version;\n    const char *group;\n    const char *kind;\n"),
            "type": ("int64_t requeue_after_ns;", "uint64_t requeue_after_ns;"),
            "argument": ("(void *self, const struct kd_event *event)",
                         "(void *self, struct kd_event *event)"),
        }
        for name, (old, new) in changes.items():
            with self.subTest(name):
                headers = os.path.join(self.scratch.name, name)
                shutil.copytree(HEADERS, headers)
                self.assertIn(old, self.header)
                with open(os.path.join(headers, "kindred", "plugin.h"), "w",
                          encoding="ascii") as file:
                    file.write(self.header.replace(old, new))
                self.assertEqual(self.differs(headers)[0] & 4, 4)


if __name__ == "__main__":
    main()
