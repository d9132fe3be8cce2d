"""B72: a plugin whose destructor runs when the process ends. The host's list is its own, fini comes
in reverse order of the entries, and the code is there until the end."""

import os
import shutil

from e2e.lib import env
from e2e.lib.case import KindredTest, main


class Destructor(KindredTest):
    def test_it_runs_after_the_last_fini(self):
        folder = env.copy_plugins(self.path("plugins"), "pod")
        target = os.path.join(folder, "trouble.so")
        shutil.copyfile(os.path.join(env.test_plugin_folder(), "trouble.so"), target)
        os.chmod(target, 0o755)
        kinds = [{"plugin": "trouble", "name": "one"}, "pod", {"plugin": "trouble", "name": "two"}]
        host = self.started(self.fake(pods=2), kinds, plugins={"directory": folder})
        host.wait_stored("Pod", 2)
        self.assertEqual(host.stop(), 0)
        said = [line for line in host.log_text().splitlines()
                if "of trouble" in line or '"stopped"' in line]
        wanted = ["two", "one", "stopped", "destructor"]
        self.assertEqual(len(said), len(wanted), said)
        for line, word in zip(said, wanted):
            self.assertIn(word, line)


if __name__ == "__main__":
    main()
