"""Debian packages of the build, made in a folder of the test's own."""

import glob
import os
import subprocess
import unittest

from e2e.lib import env
from e2e.lib.case import KindredTest

NAMES = ("kindred", "kindred-plugins", "kindred-dev")


class PackagingTest(KindredTest):
    """`self.packages` is the folder of the packages. Needs root, for root file systems."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if env.SANITIZER:
            raise unittest.SkipTest("what is packed is no build with sanitizers")
        if os.geteuid() != 0:
            raise unittest.SkipTest("a root file system is made by root only")

    def setUp(self):
        super().setUp()
        self.packages = self.path("packages")
        self.run_well("cpack", "--config", os.path.join(env.BUILD, "CPackConfig.cmake"), "-B",
                      self.packages, cwd=self.folder)

    def run_well(self, *command, timeout=300, **options):
        """stdout of a command that ends with 0."""
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=timeout, **options)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def plugins(self):
        """Names of the plugins' files in the build."""
        return sorted(map(os.path.basename, glob.glob(os.path.join(env.BUILD, "plugins", "*.so"))))

    def deb(self, name):
        (path,) = glob.glob(os.path.join(self.packages, f"{name}_*.deb"))
        return path

    def field(self, name, field):
        return self.run_well("dpkg-deb", "-f", self.deb(name), field).strip()

    def files(self, name):
        """Paths of what a package holds, without folders."""
        lines = self.run_well("dpkg-deb", "-c", self.deb(name)).splitlines()
        return [line.split()[5].removeprefix(".") for line in lines if not line.startswith("d")]
