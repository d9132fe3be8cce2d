"""A cluster that never rests: the graph equals it in the end and memory does not grow with time."""

import time

from e2e.lib import env
from e2e.lib.case import PAGED, main
from e2e.torture.attack import SEED, GraphTest, churn, dice

PODS = 1000 if env.SANITIZER else 5000
SECONDS = 10 if env.SANITIZER else 20
RATE = 100 if env.SANITIZER else 500
ROOM_KB = 40 * 1024 * (4 if env.SANITIZER else 1)   # SQLite's page caches fill as the file grows


class Load(GraphTest):
    def test_churn(self):
        cluster = self.fake(kinds=["Pod", "Node"], pods=PODS)
        host = self.ready(cluster, ("pod", "node"), defaults=PAGED,
                          store={"path": self.path("graph.db")})
        host.wait_stored("Pod", PODS, 60)
        cluster.await_watch("Pod")
        chance, names, done = dice(9), [f"p{i:05}" for i in range(PODS)], 0
        before, begun = host.memory_kb(), time.monotonic()
        while time.monotonic() - begun < SECONDS:
            due = int((time.monotonic() - begun) * RATE) - done
            churn(cluster, chance, names, due)
            done += due
            time.sleep(0.005)
        self.assert_graph_is(cluster, host)
        self.assertLess(host.memory_kb() - before, ROOM_KB, f"{done} changes, KD_SEED={SEED}")
        begun = [r for r in cluster.log.lists("/api/v1/pods") if "continue" not in r.query]
        self.assertEqual(len(begun), 1, "a list was taken anew")
        self.assertEqual(host.stop(), 0)


if __name__ == "__main__":
    main()
