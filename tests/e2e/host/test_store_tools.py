"""kindredctl store: is the file whole, and a copy of it while all goes on."""

import json
import os
import sqlite3

from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import node, pod

KINDS = ("pod", "node")


class StoreTools(KindredTest):
    def begin(self, store=None):
        cluster = self.fake(kinds=["Pod", "Node"])
        cluster.add("Node", node("n1"))
        for i in range(200):
            cluster.add("Pod", pod(f"p{i:03}", node="n1"))
        over = {"store": {"path": store}} if store else {}
        return cluster, self.ready(cluster, KINDS, defaults=PAGED, **over)

    def test_check_of_a_whole_file(self):
        _, host = self.begin(self.path("g.db"))
        self.assertEqual(host.ctl("store", "check"), (0, "ok\n", ""))
        code, out, _ = host.ctl("store", "check", "-o", "json")
        self.assertEqual((code, json.loads(out)), (0, {"problems": [], "ok": True}))

    def test_check_finds_what_sqlite_cannot_know(self):
        _, host = self.begin(self.path("g.db"))
        with sqlite3.connect(self.path("g.db"), timeout=10) as handle:
            handle.execute("DELETE FROM origin WHERE rel IN (SELECT id FROM rel LIMIT 3)")
            handle.execute("UPDATE kind SET stored = stored + 1 WHERE name = 'Pod'")
        code, out, err = host.ctl("store", "check")
        self.assertEqual(code, 1)
        self.assertIn("3 relations that nothing gave rise to", out)
        self.assertIn("1 kinds with a wrong count", out)
        self.assertIn("move the file away", err)

    def backup(self, host, name):
        code, out, err = host.ctl("store", "backup", self.path(name))
        self.assertEqual((code, out, err), (0, "", ""))
        return self.path(name)

    def test_backup_is_a_graph_that_kindred_opens(self):
        cluster, host = self.begin(self.path("g.db"))
        copy = self.backup(host, "copy.db")
        left = [f for f in os.listdir(os.path.dirname(copy)) if "backup" in f or f.endswith("part")]
        self.assertEqual(left, [])
        relations = host.relations()
        self.assertEqual(host.stop(), 0)
        cluster.forbid("Pod")
        cluster.forbid("Node")
        other = self.host(cluster, KINDS, defaults=PAGED, store={"path": copy}).start()
        other.wait_api()
        other.wait_state("Pod", "forbidden")
        self.assertEqual(len(other.names("Pod")), 200)
        self.assertEqual(other.relations(), relations)
        self.assertEqual(other.ctl("store", "check")[:2], (0, "ok\n"))

    def test_backup_needs_no_file_beside_it(self):
        """So that it can be read where nobody may write: no log is spoken of in its head."""
        _, host = self.begin(self.path("g.db"))
        with open(self.backup(host, "copy.db"), "rb") as file:
            self.assertEqual(file.read(20)[18:], b"\1\1")

    def test_backup_is_of_one_moment(self):
        """Whatever a batch held, each copy has a binding for every pod."""
        cluster, host = self.begin(self.path("g.db"))
        for turn in range(3):
            for i in range(300):
                cluster.add("Pod", pod(f"t{turn}-{i}", node="n1"))
            with sqlite3.connect(self.backup(host, f"copy{turn}.db")) as handle:
                self.assertEqual(handle.execute("PRAGMA integrity_check").fetchone(), ("ok",))
                stored, = handle.execute("SELECT stored FROM kind WHERE name = 'Pod'").fetchone()
                bound, = handle.execute("SELECT count(*) FROM rel").fetchone()
                self.assertEqual(stored, bound)
        host.wait_stored("Pod", 1100)

    def test_backup_of_a_graph_in_memory(self):
        _, host = self.begin()
        with sqlite3.connect(self.backup(host, "copy.db")) as handle:
            self.assertEqual(handle.execute("SELECT count(*) FROM resource").fetchone(), (201,))

    def test_refusals(self):
        _, host = self.begin()
        with open(self.path("there"), "w", encoding="ascii") as file:
            file.write("mine")
        code, _, err = host.ctl("store", "backup", self.path("there"))
        self.assertEqual(code, 1)
        self.assertIn("is there already", err)
        with open(self.path("there"), encoding="ascii") as file:
            self.assertEqual(file.read(), "mine")
        self.assertIn("none", host.ctl("store", "backup", self.path("none", "x"))[2])
        for words in (("store",), ("store", "mend"), ("store", "check", "x"), ("store", "backup")):
            self.assertEqual(host.ctl(*words)[0], 2, words)


if __name__ == "__main__":
    main()
