"""kindredctl export, import and diff; the views of a store file and kindred_data."""

import csv
import io
import json
import os
import re
import sqlite3
import subprocess
import xml.etree.ElementTree

from e2e.lib import env
from e2e.lib.case import ALL, PAGED, KindredTest, main
from e2e.lib.objects import (deployment, endpoint_slice, node, owner, pod, replica_set, service)

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
ODD = {"note": 'a "quoted", <b>text</b>\nof\ttwo & lines', "unicode": "\u00e4\u20ac"}


class Graph(KindredTest):
    """web owns a and b, which run on n1; two slices say that a serves; lost's node is unknown."""

    def begin(self):
        cluster = self.fake()
        made = cluster.add("Deployment", deployment("web"))
        made = cluster.add("ReplicaSet", replica_set("web-1", owner=owner("Deployment", made)))
        cluster.add("Node", node("n1"))
        for name in ("a", "b"):
            one = pod(name, node="n1", labels={"app": name}, owner=owner("ReplicaSet", made))
            one["metadata"]["annotations"] = ODD
            cluster.add("Pod", one)
        cluster.add("Pod", pod("lost", node="nowhere"))
        cluster.add("Service", service("web"))
        for part in ("x", "y"):   # the same endpoint twice: a relation of two origins
            cluster.add("EndpointSlice",
                        endpoint_slice(f"web-{part}", "web", [("a", "10.0.0.1")]))
        self.store = self.path("g.db")
        host = self.ready(cluster, ALL, defaults=PAGED, store={"path": self.store})
        host.until(lambda: len(host.relations()) >= 7, describe="the relations")
        return cluster, host

    def ctl(self, *words, code=0, stdin=None):
        done = subprocess.run([env.program("kindredctl"), *words], input=stdin,
                              capture_output=True, text=True, timeout=env.scaled(60),
                              env={**os.environ, "KINDRED_SERVER": "neither:here"})
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout if code == 0 else done.stdout + done.stderr

    def backup(self, host, name):
        code, _, err = host.ctl("store", "backup", self.path(name))
        self.assertEqual(code, 0, err)
        return self.path(name)


