"""Store files as earlier versions of kindred left them, one of each schema: upgraded, nothing lost.

stores/version-N.sql is the dump of such a file: nodes n0 and n1, pods p0 to p2 of two applications
bound to them, and p3, which was there and went.
"""

import os
import sqlite3

from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import node, pod

STORES = os.path.join(env.SOURCE, "tests", "e2e", "host", "stores")
BOUND = {"p0": "n0", "p1": "n1", "p2": "n0"}


def versions():
    return sorted(int(name.partition("-")[2].partition(".")[0]) for name in os.listdir(STORES))


class OlderStores(KindredTest):
    def file_of(self, version):
        path = self.path(f"version-{version}.db")
        with open(os.path.join(STORES, f"version-{version}.sql"), encoding="utf-8") as file:
            handle = sqlite3.connect(path)
            handle.executescript(file.read())
            self.assertEqual(handle.execute("PRAGMA user_version").fetchone(), (version,))
            handle.close()
        return path

    def shape(self, path):
        """Columns and keys of each table, whatever order they were added in; names of the rest."""
        handle = sqlite3.connect(path)
        try:
            rows = handle.execute("SELECT type, name FROM sqlite_master").fetchall()
            found = {(kind, name): sorted(
                column[1:] for column in handle.execute(f"PRAGMA table_info({name})").fetchall())
                for kind, name in rows}
            return handle.execute("PRAGMA user_version").fetchone(), found
        finally:
            handle.close()

    def over(self, path):
        return {"store": {"path": path}, "defaults": PAGED}

    def fresh(self):
        host = self.ready(self.fake(kinds=["Pod", "Node"]), ["pod", "node"],
                          **self.over(self.path("fresh.db")))
        self.assertEqual(host.stop(), 0)
        return self.shape(self.path("fresh.db"))

    def assert_bound(self, host, bound):
        self.assertEqual(host.names("Pod"), sorted(bound))
        said = {(r["subject"]["name"], r["object"]["name"])
                for r in host.relationships() if r["predicate"]["type"] == "PodNodeBinding"}
        self.assertEqual(said, set(bound.items()))

    def test_each_version_is_brought_up(self):
        now = self.fresh()
        (current,), _ = now
        self.assertLessEqual(set(range(1, current)), set(versions()), "a version without a file")
        for version in versions():
            with self.subTest(version=version):
                path = self.file_of(version)
                self.serves_what_was_stored(path)
                self.assertEqual(self.shape(path), now)
                self.goes_on(path)

    def serves_what_was_stored(self, path):
        """Nobody may list: all there is comes from the file."""
        cluster = self.fake(kinds=["Pod", "Node"])
        for kind in ("Pod", "Node"):
            cluster.forbid(kind)
        host = self.host(cluster, ["pod", "node"], **self.over(path)).start().wait_api()
        self.assert_bound(host, BOUND)
        self.assertEqual(host.names("Pod", labelSelector="app=a0"), ["p0", "p2"])
        self.assertEqual(host.resource("Pod", "p1")["data"]["spec"]["nodeName"], "n1")
        self.assertEqual([(c["type"], c["resource"]["name"]) for c in host.changes()
                          if c["type"] == "delete"], [("delete", "p3")])
        self.assertEqual(host.ctl("store", "check")[:2], (0, "ok\n"))
        self.assertEqual(host.stop(), 0)

    def goes_on(self, path):
        cluster = self.fake(kinds=["Pod", "Node"])
        for name in ("n0", "n1"):
            cluster.add("Node", node(name))
        cluster.add("Pod", pod("p0", node="n0"))
        cluster.add("Pod", pod("p2", node="n1"))
        cluster.add("Pod", pod("p9", node="n1"))
        host = self.ready(cluster, ["pod", "node"], **self.over(path))
        host.until(lambda: host.names("Pod") == ["p0", "p2", "p9"], describe="what the cluster has")
        self.assert_bound(host, {"p0": "n0", "p2": "n1", "p9": "n1"})
        self.assertEqual(host.ctl("store", "check")[:2], (0, "ok\n"))
        self.assertEqual(host.stop(), 0)


if __name__ == "__main__":
    main()
