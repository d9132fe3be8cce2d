"""Plugins that misbehave while they run: each is contained, with a line that names it, and the
others run on."""

import os
import shutil
import signal
import unittest

from e2e.lib import env
from e2e.lib.case import KindredTest, main
from e2e.lib.kindred import REPORT

PODS = 3


class TroubledPlugins(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.fake(pods=PODS)
        self.plugins = env.copy_plugins(self.path("plugins"), "pod")
        target = os.path.join(self.plugins, "trouble.so")
        shutil.copyfile(os.path.join(env.test_plugin_folder(), "trouble.so"), target)
        os.chmod(target, 0o755)

    def entry(self, mode, name="trouble", time="1s", **more):
        return {"plugin": "trouble", "name": name, "settings": {"mode": mode, "time": time}, **more}

    def beside(self, *entries):
        """A host with these and the pod plugin, of which nothing is amiss."""
        kinds = [*entries, "pod"]
        host = self.started(self.cluster, kinds, plugins={"directory": self.plugins},
                            shutdown_grace="5s")
        return host

    def logged(self, host, *words, count=None):
        host.until(lambda: host.logged("trouble", *words), describe=f"a line with {words}")
        if count is not None:
            self.assertEqual(len(host.logged("trouble", *words)), count)

    def test_init_that_is_slow(self):
        host = self.beside(self.entry("slow-init", time="3s"))
        self.logged(host, "init takes long")
        host.wait_stored("Pod", PODS)
        self.logged(host, "init takes long", count=1)
        self.assertEqual(host.plugins()["trouble"]["state"], "loaded")

    def test_init_that_never_returns_does_not_keep_from_stopping(self):
        host = self.beside(self.entry("slow-init", time="1h"))
        self.logged(host, "init takes long")
        host.signal(signal.SIGTERM)
        self.assertEqual(host.wait_exit(), 1)
        self.assertTrue(host.logged("trouble", "told to stop while init"))

    def test_reconcile_that_overruns(self):
        host = self.beside(self.entry("overrun", time="2s", reconcile_timeout="100ms"))
        host.wait_stored("Pod", PODS)
        self.logged(host, "overruns its deadline")
        self.assertEqual(host.plugins()["pod"]["state"], "loaded")
        self.assertEqual(host.stop(), 0)

    def test_scratch_memory_without_end(self):
        host = self.beside(self.entry("greedy", workers=1))
        host.wait_stored("Pod", PODS)
        self.logged(host, "out of memory")
        self.assertLess(host.memory_kb(), 512 * 1024 if not env.SANITIZER else 2**31)

    def test_requeue_for_ever(self):
        host = self.beside(self.entry("requeue"))
        host.wait_stored("Pod", PODS)
        self.logged(host, "requeue time", "raised")

        def requeued():
            return host.metrics().value("controller_runtime_reconcile_total",
                                        result="requeue_after")
        host.until(lambda: requeued() > 5 * PODS, describe="keys that come again")
        self.logged(host, "requeue time", "raised", count=1)
        self.assertEqual(host.stop(), 0)

    @unittest.skipUnless(env.SANITIZER == "address", "only the leak detector sees leaks")
    def test_leaks_are_found_with_the_plugins_name(self):
        host = self.beside(self.entry("leak"))
        host.wait_stored("Pod", PODS)
        host.signal(signal.SIGTERM)
        host.wait_exit()
        said = host.log_text()
        self.assertIn("LeakSanitizer", said)
        self.assertIn("trouble.c", said)
        for name in ("stdout", "stderr"):  # what was looked for is no fault of this test
            path = os.path.join(host.folder, name)
            with open(path, encoding="utf-8", errors="replace") as file:
                kept = REPORT.sub("", file.read())
            with open(path, "w", encoding="utf-8") as file:
                file.write(kept)


if __name__ == "__main__":
    main()
