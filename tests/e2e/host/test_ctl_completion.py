"""Completion of kindredctl's words, as the shells do it with what kindredctl gives them."""

import os
import subprocess

from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import node, pod

BASH = """
source <(kindredctl completion bash)
words() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    _kindredctl 2>/dev/null
    printf '%s\\n' "${COMPREPLY[@]}"
}
words "$@"
"""
# What zsh's own functions would be told; they need a terminal to show it.
ZSH = """
autoload -Uz compinit && compinit -D -u
_files() { print -l :files }
compadd() { while [[ $1 != -- ]] shift; shift; print -l -- $@ }
source <(kindredctl completion zsh)
words=("$@"); CURRENT=$#
_kindredctl
[[ $_comps[kindredctl] = _kindredctl ]] || exit 1
"""


class Completion(KindredTest):
    @classmethod
    def setUpClass(cls):
        cls.environ = {**os.environ, "PATH": f"{env.BUILD}:{os.environ['PATH']}"}

    def setUp(self):
        super().setUp()
        cluster = self.fake(kinds=["Pod", "Node", "Namespace"])
        cluster.add("Node", node("n1"))
        cluster.add("Namespace", {"metadata": {"name": "kube"}})
        for name, where in (("web-1", "default"), ("web-2", "default"), ("db", "kube")):
            cluster.add("Pod", pod(name, where, node="n1"))
        self.host_ = self.ready(cluster, ("pod", "node", "namespace"), defaults=PAGED)
        self.environ = {**self.environ, "KINDRED_SERVER": f"unix:{self.host_.socket}",
                        "HOME": self.folder}
        self.write("here.db", "")

    def run_in(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, env=self.environ,
                              cwd=self.folder, timeout=env.scaled(60))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def asked(self, *words):
        return self.run_in("kindredctl", "__complete", *words)

    CASES = (
        (("ge",), ["get"]), (("", ), None), (("get", "po"), ["pods"]),
        (("get", "pods", "w"), ["web-1", "web-2"]), (("get", "pods", "-n", "kube", ""), ["db"]),
        (("get", "pods/we"), ["pods/web-1", "pods/web-2"]), (("graph", "n"), ["nodes/",
                                                                             "namespaces/"]),
        (("graph", "node/"), ["node/n1"]), (("path", "pod/db", "pod/d"), ["pod/db"]),
        (("get", "-n", "k"), ["kube"]), (("get", "pods", "-o", "j"), ["json", "jsonpath="]),
        (("graph", "pod/db", "-o", ""), ["tree", "json", "dot", "mermaid", "svg"]),
        (("graph", "pod/db", "--direction", "o"), ["out"]), (("store", ""), ["check", "backup"]),
        (("completion", "z"), ["zsh"]), (("export", "--format", "g"), ["graphml"]),
        (("get", "pods", "--wat"), ["--watch"]), (("kinds", "--wat"), []),
        (("kinds", ""), []), (("nonesuch", ""), None), (("get", "nonesuch", ""), []),
        (("--server", "unix:/none", "get", ""), []),
        (("orphans", "--field-selector", ""), []))

    def test_what_is_offered(self):
        for words, want in self.CASES:
            with self.subTest(words):
                got = self.asked(*words)
                if want is None:
                    self.assertLessEqual({"get", "graph", "top", "diff"}, set(got))
                else:
                    self.assertCountEqual(got, want)
        for words in (("diff", ""), ("export", "h"), ("store", "backup", "h"), ("--ca", "")):
            self.assertEqual(self.asked(*words), [":files"], words)

    def test_bash(self):
        for words, want in self.CASES:
            if want is not None:
                with self.subTest(words):
                    got = self.run_in("bash", "-c", BASH, "bash", "kindredctl", *words)
                    self.assertCountEqual(got, want)
        self.assertEqual(self.run_in("bash", "-c", BASH, "bash", "kindredctl", "export", "here"),
                         ["here.db"])

    def test_zsh(self):
        for words, want in self.CASES[2:8]:
            with self.subTest(words):
                got = self.run_in("zsh", "-f", "-c", ZSH, "zsh", "kindredctl", *words)
                self.assertCountEqual(got, want)
        self.assertEqual(self.run_in("zsh", "-f", "-c", ZSH, "zsh", "kindredctl", "export", "here"),
                         [":files"])

    def test_zsh_finds_the_installed_script(self):
        folder = self.path("fpath")
        os.mkdir(folder)
        with open(os.path.join(folder, "_kindredctl"), "w", encoding="utf-8") as file:
            file.write(subprocess.run(["kindredctl", "completion", "zsh"], env=self.environ,
                                      capture_output=True, text=True, check=True).stdout)
        loaded = ZSH.replace("source <(kindredctl completion zsh)\n", "").replace(
            "autoload -Uz compinit", f"fpath=({folder} $fpath); autoload -Uz compinit")
        self.assertNotEqual(loaded, ZSH)
        self.assertCountEqual(
            self.run_in("zsh", "-f", "-c", loaded, "zsh", "kindredctl", "get", "pods", "w"),
            ["web-1", "web-2"])

    def test_fish(self):
        for words, want in (("ge", ["get"]), ("get pods w", ["web-1", "web-2"]),
                            ("get -n k", ["kube"]), ("export her", ["here.db"])):
            with self.subTest(words):
                got = self.run_in("fish", "--no-config", "-c",
                                  "kindredctl completion fish | source;"
                                  f"complete -C 'kindredctl {words}'")
                self.assertCountEqual(got, want)

    def test_an_unknown_shell(self):
        done = subprocess.run(["kindredctl", "completion", "csh"], capture_output=True, text=True,
                              env=self.environ, timeout=env.scaled(30))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("bash, zsh and fish", done.stderr)


if __name__ == "__main__":
    main()
