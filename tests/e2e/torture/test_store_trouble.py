"""Stores that are damaged, foreign or full: refused with words, or served on and healed."""

import os
import resource
import sqlite3
import time

from e2e.lib.case import PAGED, main
from e2e.lib.objects import pod
from e2e.torture.attack import GraphTest, churn, dice

KINDS = ("pod", "node")


def cut(path):
    os.truncate(path, 10000)


def smash_head(path):
    with open(path, "r+b") as file:
        file.write(b"\xa5" * 8192)


def smash_middle(path):
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        file.write(b"\xa5" * 65536)


def sql(text):
    def run(path):
        handle = sqlite3.connect(path)
        handle.execute(text)
        handle.commit()
        handle.close()
    return run


class StoreTrouble(GraphTest):
    def begin(self, **over):
        cluster = self.fake(kinds=["Pod", "Node"], pods=300)
        path = self.path(f"g{len(self._hosts)}.db")
        host = self.host(cluster, KINDS, defaults=PAGED, store={"path": path}, **over)
        return cluster, host.start().wait_ready(), path

    def test_a_file_that_cannot_be_used_is_refused(self):
        for harm, code, words in ((cut, 1, ("malformed", "move the file away")),
                                  (smash_head, 1, ("not a database", "move the file away")),
                                  (sql("PRAGMA user_version = 9999"), 2, ("9999", "newer")),
                                  (sql("PRAGMA application_id = 7"), 2, ("another",))):
            with self.subTest(words[0]):
                _, host, path = self.begin()
                self.assertEqual(host.stop(), 0)
                harm(path)
                host.start()
                self.assertEqual(host.wait_exit(), code)
                for word in words:
                    self.assertTrue(host.logged(word), host.log_text())

    def test_no_folder(self):
        host = self.host(self.fake(), KINDS, store={"path": self.path("none", "g.db")})
        self.assert_refused(host, "none", "folder")

    def test_an_empty_file_or_log_of_garbage_is_filled_anew(self):
        for name in ("", "-wal"):
            cluster, host, path = self.begin()
            self.assertEqual(host.stop(), 0)
            with open(path + name, "wb") as file:
                file.write(b"x" * 9000 if name else b"")
            host.start().wait_ready()
            self.assert_graph_is(cluster, host)

    def test_damage_inside_is_told_and_does_not_keep_the_process_from_its_end(self):
        cluster, host, path = self.begin()
        self.assertEqual(host.stop(), 0)
        sql("DROP TABLE said")(path)
        host.start().wait_api()
        cluster.add("Pod", pod("one-more"))
        host.until(lambda: host.logged("store", "said"), describe="a line that names the damage")
        self.assertNotEqual(host.health.get("/readyz").status, 200)
        self.assertEqual(host.health.get("/healthz").status, 200)
        self.assertIn(host.stop(), (0, 1))

    def fill(self, **over):
        """A host whose store is full, with changes waiting."""
        cluster, host, path = self.begin(**over)
        cluster.await_watch("Pod")
        pid = host.process.pid
        soft = os.path.getsize(path) + 200000
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, resource.RLIM_INFINITY))
        churn(cluster, dice(5), [f"p{i:05}" for i in range(3000)], 5000)
        host.until(lambda: host.health.get("/readyz").status != 200, describe="not ready")
        return cluster, host

    def used(self, host, seconds):
        """The share of a processor that it takes during that time."""
        def ticks():
            with open(f"/proc/{host.process.pid}/stat", encoding="ascii") as file:
                return sum(int(n) for n in file.read().rpartition(")")[2].split()[11:13])
        before = ticks()
        time.sleep(seconds)         # what is measured over
        return (ticks() - before) / os.sysconf("SC_CLK_TCK") / seconds

    def test_a_full_disk_is_served_on_and_heals(self):
        cluster, host = self.fill()
        self.assertIn("store", host.health.get("/readyz", verbose="").text)
        self.assertEqual(host.health.get("/healthz").status, 200)
        self.assertTrue(host.resources("Pod"))
        host.until(lambda: self.used(host, 1.0) < 0.25, describe="tries that cost next to nothing")
        size = len(host.log_text())
        self.assertLess(size, 100000)
        resource.prlimit(host.process.pid, resource.RLIMIT_FSIZE,
                         (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        host.wait_ready()
        self.assert_graph_is(cluster, host)
        self.assertEqual(host.stop(), 0)

    def test_a_full_disk_does_not_keep_the_process_from_its_end(self):
        _, host = self.fill(shutdown_grace="2s")
        host.signal()
        self.assertIn(host.wait_exit(20), (0, 1))


if __name__ == "__main__":
    main()
