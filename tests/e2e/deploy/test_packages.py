"""The Debian packages: what is in them; installed, updated, removed and purged on this system,
under a layer that takes the changes and goes with the test."""

import os
import shutil
import unittest

from e2e.deploy.packaging import NAMES, PackagingTest
from e2e.lib import env
from e2e.lib.case import main

# Mounts stand in a namespace of this shell's own. $1: the folder, $2: what runs in the new root.
LAYER = """
set -e
mount -t tmpfs none "$1/layer"
mkdir "$1/layer/upper" "$1/layer/work" "$1/layer/root"
root=$1/layer/root
mount -t overlay -o "lowerdir=/,upperdir=$1/layer/upper,workdir=$1/layer/work" none "$root"
mount -t proc none "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs none "$root/run"
mkdir "$root/run/packages"
cp "$1"/packages/*.deb "$root/run/packages"
exec chroot "$root" /bin/sh -euc "$2"
"""

LIFE = """
cd /run/packages
export DEBIAN_FRONTEND=noninteractive
dpkg --install kindred_*.deb kindred-plugins_*.deb kindred-dev_*.deb >/dev/null
echo installed $(kindred version | head -n 1)
echo user $(stat -c %U:%a /var/lib/kindred)
kindred check --config /etc/kindred/kindred.conf | tail -n 1
echo plugins $(ls /usr/lib/kindred/plugins | wc -l)
echo '// edited' >>/etc/kindred/kindred.conf
dpkg --install kindred_*.deb >/dev/null
echo kept $(tail -n 1 /etc/kindred/kindred.conf)
touch /var/lib/kindred/graph.db
dpkg --remove kindred-dev kindred-plugins kindred >/dev/null
echo removed $(ls /usr/bin/kindred /etc/kindred/kindred.conf /var/lib/kindred/graph.db 2>/dev/null)
dpkg --purge kindred kindred-plugins kindred-dev >/dev/null
echo purged $(ls -d /etc/kindred /var/lib/kindred 2>/dev/null) $(getent passwd kindred)
"""


class Packages(PackagingTest):
    def test_what_is_in_them(self):
        self.assertEqual({name for name in NAMES if self.field(name, "Package") == name},
                         set(NAMES))
        version = self.field("kindred", "Version")
        self.assertIn(f"kindred (= {version})", self.field("kindred-plugins", "Depends"))
        self.assertRegex(self.field("kindred", "Depends"), r"libcurl4 .*libsqlite3-0 ")
        held = {name: self.files(name) for name in NAMES}
        for path in ("/usr/bin/kindred", "/usr/bin/kindredctl", "/etc/kindred/kindred.conf",
                     "/usr/lib/systemd/system/kindred.service", "/usr/share/doc/kindred/copyright",
                     "/usr/lib/kindred/kindred_sqlite.so", "/usr/share/man/man1/kindredctl.1",
                     "/usr/share/man/man5/kindred.conf.5"):
            self.assertIn(path, held["kindred"])
        self.assertIn("/usr/include/kindred/plugin.h", held["kindred-dev"])
        self.assertEqual(self.plugins(),
                         sorted(os.path.basename(path) for path in held["kindred-plugins"]))

    def test_installed_updated_removed_purged(self):
        os.mkdir(self.path("layer"))
        said = self.run_well("unshare", "--mount", "--propagation", "private", "sh", "-c", LAYER,
                             "layer", self.folder, LIFE).splitlines()
        version = self.field("kindred", "Version")
        self.assertEqual(said, [
            f"installed kindred {version}", "user kindred:750",
            "/etc/kindred/kindred.conf: good", f"plugins {len(self.plugins())}", "kept // edited",
            "removed /etc/kindred/kindred.conf /var/lib/kindred/graph.db", "purged"])

    @unittest.skipUnless(shutil.which("systemd-analyze"), "no systemd-analyze here")
    def test_the_unit(self):
        unit = os.path.join(env.SOURCE, "deploy", "systemd", "kindred.service")
        text = self.run_well("cat", unit).replace("/usr/bin/kindred", env.program("kindred"))
        path = self.write("kindred.service", text)
        self.run_well("systemd-analyze", "verify", "--man=no", path)
        said = self.run_well("systemd-analyze", "security", "--offline=true", "--threshold=20",
                             path)
        self.assertIn("OK", said.splitlines()[-1])


if __name__ == "__main__":
    main()
