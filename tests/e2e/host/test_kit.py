"""The kit for third parties: what is installed builds a plugin of theirs, by CMake and by
pkg-config; its tests pass and kindred loads it."""

import glob
import os
import subprocess
import unittest

from e2e.lib import env
from e2e.lib.case import KindredTest, main
from e2e.lib.kindred import Kindred


class Kit(KindredTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if env.SANITIZER:
            raise unittest.SkipTest("what is installed is no build with sanitizers")

    def setUp(self):
        super().setUp()
        self.prefix = self.path("prefix")
        self.run_in(self.folder, "cmake", "--install", env.BUILD, "--prefix", self.prefix)
        (pc,) = glob.glob(os.path.join(self.prefix, "**", "kindred.pc"), recursive=True)
        self.environ = {**os.environ, "PKG_CONFIG_PATH": os.path.dirname(pc),
                        "CMAKE_PREFIX_PATH": self.prefix}
        self.plugin = self.path("my-widget")
        said = self.run_in(self.folder, os.path.join(self.prefix, "bin", "kindredctl"), "plugin",
                           "new", "my-widget", "--group", "example.org", "--version", "v1",
                           "--resource", "widgets")
        self.assertIn("my-widget", said)

    def run_in(self, folder, *command, code=0):
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120, env=getattr(self, "environ", None))
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def test_by_cmake_and_into_a_running_kindred(self):
        self.run_in(self.plugin, "cmake", "-S", ".", "-B", "build",
                    f"-DCMAKE_INSTALL_PREFIX={self.prefix}")
        self.run_in(self.plugin, "cmake", "--build", "build")
        self.run_in(self.plugin, "ctest", "--test-dir", "build", "--no-tests=error",
                    "--output-on-failure")
        said = self.run_in(self.plugin, os.path.join(self.prefix, "bin", "kindred"), "check",
                           "--config", "kindred.conf")
        for line in ("kind Widget: widgets.example.org/v1, namespaced",
                     "setting relation = \"ConfigReference\"", "watch on widgets.example.org"):
            self.assertIn(line, said)
        self.run_in(self.plugin, "cmake", "--install", "build")
        self.check_it_runs(os.path.join(self.prefix, "lib", "kindred", "plugins"))

    def check_it_runs(self, folder):
        """Installed beside the others, it is loaded with them."""
        cluster = self.fake(pods=1)
        config = self.config(cluster.url, ["pod", "my-widget"], plugins={"directory": folder})
        host = Kindred(self.folder, config)
        host.command = lambda *words: [os.path.join(self.prefix, "bin", "kindred"), *words,
                                       "--config", host.config_path]
        self.addCleanup(host.collect)
        host.start().wait_stored("Pod", 1)
        found = host.plugins()["my-widget"]
        self.assertEqual((found["state"], found["version"]), ("loaded", "0.1.0"), found)
        self.assertEqual(host.stop(), 0)

    def test_by_pkg_config(self):
        self.run_in(self.plugin, "make", "check")
        symbols = self.run_in(self.plugin, "nm", "-D", "--defined-only", "my-widget.so").split()
        self.assertEqual(symbols[2:], ["kindred_plugin"])
        variable = self.run_in(self.plugin, "pkg-config", "--variable=plugindir", "kindred")
        self.assertTrue(os.path.samefile(variable.strip(),
                                         os.path.join(self.prefix, "lib", "kindred", "plugins")))

    def test_its_tests_can_fail(self):
        path = os.path.join(self.plugin, "my-widget.c")
        with open(path, encoding="ascii") as file:
            text = file.read()
        with open(path, "w", encoding="ascii") as file:
            file.write(text.replace("/spec/configMapName", "/spec/anotherName"))
        self.assertIn("wanted", self.run_in(self.plugin, "make", "check", code=2))

    def test_a_folder_that_is_there_is_left_alone(self):
        said = self.run_in(self.folder, os.path.join(self.prefix, "bin", "kindredctl"), "plugin",
                           "new", "other", "--group", "", "--version", "v1", "--resource", "pods",
                           "--dir", "my-widget", code=1)
        self.assertEqual(said, "kindredctl: my-widget: File exists\n")


if __name__ == "__main__":
    main()
