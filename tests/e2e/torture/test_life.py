"""Life and death of the process at any moment. KD_SEED chooses another course."""

import os
import signal
import time

from e2e.lib import env
from e2e.lib.case import ALL, PAGED, main
from e2e.lib.waiting import wait_until
from e2e.torture.attack import SEED, GraphTest, churn, dice

STOPS = 6 if env.SANITIZER else 25
KILLS = 3 if env.SANITIZER else 8


def takes_signals(pid):
    """SIGTERM waits for us: it is blocked right before SIGPIPE is ignored, which can be seen at any
    time, whereas a blocked signal that is waited for cannot."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        mask = next(line for line in file if line.startswith("SigIgn:")).split()[1]
    return int(mask, 16) & (1 << (signal.SIGPIPE - 1))


class Life(GraphTest):
    def begin(self, pods, stream=False):
        cluster = self.fake(pods=pods)
        over = {"store": {"path": self.path("graph.db")}}
        defaults = {} if stream else PAGED
        return cluster, self.host(cluster, ALL, defaults=defaults, **over)

    def launch(self, host):
        host.start()
        wait_until(lambda: takes_signals(host.process.pid), describe="the process has begun")

    def test_signals_at_any_time(self):
        chance = dice(1)
        cluster, host = self.begin(2000)
        names = [f"p{i:05}" for i in range(2000)]
        for turn in range(STOPS):
            self.launch(host)
            until = time.monotonic() + chance.choice((0, chance.random() / 20,
                                                      chance.random() / 2))
            while time.monotonic() < until:
                churn(cluster, chance, names, 5)
            host.signal(chance.choice((signal.SIGTERM, signal.SIGINT)))
            twice = chance.random() < 0.3
            if twice and host.running():
                host.signal()
            code = host.wait_exit()
            self.assertIn(code, (0, 1) if twice else (0,), f"KD_SEED={SEED}, turn {turn}")
            if code == 0:
                self.assertFalse(os.path.exists(host.socket), f"KD_SEED={SEED}, turn {turn}")
        host.start().wait_ready()
        self.assert_graph_is(cluster, host)

    def test_kills_at_any_time(self):
        for stream in (False, True):
            chance = dice(2 + stream)
            cluster, host = self.begin(500, stream)
            names = [f"p{i:05}" for i in range(800)]
            for _ in range(KILLS):
                host.start()
                until = time.monotonic() + chance.random()
                while time.monotonic() < until:
                    churn(cluster, chance, names, 10)
                host.process.kill()
                host.wait_exit()
            host.start().wait_ready()
            self.assert_graph_is(cluster, host)
            self.assertEqual(host.stop(), 0)
            os.unlink(self.path("graph.db"))


if __name__ == "__main__":
    main()
