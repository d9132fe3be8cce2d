"""kindredctl: get, graph, kinds, plugins, status; forms and exit codes."""

import json
import subprocess

from e2e.lib import env
from e2e.lib.case import ALL, PAGED, KindredTest, main
from e2e.lib.objects import deployment, node, owner, pod, replica_set


class Ctl(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.fake()
        made = self.cluster.add("Deployment", deployment("web"))
        made = self.cluster.add("ReplicaSet", replica_set("web-1", owner=owner("Deployment", made)))
        self.cluster.add("Node", node("n1"))
        for name, where in (("a", "default"), ("b", "default"), ("c", "kube")):
            self.cluster.add("Pod", pod(name, where, node="n1", labels={"app": name},
                                        owner=owner("ReplicaSet", made)))
        self.host_ = self.ready(self.cluster, ALL, defaults=PAGED)

    def ok(self, *words):
        code, out, err = self.host_.ctl(*words)
        self.assertEqual((code, err), (0, ""), f"{words}: {out}{err}")
        return out

    def fails(self, *words):
        code, out, err = self.host_.ctl(*words)
        self.assertNotEqual(code, 0, out)
        self.assertEqual(out, "")
        self.assertEqual(len(err.strip().split("\n")), 1, err)
        return err

    def test_get_as_a_table(self):
        lines = self.ok("get", "pod").rstrip("\n").split("\n")
        self.assertEqual(len(lines), 4)
        self.assertIn("NAME", lines[0])
        self.assertEqual([line.rstrip() == line for line in lines], [True] * 4)
        for name in ("a", "b", "c"):
            self.assertTrue(any(name in line.split() for line in lines[1:]), name)

    def test_get_narrowed(self):
        for words, want in ((("pod", "-n", "kube"), {"c"}), (("pods", "a"), {"a"}),
                            (("po", "-l", "app=b"), {"b"}),
                            (("pod", "-l", "app in (a,c)"), {"a", "c"}),
                            (("pod", "a", "-n", "default"), {"a"})):
            with self.subTest(words):
                out = self.ok("get", *words, "-o", "name")
                self.assertEqual({line.rsplit("/", 1)[-1] for line in out.split()}, want)

    def test_get_as_json(self):
        many = json.loads(self.ok("get", "pod", "-o", "json"))
        self.assertEqual(len(many["items"]), 3)
        text = self.ok("get", "pod", "a", "-n", "default", "-o", "json")
        self.assertIn('"nodeName"', text)
        self.assertIsInstance(json.loads(text), dict)

    def test_get_as_yaml(self):
        text = self.ok("get", "pod", "a", "-n", "default", "-o", "yaml")
        self.assertRegex(text, r"(?m)^\s*nodeName: n1$")
        self.assertNotIn("\t", text)

    def test_nothing_found(self):
        self.assertIn("none", self.fails("get", "pod", "none"))
        self.assertIn("Nonesuch", self.fails("get", "Nonesuch"))
        code, out, _ = self.host_.ctl("get", "pod", "-l", "app=none", "-o", "json")
        self.assertEqual((code, json.loads(out)["items"]), (0, []))

    def test_bad_usage(self):
        for words in ((), ("fly",), ("get",), ("get", "pod", "-o", "xml"), ("get", "pod", "--fly"),
                      ("graph",), ("graph", "pod"), ("get", "pod", "-l", "a in (")):
            with self.subTest(words):
                code, out, err = self.host_.ctl(*words)
                self.assertNotEqual(code, 0)
                self.assertTrue(err.strip())

    def test_help(self):
        out = self.ok("--help")
        for word in ("get", "graph", "kinds", "plugins", "changes", "status"):
            self.assertIn(word, out)

    def test_graph_is_a_tree(self):
        lines = self.ok("graph", "deployment/web").rstrip("\n").split("\n")
        at = {}
        for line in lines:
            for word in ("web-1", "n1"):
                if word in line.replace("Deployment", ""):
                    at.setdefault(word, line.index(word))
        self.assertIn("web", lines[0])
        self.assertGreater(at["n1"], at["web-1"], "deeper is further in")

    def test_kinds_and_plugins(self):
        out = self.ok("kinds")
        for kind in ("Pod", "Node", "Deployment", "EndpointSlice"):
            self.assertTrue(any(kind in line.split() for line in out.splitlines()), kind)
        self.assertIn("synced", out)
        self.assertEqual(len(json.loads(self.ok("kinds", "-o", "json"))["items"]), 6)
        out = self.ok("plugins")
        for name in ALL:
            self.assertTrue(any(name in line.split() for line in out.splitlines()), name)
        self.assertEqual(len(json.loads(self.ok("plugins", "-o", "json"))["items"]), 6)

    def test_status(self):
        self.assertTrue(self.ok("status").strip())
        self.assertIsInstance(json.loads(self.ok("status", "-o", "json")), dict)

    def test_no_server(self):
        done = subprocess.run([env.program("kindredctl"), "--server",
                               f"unix:{self.path('none.sock')}", "kinds"], capture_output=True,
                              text=True, timeout=env.scaled(30))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("none.sock", done.stderr)

    def test_a_closed_pipe_is_no_crash(self):
        done = subprocess.run(f"{env.program('kindredctl')} --server unix:{self.host_.socket} "
                              "get pod -o json | head -c 1", shell=True, capture_output=True,
                              timeout=env.scaled(30))
        self.assertNotIn(b"Sanitizer", done.stderr)

    def test_version(self):
        done = subprocess.run([env.program("kindred"), "version"], capture_output=True,
                              text=True, timeout=env.scaled(30))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\d+\.\d+")


if __name__ == "__main__":
    main()
