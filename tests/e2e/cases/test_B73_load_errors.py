"""B73: three faults that must not sound alike: no such file, a missing library, and an entry
for a plugin that never loaded."""

import os
import shutil

from e2e.lib import env
from e2e.lib.case import KindredTest, main


class LoadErrors(KindredTest):
    def setUp(self):
        super().setUp()
        self.plugins = env.copy_plugins(self.path("plugins"), "pod")
        self.over = {"plugins": {"directory": self.plugins}}

    def take(self, name):
        target = os.path.join(self.plugins, f"{name}.so")
        shutil.copyfile(os.path.join(env.test_plugin_folder(), f"{name}.so"), target)
        os.chmod(target, 0o755)
        return target

    def test_no_such_file(self):
        path = os.path.join(self.plugins, "jobz.so")
        self.assert_refused(self.host(self.fake(), ["jobz"], **self.over), path, "no such file",
                            "plugins.directory", command="check")

    def test_a_library_that_is_missing(self):
        path = self.take("missing-library")
        said = self.assert_refused(self.host(self.fake(), ["missing-library"], **self.over), path,
                                   "libkindred-gone.so", "cannot open shared object file",
                                   command="check")
        self.assertNotIn("no such file in plugins.directory", said)

    def test_an_undefined_symbol_shows_at_load_time(self):
        path = self.take("undefined-symbol")
        self.assert_refused(self.host(self.fake(), ["undefined-symbol"], **self.over), path,
                            "undefined symbol: nobody_has_this", command="check")

    def test_an_entry_without_a_plugin_is_told_by_both_names(self):
        kinds = [{"plugin": "jobz", "name": "nightly"}, "pod"]
        host = self.started(self.fake(pods=1), kinds, **self.over)
        host.wait_stored("Pod", 1)
        self.assertEqual(len(host.logged("refused", "nightly", "jobz.so")), 1)
        self.assertEqual(host.plugins()["nightly"]["state"], "refused")

    def test_other_files_in_the_folder_are_no_fault(self):
        for name in ("README", "pod.so.bak", ".pod.so.swp", "libhelper.so.1"):
            self.write(os.path.join("plugins", name), "no plugin")
        code, out, err = self.host(self.fake(), **self.over).once("check")
        self.assertEqual(code, 0, out + err)


if __name__ == "__main__":
    main()
