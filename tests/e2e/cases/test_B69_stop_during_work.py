"""B69: told to stop while plugin code runs and asks to be called again. The run ends before fini,
and nothing is called after it (the plugin would abort). KINDRED_B69_RUNS sets how often."""

import os
import shutil

from e2e.lib import env
from e2e.lib.case import KindredTest, main

RUNS = int(os.environ.get("KINDRED_B69_RUNS", "4"))


class StopDuringWork(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.fake(pods=8)
        self.plugins = env.copy_plugins(self.path("plugins"))
        target = os.path.join(self.plugins, "trouble.so")
        shutil.copyfile(os.path.join(env.test_plugin_folder(), "trouble.so"), target)
        os.chmod(target, 0o755)

    def busy(self, time, **over):
        kind = {"plugin": "trouble", "settings": {"mode": "busy", "time": time}, "workers": 3}
        host = self.started(self.cluster, [kind], plugins={"directory": self.plugins}, **over)

        def works():
            return host.metrics().value("controller_runtime_active_workers") > 0
        host.until(works, describe="a run under way")
        return host

    def test_the_run_ends_before_fini(self):
        for _ in range(RUNS):
            host = self.busy("200ms")
            self.assertEqual(host.stop(), 0, host.log_text())
            self.assertEqual(len(host.logged("fini of trouble")), 1)

    def test_a_run_that_outlasts_the_grace(self):
        host = self.busy("1h", shutdown_grace="100ms")
        self.assertEqual(host.stop(), 1, host.log_text())
        self.assertTrue(host.logged("grace time over"))
        self.assertFalse(host.logged("fini of trouble"), "it is still in use")


if __name__ == "__main__":
    main()
