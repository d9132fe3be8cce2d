"""SIGKILL at random points under load: what is left is always a state that once was.

KD_KILLS says how often, KD_SEED which random numbers.
"""

import os
import random
import sqlite3
import threading
import time

from e2e.lib.case import PAGED, main
from e2e.lib.waiting import wait_until
from e2e.torture.attack import SEED, GraphTest, dice

KILLS = int(os.environ.get("KD_KILLS", "12"))
KINDS = ("pod", "node")
NAMES = [f"p{i:05}" for i in range(400)]


def loaded_pod(name, turn, where):
    """A pod whose label says what its node must be."""
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "labels": {"turn": str(turn), "at": where}},
            "spec": {"nodeName": where, "containers": []}}


class Load(threading.Thread):
    """Changes pods until told to stop."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self.cluster, self.chance = cluster, dice(77)
        self.ends = threading.Event()
        self.turn = 0

    def run(self):
        while not self.ends.wait(0.001):
            for _ in range(20):
                self.change()

    def change(self):
        self.turn += 1
        name, where = self.chance.choice(NAMES), f"n{self.chance.randrange(5)}"
        if ("default", name) not in self.cluster._shelves["Pod"].entries:
            self.cluster.add("Pod", loaded_pod(name, self.turn, where))
        elif self.chance.random() < 0.2:
            self.cluster.delete("Pod", name)
        else:
            self.cluster.modify("Pod", name, change=lambda o: o.update(
                metadata={**o["metadata"], "labels": {"turn": str(self.turn), "at": where}},
                spec={"nodeName": where, "containers": []}))


class Killed(GraphTest):
    def look_at(self, path, seen):
        """The file as the kill has left it; gives its seq."""
        handle = sqlite3.connect(path, timeout=10)
        try:
            self.assertEqual(handle.execute("PRAGMA integrity_check").fetchone(), ("ok",))
            seq, = handle.execute("SELECT value FROM meta WHERE key = 'seq'").fetchone()
            self.assertGreaterEqual(seq, seen, "a batch is lost that was reported written")
            feed, first = handle.execute("SELECT count(*), min(seq) FROM feed").fetchone()
            self.assertEqual(feed, seq - first + 1 if feed else 0, "the feed has gaps")
            rows = handle.execute(
                "SELECT n.name, json_extract(r.labels, '$.at'), o.name FROM resource r "
                "JOIN node n ON n.id = r.node JOIN kind k ON k.id = n.kind AND k.name = 'Pod' "
                "LEFT JOIN rel ON rel.subject = n.id LEFT JOIN node o ON o.id = rel.object")
            for name, label, bound in rows.fetchall():
                self.assertEqual(label, bound, f"half of {name} was written")
            lonely, = handle.execute("SELECT count(*) FROM rel WHERE id NOT IN "
                                     "(SELECT rel FROM origin)").fetchone()
            self.assertEqual(lonely, 0)
            return seq
        finally:
            handle.close()

    def test_killed_at_random_points(self):
        cluster = self.fake(kinds=["Pod", "Node"])
        path = self.path("g.db")
        host = self.host(cluster, KINDS, defaults=PAGED,
                         store={"path": path, "flush_interval": "5ms"})
        load, chance = Load(cluster), random.Random(SEED)
        load.start()
        self.addCleanup(load.ends.set)
        seq = 0
        for turn in range(KILLS):
            with self.subTest(turn=turn, seed=SEED):
                host.start().wait_api()
                wait_until(lambda: host.seq() > seq, 30, "something new in the graph")
                time.sleep(chance.random() * 0.15)      # the point of the kill, not a wait
                seen = host.seq()
                host.process.kill()
                host.wait_exit()
                seq = self.look_at(path, seen)
        load.ends.set()
        load.join()
        host.start().wait_ready()
        self.assert_graph_is(cluster, host)
        self.assertEqual(host.ctl("store", "check")[:2], (0, "ok\n"))


if __name__ == "__main__":
    main()
