"""A fault that ends the process is told first: signal, thread, plugin, key, and where."""

import os
import shutil
import signal
import unittest

from e2e.lib import env
from e2e.lib.case import KindredTest, main


@unittest.skipIf(env.SANITIZER, "sanitizers have handlers of their own")
class Crash(KindredTest):
    def last_words(self, mode, number):
        plugins = env.copy_plugins(self.path("plugins"), "pod")
        target = os.path.join(plugins, "trouble.so")
        shutil.copyfile(os.path.join(env.test_plugin_folder(), "trouble.so"), target)
        os.chmod(target, 0o755)
        host = self.started(self.fake(pods=1), ["pod", {
            "plugin": "trouble", "name": "bad", "settings": {"mode": mode}}],
            plugins={"directory": plugins})
        self.assertEqual(host.wait_exit(), -number)
        said = [line for line in host.log_text().splitlines() if not line.startswith("{")]
        self.assertTrue(said[0].startswith(f"kindred: ended by {number.name}"), said)
        self.assertTrue([line for line in said if "trouble.so" in line], said)
        return said

    def test_a_fault_of_memory(self):
        said = self.last_words("crash", signal.SIGSEGV)
        self.assertIn(" at address 0x0 in thread kd-worker", said[0])
        self.assertEqual(said[1],
                         "kindred: at work was plugin bad, kind Pod, key default/p00000")

    def test_an_abort(self):
        self.assertIn("plugin bad", self.last_words("abort", signal.SIGABRT)[1])

    def test_a_stack_that_runs_over(self):
        self.assertIn("plugin bad", self.last_words("overflow", signal.SIGSEGV)[1])

    def test_a_fault_in_init(self):
        said = self.last_words("crash-init", signal.SIGABRT)
        self.assertEqual(said[1], "kindred: at work was plugin bad, in its init")


if __name__ == "__main__":
    main()
