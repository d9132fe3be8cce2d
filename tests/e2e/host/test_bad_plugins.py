"""Plugins that are refused: exit code 2 where demanded, else the host runs on and says so."""

import os
import shutil

from e2e.lib import elf, env
from e2e.lib.case import KindredTest, main
from e2e.lib.objects import node

HEAD_FAULTS = {
    "abi_major": lambda head: head["abi_major"] + 1,
    "magic": lambda head: head["magic"] ^ 1,
    "min_host_minor": lambda head: 60000,
    "required_caps": lambda head: head["required_caps"] | 1 << 61,
    "struct_size": lambda head: 8,
}


class BadPlugins(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.fake(pods=1)
        self.cluster.add("Node", node("n1"))
        self.plugins = env.copy_plugins(self.path("plugins"), "node")

    def pod_file(self):
        return os.path.join(self.plugins, "pod.so")

    def patched(self, field):
        head = elf.read_head(env.plugin_file("pod"))
        elf.patched(env.plugin_file("pod"), self.pod_file(), **{field: HEAD_FAULTS[field](head)})

    def over(self, **more):
        return {"plugins": {"directory": self.plugins, **more}}

    def check_refused(self, *words):
        """Exit code 2 by check, and by run with required; else it runs on with the others."""
        self.assert_refused(self.host(self.cluster, ["pod", "node"], **self.over()), *words,
                            command="check")
        self.assert_refused(self.host(self.cluster, ["pod", "node"],
                                      **self.over(required=True)), *words)
        self.assertEqual(len(self.cluster.log), 0, self.cluster.log.text())
        host = self.started(self.cluster, ["pod", "node"], **self.over())
        host.wait_stored("Node", 1)
        self.assertNotIn("Pod", {k for k, v in host.kinds().items() if v["state"] == "synced"})
        refused = host.plugins()["pod"]
        self.assertEqual((refused["state"], host.plugins()["node"]["state"]),
                         ("refused", "loaded"))
        self.assertTrue(refused["error"])
        self.assertTrue(host.logged("pod.so"))
        self.assertFalse(self.cluster.log.all(path="/api/v1/pods"))
        return refused

    def test_another_abi(self):
        self.patched("abi_major")
        refused = self.check_refused("pod.so", "abi")
        self.assertTrue(refused["expected"])
        self.assertTrue(refused["found"])
        self.assertNotEqual(refused["expected"], refused["found"])

    def test_other_faults_of_the_head(self):
        for field in ("magic", "min_host_minor", "required_caps", "struct_size"):
            with self.subTest(field):
                self.patched(field)
                words = ["pod.so"] + (["61"] if field == "required_caps" else [])
                self.assert_refused(self.host(self.cluster, **self.over()), *words,
                                    command="check")

    def test_a_file_that_is_no_plugin(self):
        with open(self.pod_file(), "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n")
        self.check_refused("pod.so")

    def test_a_missing_file(self):
        self.check_refused("pod.so")

    def test_a_cut_file(self):
        with open(env.plugin_file("pod"), "rb") as source, open(self.pod_file(), "wb") as file:
            file.write(source.read(3000))
        self.assert_refused(self.host(self.cluster, **self.over()), "pod.so", command="check")

    def test_a_world_writable_file(self):
        env.copy_plugins(self.plugins, "pod")
        os.chmod(self.pod_file(), 0o777)
        self.assert_refused(self.host(self.cluster, **self.over()), "pod.so", "writable",
                            command="check")

    def test_a_missing_plugin_folder(self):
        missing = self.path("nowhere")
        over = {"plugins": {"directory": missing, "required": True}}
        self.assert_refused(self.host(self.cluster, **over), missing)
        self.assert_refused(self.host(self.cluster, **over), missing, command="check")
        over["plugins"]["required"] = False
        self.assert_refused(self.host(self.cluster, **over), missing, command="check")
        host = self.started(self.cluster, **over).wait_api()
        self.assertTrue(host.logged(missing))

    def test_missing_folder_with_the_plugin_in_extra(self):
        env.copy_plugins(self.path("more"), "pod")
        over = {"plugins": {"directory": self.path("nowhere"), "extra": [self.path("more")]}}
        self.started(self.cluster, **over).wait_stored("Pod", 1)

    def test_other_files_in_the_folder_are_left_alone(self):
        env.copy_plugins(self.plugins, "pod")
        for name in ("README", "old.so", ".hidden.so"):
            self.write(os.path.join("plugins", name), "not a plugin")
        host = self.ready(self.cluster, ["pod", "node"], **self.over(required=True))
        self.assertEqual(set(host.plugins()), {"pod", "node"})

    def test_all_at_once(self):
        """Each is refused in one line that names its file, and the good ones run."""
        env.copy_plugins(self.plugins, "pod")
        bad = ["other-major", "newer-minor", "short-struct", "lying-size", "unknown-cap",
               "no-symbol", "undefined-symbol", "missing-library", "mute-observer", "no-kinds",
               "failing-init"]
        for name in bad:
            target = os.path.join(self.plugins, f"{name}.so")
            shutil.copyfile(os.path.join(env.test_plugin_folder(), f"{name}.so"), target)
            os.chmod(target, 0o755)
        self.write(os.path.join("plugins", "not-elf.so"), "#!/bin/sh\n")
        self.write(os.path.join("plugins", "writable.so"), "")
        os.chmod(os.path.join(self.plugins, "writable.so"), 0o757)
        bad += ["not-elf", "writable", "not-there"]
        kinds = ["pod", *bad, {"plugin": "pod", "name": "taken"}, "node"]
        env.copy_plugins(self.plugins, "node")
        host = self.started(self.cluster, kinds, **self.over())
        host.wait_stored("Pod", 1).wait_stored("Node", 1)
        states = {name: row["state"] for name, row in host.plugins().items()}
        self.assertEqual(states, {"pod": "loaded", "node": "loaded", "taken": "refused",
                                  **dict.fromkeys(bad, "refused")})
        for name in bad + ["taken"]:
            lines = host.logged(f'"plugin":"{name}"')
            self.assertEqual(len(lines), 1, f"{name}: {lines}")
            self.assertIn('"level":"error"', lines[0])
            self.assertIn("pod.so" if name == "taken" else f"{name}.so", lines[0])
        self.assertEqual(host.stop(), 0)

    def test_one_name_for_two_entries(self):
        self.assert_refused(self.host(self.cluster, ["node", "node"], **self.over()), "node",
                            "already", command="check")

    def test_two_owners_of_one_kind_are_refused_by_name(self):
        env.copy_plugins(self.plugins, "pod")
        kinds = [{"plugin": "pod", "name": "one"}, {"plugin": "pod", "name": "two"}]
        self.assert_refused(self.host(self.cluster, kinds, **self.over(required=True)),
                            "one", "two")


if __name__ == "__main__":
    main()
