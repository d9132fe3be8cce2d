"""`kindred check` lists what each plugin is: its kinds, settings, indexes and needed rights."""

import os
import shutil

from e2e.lib import env
from e2e.lib.case import KindredTest, main


class Check(KindredTest):
    def said(self, kinds, folder=None):
        over = {"plugins": {"directory": folder}} if folder else {}
        code, out, err = self.host(self.fake(), kinds, **over).once("check")
        self.assertEqual((code, err), (0, ""), out)
        self.assertTrue(out.endswith(": good\n"), out)
        return out.splitlines()[:-1]

    def test_kinds_indexes_and_rights(self):
        self.assertEqual(self.said(["pod", "deployment"]), [
            "plugin pod 1.0.0: pods/v1",
            "  kind Pod: pods/v1, namespaced, also called po",
            "    index spec.nodeName: /spec/nodeName",
            "  needs get, list, watch on pods",
            "plugin deployment 1.0.0: deployments.apps/v1",
            "  kind Deployment: deployments.apps/v1, namespaced, also called deploy",
            "  needs get, list, watch on deployments.apps"])

    def test_kinds_from_settings_and_settings(self):
        folder = self.path("plugins")
        os.mkdir(folder, 0o755)
        target = os.path.join(folder, "settings.so")
        shutil.copyfile(os.path.join(env.test_plugin_folder(), "settings.so"), target)
        os.chmod(target, 0o755)
        lines = self.said([{"plugin": "settings", "settings": {"text": "Gadget"}}], folder)
        for line in ("  kind Gadget: things.example.org/v1, namespaced",
                     '  setting text = "Thing" (a string): The kind.',
                     "  setting number = -3 (a whole number from -5 to 10): A number.",
                     '  setting wait = "5s" (a duration from 1s to 1m): A time.',
                     "  setting on = true (true or false): A truth.",
                     "  setting list = [] (an array of strings): Texts.",
                     '  setting empty = "" (a string): Text.',
                     "  needs get, list, watch on things.example.org"):
            self.assertIn(line, lines)


if __name__ == "__main__":
    main()