class Export(Graph):
    def test_import_rebuilds_the_same_graph(self):
        _, host = self.begin()
        code, text, err = host.ctl("export")
        self.assertEqual(code, 0, err)
        self.assertEqual(self.ctl("export", self.backup(host, "b.db")), text)
        self.assertEqual(self.ctl("export", self.store), text, "beside its writer")
        with open(self.path("g.jsonl"), "w", encoding="utf-8") as file:
            file.write(text)
        self.ctl("import", self.path("g.jsonl"), self.path("new.db"))
        self.assertEqual(self.ctl("export", self.path("new.db")), text)
        self.ctl("import", "-", self.path("again.db"), stdin=text)
        self.assertEqual(self.ctl("export", self.path("again.db")), text)
        self.assertEqual(self.ctl("diff", self.path("b.db"), self.path("new.db")), "")
        left = {name for name in os.listdir(self.folder) if "part" in name or "-" in name}
        self.assertEqual(left, {"g.db-wal", "g.db-shm"})

    def test_what_a_line_holds(self):
        _, host = self.begin()
        lines = [json.loads(line) for line in host.ctl("export")[1].splitlines()]
        self.assertEqual(lines[0], {"kindred": {"format": 1, "seq": host.seq()}})
        stored = {item["ref"]["uid"]: item for kind in host.kinds()
                  for item in host.resources(kind)}
        resources = [line["resource"] for line in lines if "resource" in line]
        self.assertEqual(len(resources), len(stored))
        for item in resources:
            want = stored[item["ref"]["uid"]]
            self.assertEqual({key: item[key] for key in want}, want)
            self.assertEqual(item["resourceVersion"], item["data"]["metadata"]["resourceVersion"])
        relations = [line["relation"] for line in lines if "relation" in line]
        said = host.relationships()
        self.assertEqual(len(relations), len(said))
        for item in said:
            self.assertIn(item, [{k: v for k, v in r.items() if k != "origins"} for r in relations])
        twice, = [r for r in relations if r["predicate"]["type"] == "ServiceEndpoint"]
        self.assertEqual([o["ref"]["name"] for o in twice["origins"]], ["web-x", "web-y"])
        self.assertEqual([o["attributes"] for o in twice["origins"]], [{"ready": True}] * 2)

    def test_kindred_goes_on_with_an_imported_graph(self):
        """What it deletes later goes as it would have gone where it came from."""
        cluster, host = self.begin()
        text = host.ctl("export")[1]
        relations = host.relations()
        self.assertEqual(host.stop(), 0)
        self.ctl("import", "-", self.path("new.db"), stdin=text)
        other = self.ready(cluster, ALL, defaults=PAGED, store={"path": self.path("new.db")})
        self.assertEqual(other.relations(), relations)
        self.assertEqual(other.ctl("store", "check")[:2], (0, "ok\n"))
        cluster.delete("EndpointSlice", "web-x")
        cluster.delete("Pod", "b")
        gone = {r for r in relations if "Pod/default/b" in r[1:]}
        other.until(lambda: other.relations() == relations - gone, describe="b's relations to go")
        cluster.delete("EndpointSlice", "web-y")
        other.until(lambda: not other.relations(predicate="ServiceEndpoint"),
                    describe="the last origin to go")
        self.assertEqual(other.ctl("store", "check")[:2], (0, "ok\n"))

    def test_graphml(self):
        _, host = self.begin()
        root = xml.etree.ElementTree.fromstring(host.ctl("export", "--format", "graphml")[1])
        graph = root.find(GRAPHML + "graph")
        nodes = {item.get("id"): {d.get("key"): d.text for d in item}
                 for item in graph.findall(GRAPHML + "node")}
        self.assertEqual(nodes["Pod/default/a"]["labels"], '{"app":"a"}')
        self.assertEqual(nodes["Node//nowhere"]["present"], "false")
        self.assertEqual(nodes["Deployment.apps/default/web"]["present"], "true")
        edges = {(next(d.text for d in e if d.get("key") == "type"), e.get("source"),
                  e.get("target")) for e in graph.findall(GRAPHML + "edge")}
        self.assertIn(("PodNodeBinding", "Pod/default/lost", "Node//nowhere"), edges)
        self.assertEqual(len(edges), len(host.relations()))
        for _, source, target in edges:
            self.assertLessEqual({source, target}, set(nodes))

    def test_csv(self):
        _, host = self.begin()
        code, out, err = host.ctl("export", "--format", "csv", "--dir", self.path("csv"))
        self.assertEqual((code, out, err), (0, "", ""))
        with open(self.path("csv", "resources.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(sorted(row["name"] for row in rows if row["kind"] == "Pod"),
                         ["a", "b", "lost"])
        row, = [row for row in rows if (row["kind"], row["name"]) == ("Pod", "a")]
        self.assertEqual(json.loads(row["annotations"]), ODD)
        self.assertEqual(json.loads(row["data"]), host.resource("Pod", "a")["data"])
        with open(self.path("csv", "relationships.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({(r["type"], f"{r['subject_kind']}/{r['subject_namespace']}/"
                           f"{r['subject_name']}", f"{r['object_kind']}/{r['object_namespace']}/"
                           f"{r['object_name']}") for r in rows}, host.relations())
        self.assertEqual([r["resolved"] for r in rows if r["object_name"] == "nowhere"], ["0"])

    def test_refusals(self):
        with open(self.path("there"), "w", encoding="ascii") as file:
            file.write("mine")
        sqlite3.connect(self.path("foreign.db")).execute("CREATE TABLE t(a)").connection.close()
        head = '{"kindred":{"format":1,"seq":3}}\n'
        for words, stdin, said in (
                (("export", self.path("none.db")), None, "No such file"),
                (("export", self.path("there")), None, "is no store of kindred's"),
                (("export", self.path("foreign.db")), None, "is no store of kindred's"),
                (("import", self.path("none"), self.path("x.db")), None, "No such file"),
                (("import", "-", self.path("there")), head, "is there already"),
                (("import", "-", self.path("x.db")), "", "line 0"),
                (("import", "-", self.path("x.db")), '{"a":1}\n', "line 1: this is no export"),
                (("import", "-", self.path("x.db")), head + "{}\n", "line 2: it is neither"),
                (("import", "-", self.path("x.db")), head + '{"resource":{"ref":{}}}\n', "line 2"),
                (("import", "-", self.path("x.db")), head + '{"resource":{"re', "line 2"),
                (("import", "-", self.path("x.db")), head + '{"relation":{"predicate":{"type":"P"},'
                 '"subject":{"kind":"A","name":"a"},"object":{"kind":"A","name":"b"},'
                 '"origins":[]}}\n', "nobody says")):
            with self.subTest(words, stdin=stdin):
                self.assertIn(said, self.ctl(*words, stdin=stdin, code=1))
        self.assertEqual(sorted(os.listdir(self.folder)), ["foreign.db", "there"])
        for words in (("export", "--format", "xml"), ("export", "--format", "csv"),
                      ("export", "--dir", "x"), ("import", "a"), ("diff", "a")):
            self.assertEqual(self.ctl(*words, code=2).count("\n"), 1, words)

    def test_what_goes_wrong_is_told(self):
        """A full disk, and a file of which half is gone: one line, exit code 1, nothing left."""
        _, host = self.begin()
        copy = self.backup(host, "b.db")
        with open("/dev/full", "wb") as full:
            for form in ("jsonl", "graphml"):
                done = subprocess.run([env.program("kindredctl"), "export", "--format", form, copy],
                                      stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=env.scaled(60))
                self.assertEqual(done.returncode, 1)
                self.assertIn("cannot write the output: No space left", done.stderr)
        os.truncate(copy, os.path.getsize(copy) // 2 // 8192 * 8192)
        for words in (("export", copy), ("diff", self.store, copy)):
            done = subprocess.run([env.program("kindredctl"), *words], capture_output=True,
                                  text=True, timeout=env.scaled(60))
            self.assertEqual(done.returncode, 2 if words[0] == "diff" else 1)
            self.assertIn(copy, done.stderr)
        done = subprocess.run([env.program("kindredctl"), "--server", f"unix:{host.socket}",
                               "export"], capture_output=True, text=True,
                              env={"TMPDIR": self.path("none")}, timeout=env.scaled(60))
        self.assertEqual(done.returncode, 1)
        self.assertIn("TMPDIR names another folder", done.stderr)

    def test_diff(self):
        cluster, host = self.begin()
        old = self.backup(host, "old.db")
        cluster.delete("Pod", "b")
        cluster.add("Pod", pod("c", node="n1"))
        cluster.modify("Pod", "a", change={"metadata": {"labels": {"app": "z"}},
                                           "spec": {"schedulerName": "other"}})
        cluster.modify("Node", "n1")   # but for its version as it was
        cluster.add("Node", node("nowhere"))
        host.until(lambda: host.resource("Node", "nowhere", namespace="") and
                   host.resource("Pod", "a")["labels"] == {"app": "z"} and
                   host.resource("Pod", "b") is None, describe="the changes")
        new = self.backup(host, "new.db")
        lines = self.ctl("diff", old, new, code=1).splitlines()
        self.assertEqual(lines, [
            "+ Node nowhere", "~ Pod default/a  (labels, spec)", "- Pod default/b",
            "+ Pod default/c", "- OwnerReference ReplicaSet default/web-1 -> Pod default/b",
            "- PodNodeBinding Pod default/b -> Node n1",
            "+ PodNodeBinding Pod default/c -> Node n1",
            "~ PodNodeBinding Pod default/lost -> Node nowhere  (resolved)"])
        rows = [json.loads(line) for line in
                self.ctl("diff", old, new, "-o", "json", code=1).splitlines()]
        self.assertEqual([row["change"] for row in rows].count("changed"), 2)
        self.assertEqual(rows[1]["parts"], ["labels", "spec"])
        self.assertEqual(rows[1]["resource"]["name"], "a")
        self.assertEqual(self.ctl("diff", new, new), "")
        self.assertIn("No such file", self.ctl("diff", old, self.path("none"), code=2))


class Views(Graph):
    """The same graph by the program sqlite3 and the extension that is shipped."""

    def sql(self, store, text):
        extension = os.path.join(env.BUILD, "kindred_sqlite")
        done = subprocess.run(["sqlite3", "-csv", "-header", store], capture_output=True, text=True,
                              input=f".load {extension}\n{text};\n", timeout=env.scaled(60),
                              env={**os.environ, **env.for_sqlite()})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def test_views_say_what_the_api_says(self):
        _, host = self.begin()
        copy = self.backup(host, "b.db")
        for store in (self.store, copy):
            rows = self.sql(store, "SELECT *, kindred_data(id) AS data FROM resources")
            self.assertEqual(len(rows), sum(k["stored"] for k in host.kinds().values()))
            for row in rows:
                item, = [i for i in host.resources(row["kind"], name=row["name"])
                         if i["ref"]["namespace"] == row["namespace"]]
                self.assertEqual(item["ref"], {
                    "group": row["api_group"], "version": row["api_version"], "kind": row["kind"],
                    "namespace": row["namespace"], "name": row["name"], "uid": row["uid"]})
                for name in ("labels", "annotations", "data"):
                    self.assertEqual(json.loads(row[name]), item[name])
                self.assertEqual((row["created_at"], row["updated_at"]),
                                 (item["createdAt"], item["updatedAt"]))
                self.assertTrue(re.fullmatch(r"[a-z]+", row["plugin"]), row["plugin"])
            rows = self.sql(store, "SELECT * FROM relationships")
            got = [({"type": r["type"], **json.loads(r["attributes"])}, self.end(r, "subject"),
                    self.end(r, "object"), r["resolved"] == "1") for r in rows]
            want = [(r["predicate"], r["subject"], r["object"], r["resolved"])
                    for r in host.relationships()]
            self.assertCountEqual(got, want)

    @staticmethod
    def end(row, end):
        return {name: row[f"{end}_{name}"]
                for name in ("group", "version", "kind", "namespace", "name", "uid")}

    def test_a_file_of_an_older_kindred(self):
        """Its views are not there yet; export and diff bring their own."""
        _, host = self.begin()
        copy = self.backup(host, "b.db")
        text = self.ctl("export", copy)
        with sqlite3.connect(copy) as handle:
            handle.executescript("DROP VIEW resources; DROP VIEW relationships; DROP VIEW origins;"
                                 "DROP TABLE mark; DROP TABLE pending; PRAGMA user_version = 2")
        self.assertEqual(self.ctl("export", copy), text)
        with sqlite3.connect(copy) as handle:
            handle.execute("PRAGMA user_version = 99")
        self.assertIn("use a newer kindredctl", self.ctl("export", copy, code=1))

    def test_what_cannot_be_read(self):
        _, host = self.begin()
        copy = self.backup(host, "b.db")
        self.assertEqual(self.sql(copy, "SELECT kindred_data(NULL) AS a, kindred_data(99999) AS b"),
                         [{"a": "", "b": ""}])
        with sqlite3.connect(copy) as handle:
            handle.execute("UPDATE record SET bytes = x'00'")
        done = subprocess.run(["sqlite3", copy], capture_output=True, text=True,
                              input=f".load {env.BUILD}/kindred_sqlite\n"
                              "SELECT kindred_data(id) FROM resources;\n",
                              env={**os.environ, **env.for_sqlite()})
        self.assertIn("no whole store", done.stderr)
        self.assertIn("no whole store", self.ctl("export", copy, code=1))


if __name__ == "__main__":
    main()
