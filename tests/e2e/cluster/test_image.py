"""The container image: the same bytes each time, small, no more in it than it says; unpacked, it
runs as its user against the real control plane."""

import hashlib
import json
import os
import shutil
import subprocess
import sys

from e2e.cluster.real import RealTest
from e2e.deploy.packaging import PackagingTest
from e2e.lib import env
from e2e.lib.case import free_ports, main
from e2e.lib.kindred import Kindred, end_with_the_test

BUILDER = os.path.join(env.SOURCE, "deploy", "image", "build")
LIMIT = 60 * 1000 * 1000
USER = 65532
# What a container's run time does: /proc, the image's user, nothing of our environment.
ENTER = 'mount -t proc none "$0/proc" && exec chroot --userspec={0}:{0} "$0" "$@"'.format(USER)


class InImage(Kindred):
    """A kindred within an unpacked image: its folder is /inside there."""

    def __init__(self, root, folder, config, ports):
        self.root = root
        super().__init__(folder, config, ports)

    def enter(self, *words):
        return ["unshare", "--mount", "sh", "-c", ENTER, self.root, *words]

    def command(self, *words):
        return self.enter(*self.entrypoint, *words, "--config", "/inside/kindred.conf")


class Image(RealTest, PackagingTest):
    def build(self, name):
        folder = self.path(name)
        archive = os.path.join(folder, "kindred.oci.tar")
        self.run_well(BUILDER, "--folder", folder, "--packages", self.packages,
                      env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        return archive

    def unpack(self, archive):
        layout = self.path("layout")
        os.mkdir(layout)
        self.run_well("tar", "-xf", archive, "-C", layout)
        with open(os.path.join(layout, "index.json"), encoding="utf-8") as file:
            (manifest,) = json.load(file)["manifests"]
        tag = manifest["annotations"]["org.opencontainers.image.ref.name"]
        self.run_well("umoci", "unpack", "--image", f"{layout}:{tag}", self.path("bundle"))
        with open(self.path("bundle", "config.json"), encoding="utf-8") as file:
            return self.path("bundle", "rootfs"), json.load(file)["process"]

    def assert_nothing_but(self, root):
        """Programs are ours alone, none is setuid; the list of parts names all, with their sums."""
        programs = [name for folder in ("bin", "sbin", "usr/bin", "usr/sbin")
                    if os.path.isdir(os.path.join(root, folder))
                    for name in os.listdir(os.path.join(root, folder))]
        self.assertEqual(sorted(programs), ["kindred", "kindredctl"])
        for folder, _, names in os.walk(root):
            for name in names:
                mode = os.lstat(os.path.join(folder, name)).st_mode
                self.assertFalse(mode & 0o6000, os.path.join(folder, name))
        with open(os.path.join(root, "usr/share/sbom/kindred.spdx.json"), encoding="utf-8") as file:
            sbom = json.load(file)
        parts = {part["name"]: part for part in sbom["packages"]}
        self.assertEqual(set(parts), set(os.listdir(os.path.join(root, "var/lib/dpkg/status.d"))))
        with open(self.deb("kindred"), "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        self.assertEqual(parts["kindred"]["checksums"][0]["checksumValue"], digest)
        self.assertEqual({part["SPDXID"] for part in sbom["packages"]},
                         {link["relatedSpdxElement"] for link in sbom["relationships"]})

    def inside(self, root, process):
        """A kindred of the image, not yet started."""
        work = os.path.join(root, "inside")
        os.mkdir(work)
        os.mkdir(os.path.join(root, "proc"))
        ports = free_ports("health", "metrics")
        config = self.config(folder="/inside", kinds=("pod", "node", "deployment"), ports=ports,
                             plugins={"directory": "/usr/lib/kindred/plugins"},
                             store={"path": "/var/lib/kindred/graph.db"})
        shutil.copyfile(self.real.kubeconfig, os.path.join(work, "kubeconfig"))
        host = InImage(root, work, config, ports)
        host.entrypoint = process["args"][:1]
        for name in ("", *os.listdir(work)):
            os.chown(os.path.join(work, name), USER, USER)
        self._hosts.append(host)
        self.addCleanup(host.collect)
        return host

    def test_made_twice_then_run(self):
        first, second = self.build("first"), self.build("second")
        with open(first, "rb") as one, open(second, "rb") as two:
            self.assertEqual(one.read(), two.read())
        size = os.path.getsize(first)
        self.assertLess(size, LIMIT)
        root, process = self.unpack(first)
        self.assertEqual((process["user"]["uid"], process["user"]["gid"]), (USER, USER))
        self.assertEqual(process["args"],
                         ["/usr/bin/kindred", "run", "--config", "/etc/kindred/kindred.conf"])
        self.assert_nothing_but(root)

        host = self.inside(root, process).start().wait_ready(60)
        with open(f"/proc/{host.process.pid}/status", encoding="ascii") as file:
            status = dict(line.split(":", 1) for line in file)
        self.assertEqual(set(status["Uid"].split()), {str(USER)})
        nodes = {item["ref"]["name"] for item in host.resources("Node")}
        self.assertEqual(nodes, {item["metadata"]["name"] for item in self.real.items("nodes")})
        command = host.enter("/usr/bin/kindredctl", "--server", "unix:/inside/api.sock", "get",
                             "nodes", "-o", "name")
        asked = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True,
                               preexec_fn=end_with_the_test)
        self.assertEqual(len(asked.stdout.split()), len(nodes), asked.stderr)
        self.assertEqual(host.stop(), 0)
        print(f"image: {size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
