"""Bad configuration: a clear message, exit code 2, nothing started."""

import os
import re

from e2e.lib import conf
from e2e.lib.case import KindredTest, main


class BadConfig(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.fake()

    def refused(self, *words, text=None, both=True, change=None, **over):
        """Refused by run and by check, with the words in both messages."""
        host = self.host(self.cluster, text=text, **over)
        if change:
            change(host)
        said = self.assert_refused(host, *words)
        if both:
            self.assert_refused(host, *words, command="check")
        self.assertEqual(len(self.cluster.log), 0, self.cluster.log.text())
        return said

    def line_of(self, said, name="kindred.conf"):
        found = re.search(re.escape(name) + r":(\d+)", said)
        self.assertTrue(found, f"no {name}:LINE in {said!r}")
        return int(found.group(1))

    def test_no_config_file(self):
        self.refused("kindred.conf", "no such file", change=lambda h: os.unlink(h.config_path))

    def test_a_folder_for_a_file(self):
        def swap(host):
            os.unlink(host.config_path)
            os.mkdir(host.config_path)
        self.refused("kindred.conf", change=swap)

    def test_syntax_error_with_file_and_line(self):
        said = self.refused(text='cluster = {\n  qps = 5.0;\n};\nleader = { enabled = ;\n};\n')
        self.assertEqual(self.line_of(said), 4)

    def test_unknown_key_names_the_nearest(self):
        for section, key, nearest in (("cluster", "qsp", "qps"),
                                      ("store", "batchsize", "batch_size"),
                                      ("defaults", "worker", "workers"),
                                      ("log", "levle", "level")):
            with self.subTest(key):
                said = self.refused(key, nearest, **{section: {key: 1}})
                self.assertGreater(self.line_of(said), 0)

    def test_unknown_key_of_a_kind_and_unknown_section(self):
        self.refused("namespace_", "namespaces", kinds=[{"plugin": "pod", "namespace_": ["a"]}])
        self.refused("clutser", "cluster", clutser={"qps": 1.0})

    def test_unknown_key_of_a_plugins_settings(self):
        self.refused("settings", "nonsense",
                     kinds=[{"plugin": "pod", "settings": {"nonsense": 1}}])

    def test_wrong_type(self):
        for section, key, value in (("cluster", "qps", "many"), ("store", "batch_size", "1000"),
                                    ("plugins", "required", "yes"), ("api", "bind", 8080),
                                    ("plugins", "extra", "one"), ("defaults", "workers", True),
                                    ("leader", "enabled", 0)):
            with self.subTest(f"{section}.{key}"):
                said = self.refused(key, **{section: {key: value}})
                self.assertGreater(self.line_of(said), 0)

    def test_values_out_of_range(self):
        for section, key, value in (("defaults", "workers", 0), ("defaults", "mode", "half"),
                                    ("store", "batch_size", -1), ("log", "level", "loud"),
                                    ("store", "flush_interval", "200"),
                                    ("store", "flush_interval", "-1s"),
                                    ("defaults", "watch_timeout", "5 parsecs"),
                                    ("health", "bind", "127.0.0.1:99999")):
            with self.subTest(f"{section}.{key} = {value}"):
                self.refused(key, **{section: {key: value}})

    def test_every_fault_is_told_by_check(self):
        host = self.host(self.cluster, cluster={"qsp": 1.0}, log={"level": "loud"})
        code, out, err = host.once("check")
        self.assertEqual(code, 2)
        for word in ("qsp", "loud"):
            self.assertIn(word, out + err)

    def test_no_kinds_plugin_key(self):
        self.refused("plugin", kinds=[{"name": "x"}])

    def test_unreadable_kubeconfig(self):
        self.refused("kubeconfig", both=False,
                     cluster={"kubeconfig": self.path("none", "kubeconfig")})
        path = self.write("broken", "clusters: [\n  {name: x\n")
        self.refused("broken", both=False, cluster={"kubeconfig": path})

    def test_a_kubeconfig_of_another_form(self):
        for number, text in enumerate(("- a\n- b\n", "clusters: 5\n", "just text\n", "\xff\xfe")):
            with self.subTest(text):
                path = self.write(f"form{number}", text)
                self.refused(f"form{number}", both=False, cluster={"kubeconfig": path})

    def test_unknown_context(self):
        said = self.refused("nowhere", "context", both=False, cluster={"context": "nowhere"})
        self.assertIn("test", said)

    def test_a_context_without_its_cluster(self):
        text = conf.kubeconfig("http://127.0.0.1:1").replace("    cluster: wire", "    cluster: w")
        path = self.write("dangling", text)
        self.refused("cluster", "w", both=False, cluster={"kubeconfig": path})

    def test_a_credential_file_that_is_missing(self):
        text = conf.kubeconfig("https://127.0.0.1:1", ca="none/ca.pem")
        path = self.write("lost", text)
        self.refused("ca.pem", both=False, cluster={"kubeconfig": path})

    def test_unknown_command_and_option(self):
        for words in (("fly",), ("run", "--confg", "x")):
            host = self.host(self.cluster)
            code, out, err = host.once(*words)
            self.assertNotEqual(code, 0)
            self.assertIn(words[-1] if len(words) == 1 else "confg", out + err)

    def test_a_good_one_passes_check(self):
        host = self.host(self.cluster)
        code, out, err = host.once("check")
        self.assertEqual(code, 0, out + err)
        self.assertEqual(len(self.cluster.log), 0)


if __name__ == "__main__":
    main()
