"""kindredctl get: how kinds are named, wide tables, templates, watches; graph's forms; colour."""

import json
import os
import pty
import subprocess
import threading
import xml.etree.ElementTree

import wire.kinds
from e2e.lib import env
from e2e.lib.case import ALL, PAGED, KindredTest, main
from e2e.lib.objects import deployment, node, owner, pod, replica_set, service
from e2e.lib.waiting import wait_until

HPA = {"group": "autoscaling", "version": "v2", "kind": "HorizontalPodAutoscaler",
       "resource": "horizontalpodautoscalers"}
KINDS = (*ALL, "horizontalpodautoscaler", "configmap")


class Running:
    """A kindredctl that goes on; its lines as they come."""

    def __init__(self, test, host, *words):
        self.process = subprocess.Popen(
            [env.program("kindredctl"), "--server", f"unix:{host.socket}", *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=host.environment())
        test.addCleanup(self.stop)
        self.lines = []
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def until(self, predicate, describe):
        def ask():
            if self.process.poll() is not None:
                raise AssertionError(f"it has ended: {self.process.stderr.read()}")
            return predicate(list(self.lines))
        try:
            return wait_until(ask, 20.0, describe)
        except AssertionError as error:
            raise AssertionError(f"{error}\n" + "\n".join(self.lines[-40:])) from None

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        self.process.stderr.close()


class CtlTest(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.fake(kinds=[*wire.kinds.KINDS, HPA])
        made = self.cluster.add("Deployment", deployment("web"))
        made = self.cluster.add("ReplicaSet", replica_set("web-1", owner=owner("Deployment", made)))
        self.cluster.add("Node", node("n1"))
        self.cluster.add("Service", service("web"))
        for name, where in (("a", "default"), ("b", "kube")):
            self.cluster.add("Pod", pod(name, where, node="n1", labels={"app": name},
                                        owner=owner("ReplicaSet", made)))
        self.store = {"path": self.path("g.db")}
        self.host_ = self.ready(self.cluster, KINDS, defaults=PAGED, store=self.store)

    def ok(self, *words):
        code, out, err = self.host_.ctl(*words)
        self.assertEqual((code, err), (0, ""), f"{words}: {out}{err}")
        return out

    def watch(self, *words):
        return Running(self, self.host_, "get", *words, "-w")


class Get(CtlTest):
    def test_kinds_are_named_as_kubectl_names_them(self):
        for kind in ("po", "pod", "pods", "Pod", "PODS", "pods.v1", "Pod."):
            self.assertEqual(self.ok("get", kind, "-A", "-o", "name"),
                             "Pod/default/a\nPod/kube/b\n", kind)
        for kind in ("deploy", "deployment", "deployments", "deployments.apps", "deploy.apps",
                     "deployments.v1.apps", "Deployment.v1.apps"):
            self.assertEqual(self.ok("get", kind, "-o", "name"),
                             "Deployment.apps/default/web\n", kind)
        for kind in ("pods.apps", "pods.v2", "deployments.v2.apps", "nonesuch"):
            self.assertEqual(self.host_.ctl("get", kind)[0], 1, kind)
        self.assertEqual(self.ok("get", "pod/a", "-o", "name"), "Pod/default/a\n")
        self.assertEqual(self.ok("get", "Pod/kube/b", "-o", "name"), "Pod/kube/b\n")
        self.assertEqual(self.ok("get", "Node//n1", "-o", "name"), "Node//n1\n")
        self.assertEqual(self.ok("get", "pods", "-n", "kube", "-A", "-o", "name").count("\n"), 2)

    def test_several_kinds_and_names(self):
        self.assertEqual(self.ok("get", "po,deploy", "-o", "name"),
                         "Pod/default/a\nPod/kube/b\nDeployment.apps/default/web\n")
        self.assertEqual(self.ok("get", "pods", "b", "a", "-o", "name"),
                         "Pod/kube/b\nPod/default/a\n")
        tables = self.ok("get", "po,cm,svc").split("\n\n")   # what has none has no table
        self.assertEqual([table.split("\n")[0].split()[:3] for table in tables],
                         [["NAMESPACE", "NAME", "READY"], ["NAMESPACE", "NAME", "TYPE"]])
        self.assertEqual(self.ok("get", "po,svc", "--no-headers").count("\n"), 3)
        names = [item["ref"]["name"] for item in
                 json.loads(self.ok("get", "po,svc", "-o", "json"))["items"]]
        self.assertEqual(names, ["a", "b", "web"])
        code, _, err = self.host_.ctl("get", "pods", "a", "none", "-o", "name")
        self.assertEqual(code, 1)
        self.assertIn('no pods "none" is in the graph', err)

    def test_kinds_are_listed_in_a_narrow_table(self):
        lines = self.ok("kinds").splitlines()
        self.assertLess(max(map(len, lines)), 100)
        self.assertNotIn("ERROR", lines[0])
        self.assertIn("HorizontalPodAutoscaler", self.ok("kinds"))
        self.assertIn("PLUGIN", self.ok("kinds", "-o", "wide").splitlines()[0])
        self.assertIn("deployments.apps\n", self.ok("kinds", "-o", "name"))
        self.cluster.forbid("Pod")
        self.cluster.close_watches("Pod")
        self.host_.wait_state("Pod", "forbidden")
        self.assertIn("ERROR", self.ok("kinds").splitlines()[0])

    def test_wide_tables(self):
        narrow = self.ok("get", "pods").splitlines()
        wide = self.ok("get", "pods", "-o", "wide").splitlines()
        self.assertEqual(wide[0].split()[:7],
                         ["NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "NODE", "AGE"])
        self.assertEqual(narrow[0].split(), wide[0].split()[:7])
        self.assertIn("CONTAINERS", wide[0])
        at = wide[0].index("IP")
        self.assertEqual([line[at - 1] for line in wide], [" "] * 3, "aligned")
        self.assertEqual(self.ok("get", "pods", "--no-headers").splitlines(), narrow[1:])

    def test_templates(self):
        self.assertEqual(self.ok("get", "pods", "-o", "jsonpath={.items[*].ref.name}"), "a b")
        self.assertEqual(self.ok("get", "pod/a", "-o", "jsonpath={.data.spec.nodeName}"), "n1")
        self.assertEqual(self.ok("get", "pods", "-o", "jsonpath={range .items[*]}{.ref.namespace}/"
                                 "{.labels.app}{\"\\n\"}{end}"), "default/a\nkube/b\n")
        self.assertEqual(self.ok("get", "pods", "-o", "jsonpath="
                                 "{.items[?(@.ref.namespace==\"kube\")].ref.name}"), "b")
        self.assertEqual(self.ok("get", "pods", "-l", "app=none", "-o", "jsonpath={.items[*].ref}"),
                         "")
        code, out, err = self.host_.ctl("get", "pods", "-o", "jsonpath={.items[}")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("character 9", err)

    def test_graph_for_mermaid(self):
        text = self.ok("graph", "deployment/web", "-o", "mermaid")
        lines = [line.strip() for line in text.splitlines()]
        self.assertEqual(lines[0], "flowchart LR")
        number = {}
        for line in lines:
            if '["' in line:
                number[line.split('["')[1].split('"]')[0]] = line.split("[")[0]
        self.assertIn(f"{number['ReplicaSet<br/>default/web-1']} -->|\"OwnerReference\"| "
                      f"{number['Pod<br/>default/a']}", lines)
        self.assertIn(f"{number['Pod<br/>default/a']} -->|\"PodNodeBinding\"| "
                      f"{number['Node<br/>n1']}", lines)

    def test_graph_as_a_picture(self):
        root = xml.etree.ElementTree.fromstring(self.ok("graph", "deployment/web", "-o", "svg"))
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        texts = {item.text for item in root.iter("{http://www.w3.org/2000/svg}text")}
        self.assertLessEqual({"Deployment/default/web", "Pod/default/a", "PodNodeBinding"}, texts)

    def test_no_picture_without_graphviz(self):
        done = subprocess.run([env.program("kindredctl"), "--server", f"unix:{self.host_.socket}",
                               "graph", "deployment/web", "-o", "svg"], capture_output=True,
                              text=True, env={"PATH": self.folder}, timeout=env.scaled(30))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("install graphviz, or take -o dot", done.stderr)

    def on_a_terminal(self, **environ):
        """What a tree looks like on one."""
        outer, inner = pty.openpty()
        done = subprocess.Popen([env.program("kindredctl"), "--server",
                                 f"unix:{self.host_.socket}", "graph", "deployment/web"],
                                stdin=subprocess.DEVNULL, stdout=inner,
                                env={**os.environ, "TERM": "xterm", **environ})
        os.close(inner)
        text = b""
        try:
            while chunk := os.read(outer, 4096):
                text += chunk
        except OSError:   # the other end is closed
            pass
        os.close(outer)
        self.assertEqual(done.wait(env.scaled(30)), 0)
        return text.decode().replace("\r\n", "\n")

    def test_colours_are_for_terminals(self):
        plain = self.ok("graph", "deployment/web")
        self.assertNotIn("\x1b", plain)
        coloured = self.on_a_terminal(NO_COLOR="")
        self.assertIn("\x1b[36mPod\x1b[0m", coloured)
        for environ in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertEqual(self.on_a_terminal(**environ).count("\x1b"), 0)


class Watch(CtlTest):
    def test_rows(self):
        watch = self.watch("pods", "-n", "default")
        watch.until(lambda lines: len(lines) == 2, "the list")
        self.assertEqual(watch.lines[0].split()[:3], ["EVENT", "NAMESPACE", "NAME"])
        self.assertEqual(watch.lines[1].split()[:3], ["ADDED", "default", "a"])
        self.cluster.add("Pod", pod("new", node="n1"))
        watch.until(lambda lines: len(lines) == 3, "the new one")
        self.cluster.add("Pod", pod("other", "kube", node="n1"))
        self.cluster.modify("Pod", "new", change={"metadata": {"labels": {"app": "x"}}})
        watch.until(lambda lines: len(lines) == 4, "its change")
        self.cluster.delete("Pod", "new")
        watch.until(lambda lines: len(lines) == 5, "its end")
        self.assertEqual([line.split()[:3] for line in watch.lines[2:]],
                         [["ADDED", "default", "new"], ["MODIFIED", "default", "new"],
                          ["DELETED", "default", "new"]])
        at = watch.lines[0].index("NAME")
        self.assertEqual({line[at - 1] for line in watch.lines}, {" "}, "aligned")

    def test_what_a_selector_lets_in_and_out(self):
        watch = self.watch("pods", "-l", "app=a", "-o", "json")
        watch.until(lambda lines: len(lines) == 1, "the list")
        self.cluster.modify("Pod", "a", change={"metadata": {"labels": {"app": "z"}}})
        watch.until(lambda lines: len(lines) == 2, "that it is selected no more")
        self.cluster.modify("Pod", "a", change={"metadata": {"labels": {"app": "a"}}})
        watch.until(lambda lines: len(lines) == 3, "that it is again")
        events = [json.loads(line) for line in watch.lines]
        self.assertEqual([event["type"] for event in events], ["ADDED", "DELETED", "ADDED"])
        self.assertEqual(events[2]["object"]["data"]["spec"]["nodeName"], "n1")
        self.assertEqual(events[1]["object"]["ref"]["name"], "a")

    def test_nothing_is_missed_and_nothing_told_twice(self):
        """The list joins the changes however they fall; a break of the feed changes nothing."""
        stop = threading.Event()

        def add():
            for i in range(600):
                self.cluster.add("Pod", pod(f"p{i:03}", node="n1"))
        adding = threading.Thread(target=add)
        adding.start()
        self.addCleanup(adding.join)
        self.addCleanup(stop.set)
        watches = [self.watch("pods", "-o", "json") for _ in range(4)]
        adding.join()
        last = self.host_
        for watch in watches:
            watch.until(lambda lines: len(lines) >= 602, "all of them")
        self.assertEqual(last.stop(), 0)
        self.host_ = self.host(self.cluster, KINDS, name="h0", defaults=PAGED, store=self.store)
        self.host_.start().wait_ready()
        self.cluster.delete("Pod", "p000")
        for watch in watches:
            watch.until(lambda lines: json.loads(lines[-1])["type"] == "DELETED", "the deletion")
            events = [(e["type"], e["object"]["ref"]["name"])
                      for e in map(json.loads, watch.lines)]
            want = [("ADDED", f"p{i:03}") for i in range(600)]
            want += [("ADDED", "a"), ("ADDED", "b"), ("DELETED", "p000")]
            self.assertCountEqual(events, want)

    def test_other_forms(self):
        names = self.watch("node", "-o", "name")
        template = self.watch("node", "-o", "jsonpath={.ref.name}")
        yaml = self.watch("node", "-o", "yaml")
        for watch, first in ((names, "Node//n1"), (template, "n1"), (yaml, "---")):
            watch.until(lambda lines: lines, "the list")
            self.assertEqual(watch.lines[0], first)
        self.cluster.add("Node", node("n2"))
        names.until(lambda lines: lines[1:] == ["Node//n2"], "the node")
        template.until(lambda lines: lines[1:] == ["n2"], "the node")
        yaml.until(lambda lines: "    name: n2" in lines, "the node")

    def test_an_unknown_kind_ends_it(self):
        code, _, err = self.host_.ctl("get", "nonesuch", "-w")
        self.assertEqual(code, 1)
        self.assertIn("nonesuch", err)


if __name__ == "__main__":
    main()
