"""B71: an init that fails leaves nothing behind: no kind, no queue, no metric, no watch; the others
run."""

import os
import shutil

from e2e.lib import env
from e2e.lib.case import KindredTest, main


class FailedStart(KindredTest):
    def test_nothing_is_left_of_it(self):
        plugins = env.copy_plugins(self.path("plugins"), "pod")
        target = os.path.join(plugins, "failing-init.so")
        shutil.copyfile(os.path.join(env.test_plugin_folder(), "failing-init.so"), target)
        os.chmod(target, 0o755)
        cluster = self.fake(pods=2)
        host = self.ready(cluster, ["failing-init", "pod"], plugins={"directory": plugins})
        host.wait_stored("Pod", 2)
        self.assertEqual(set(host.kinds()), {"Pod"})
        refused = host.plugins()["failing-init"]
        self.assertEqual((refused["state"], refused["error"]), ("refused", "the sky is not blue"))
        page = host.metrics()
        told = page.families.pop("kindred_plugin_loaded")   # that it was refused, and no more
        self.assertEqual({labels["plugin"]: value for _, labels, value in told.samples},
                         {"failing-init": 0, "pod": 1})
        for family in page.families.values():
            for _, labels, _ in family.samples:
                self.assertNotIn("Variant", labels.values())
                self.assertNotIn("failing-init", labels.values())
        self.assertFalse(cluster.log.all(path="/apis/example.org/v1/variants"))
        self.assertEqual(host.stop(), 0)

    def test_required_ends_the_start(self):
        plugins = env.copy_plugins(self.path("plugins"), "pod")
        target = os.path.join(plugins, "failing-init.so")
        shutil.copyfile(os.path.join(env.test_plugin_folder(), "failing-init.so"), target)
        os.chmod(target, 0o755)
        cluster = self.fake(pods=2)
        over = {"plugins": {"directory": plugins, "required": True}}
        self.assert_refused(self.host(cluster, ["failing-init", "pod"], **over), "failing-init.so",
                            "the sky is not blue")
        self.assertFalse(cluster.log.all(path="/api/v1/pods"))


if __name__ == "__main__":
    main()
