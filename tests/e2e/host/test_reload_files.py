"""A changed file reloads without a signal, however it is changed; the same content does not."""

import os
import shutil
import unittest

from e2e.host.reloading import ReloadTest
from e2e.lib import conf
from e2e.lib.case import main


class Files(ReloadTest):
    def with_kinds(self, *kinds):
        self.kinds(*kinds)
        return conf.text(self.settings)

    def put(self, path, text):
        """Written in place, in two steps."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(text[:len(text) // 2])
            file.flush()
            file.write(text[len(text) // 2:])

    def await_kinds(self, *kinds):
        """The host has taken the change by itself, and serves just these."""
        self.box.until(lambda: set(self.box.kinds()) == set(kinds), describe=f"kinds {kinds}")
        self.box.wait_ready()

    def test_written_in_place(self):
        host = self.begin(["pod"])
        self.put(host.config_path, self.with_kinds("pod", "node"))
        self.await_kinds("Pod", "Node")
        self.put(host.config_path, self.with_kinds("node"))
        self.await_kinds("Node")

    def test_renamed_over(self):
        self.begin(["pod"])
        for _ in range(2):
            self.replace(self.with_kinds("pod", "node"))
            self.await_kinds("Pod", "Node")
            self.replace(self.with_kinds("pod"))
            self.await_kinds("Pod")

    def test_a_mounted_config_map(self):
        """All files are links into ..data, which is a link to the folder of a version."""
        mount = self.path("mount")

        def write_version(number, text):
            folder = os.path.join(mount, f"..2026_{number}")
            os.makedirs(folder)
            self.put(os.path.join(folder, "kindred.conf"), text)
            os.symlink(os.path.basename(folder), os.path.join(mount, "..data_tmp"))
            os.rename(os.path.join(mount, "..data_tmp"), os.path.join(mount, "..data"))

        def place(box):
            os.makedirs(mount)
            write_version(1, conf.text(self.settings))
            box.config_path = os.path.join(mount, "kindred.conf")
            os.symlink("..data/kindred.conf", box.config_path)

        self.begin(["pod"], place=place)
        for number in range(2, 5):
            names = ("Pod", "Node") if number % 2 == 0 else ("Pod",)
            write_version(number, self.with_kinds(*[n.lower() for n in names]))
            shutil.rmtree(os.path.join(mount, f"..2026_{number - 1}"))
            self.await_kinds(*names)

    def test_links_on_the_way(self):
        """The file is a link, and a folder on its way elsewhere is one too."""
        for name in ("v1", "v2"):
            os.makedirs(self.path("releases", name, "conf"))

        def place(box):
            shutil.move(box.config_path, self.path("releases", "v1", "conf", "k.conf"))
            os.symlink("v1", self.path("releases", "current"))
            os.symlink(self.path("releases", "current", "conf", "k.conf"), box.config_path)

        self.begin(["pod"], place=place)
        self.put(self.path("releases", "v2", "conf", "k.conf"), self.with_kinds("pod", "node"))
        os.symlink("v2", self.path("releases", "next"))
        os.rename(self.path("releases", "next"), self.path("releases", "current"))
        self.await_kinds("Pod", "Node")
        self.put(self.path("releases", "v2", "conf", "k.conf"), self.with_kinds("node"))
        self.await_kinds("Node")

    def test_a_dropped_file_of_plugins_d(self):
        host = self.begin(["pod"])
        folder = os.path.join(host.folder, "plugins.d")
        os.mkdir(folder)
        self.put(os.path.join(folder, "more.conf"), 'kinds = ( { plugin = "node"; } );\n')
        self.await_kinds("Pod", "Node")
        os.unlink(os.path.join(folder, "more.conf"))
        self.await_kinds("Pod")

    def test_an_included_file(self):
        included = self.path("elsewhere", "kinds.conf")
        os.mkdir(self.path("elsewhere"))
        self.put(included, 'kinds = ( { plugin = "pod"; } );\n')

        def place(box):
            del self.settings["kinds"]
            self.put(box.config_path, f'{conf.text(self.settings)}@include "{included}"\n')

        self.begin(["pod"], place=place)
        self.await_kinds("Pod")
        self.put(included, 'kinds = ( { plugin = "pod"; }, { plugin = "node"; } );\n')
        self.await_kinds("Pod", "Node")

    def test_the_same_content_is_no_reload(self):
        """Three changes that change nothing, then one that does: that is one reload."""
        host = self.begin(["pod"])
        os.utime(host.config_path)
        self.put(host.config_path, self.with_kinds("pod"))
        self.replace(self.with_kinds("pod"))
        self.replace(self.with_kinds("pod", "node"))
        self.await_kinds("Pod", "Node")
        os.utime(host.config_path)
        self.put(os.path.join(host.folder, "other.txt"), "not ours")
        self.replace(self.with_kinds("node"))
        self.await_kinds("Node")
        self.assertEqual(self.count("success"), 2)

    @unittest.skipUnless("KD_SLOW" in os.environ, "takes half a minute; KD_SLOW=1 runs it")
    def test_a_change_that_no_folder_tells_of(self):
        """Written through another name of the same file: the slow look finds it."""
        host = self.begin(["pod"])
        os.mkdir(self.path("elsewhere"))
        other = self.path("elsewhere", "name.conf")
        os.link(host.config_path, other)
        host.until(lambda: self.count("success") == 0, describe="nothing to take")
        self.put(other, self.with_kinds("pod", "node"))
        host.until(lambda: set(host.kinds()) == {"Pod", "Node"}, 60, "the slow look")

    def test_a_bad_file_is_told_once(self):
        host = self.begin(["pod"])
        self.replace("kinds = (")
        host.until(lambda: self.count("refused") == 1, describe="refused")
        os.utime(host.config_path)
        self.replace(self.with_kinds("pod", "node"))
        self.await_kinds("Pod", "Node")
        self.assertEqual(self.count("refused"), 1)
        self.assertEqual(len(host.logged("new configuration refused")), 1)


if __name__ == "__main__":
    main()
