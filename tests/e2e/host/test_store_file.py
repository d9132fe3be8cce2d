"""The store file: one process at a time, kept over restarts, made when missing."""

import os

from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import pod


class StoreFile(KindredTest):
    def over(self):
        return {"store": {"path": self.path("graph.db")}, "defaults": PAGED}

    def test_a_file_held_by_another_live_process(self):
        cluster = self.fake(pods=1)
        first = self.ready(cluster, **self.over())
        count = len(cluster.log)
        second = self.host(cluster, **self.over())
        self.assert_refused(second, "graph.db")
        self.assertEqual(len(cluster.log), count)
        self.assertTrue(first.running())
        self.assertEqual(first.names("Pod"), ["p00000"])

    def test_a_killed_process_holds_nothing(self):
        cluster = self.fake(pods=1)
        first = self.ready(cluster, **self.over())
        first.process.kill()
        first.wait_exit()
        self.ready(cluster, **self.over())

    def test_B64_after_a_restart_what_went_meanwhile_is_gone(self):
        cluster = self.fake(pods=3)
        host = self.ready(cluster, **self.over())
        seq = host.changes()[-1]["seq"]
        self.assertEqual(host.stop(), 0)
        cluster.delete("Pod", "p00001")
        cluster.add("Pod", pod("new"))
        host.start().wait_ready()
        self.assertEqual(host.names("Pod"), ["new", "p00000", "p00002"])
        later = host.changes(since=seq)
        self.assertTrue(later and later[0]["seq"] > seq, "seq survives a restart")

    def test_B64_a_kind_that_cannot_be_listed_is_left_as_it_was(self):
        cluster = self.fake(pods=2)
        host = self.ready(cluster, **self.over())
        self.assertEqual(host.stop(), 0)
        cluster.forbid("Pod")
        host.start().wait_api()
        host.wait_state("Pod", "forbidden")
        self.assertEqual(host.names("Pod"), ["p00000", "p00001"])

    def test_a_file_that_is_no_database(self):
        with open(self.path("graph.db"), "w", encoding="ascii") as file:
            file.write("this is no database " * 500)
        host = self.host(self.fake(), **self.over())
        code, out, err = host.once("run")
        self.assertIn(code, (1, 2))
        self.assertIn("graph.db", out + err)
        self.assertEqual(os.path.getsize(self.path("graph.db")), 10000, "left as it was")

    def test_a_folder_that_is_not_there(self):
        host = self.host(self.fake(), store={"path": self.path("none", "graph.db")})
        code, out, err = host.once("run")
        self.assertIn(code, (1, 2))
        self.assertIn("graph.db", out + err)

    def test_a_folder_that_cannot_be_written(self):
        host = self.host(self.fake(), store={"path": "/sys/graph.db"})  # to nobody, root included
        self.assert_refused(host, "/sys/graph.db", "writable")

    def test_memory_leaves_no_file(self):
        host = self.ready(self.fake(pods=1), defaults=PAGED)
        self.assertEqual(host.stop(), 0)
        self.assertFalse([f for f in os.listdir(host.folder) if "db" in f or "memory" in f])


if __name__ == "__main__":
    main()
