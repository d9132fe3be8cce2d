"""B69: a plugin goes while it is at work and has asked to come again: nothing calls it afterwards.

KD_B69=50 repeats both ways so often with the times of the case; else a few times with short ones.
B72: its library ends by itself, at the end of the process.
"""

import os

from e2e.host.reloading import ReloadTest
from e2e.lib.case import main
from e2e.lib.waiting import stays

TURNS = int(os.environ.get("KD_B69", "0"))
TIMES = {"nap": "2s", "again": "1s"} if TURNS else {"nap": "300ms", "again": "100ms"}
AGAIN = 1.0 if TURNS else 0.1
FINI = "fini of the napping one"


class WorkUnderWay(ReloadTest):
    NAPPING = {"plugin": "napping", "settings": TIMES}

    def begun(self):
        return len(self.box.logged("nap begins"))

    def in_the_middle(self):
        before = self.begun()
        self.box.until(lambda: self.begun() > before, describe="a nap has begun")

    def check_order(self, finis):
        """Every nap that has begun has ended before fini; there is one instance at a time."""
        lines = self.box.log_text().splitlines()
        naps = 0
        for line in lines:
            naps += ("nap begins" in line) - ("nap ends" in line)
            if FINI in line:
                self.assertEqual(naps, 0, "fini while a nap was under way")
                finis -= 1
        self.assertEqual((naps, finis), (0, 0))

    def test_disabled(self):
        host = self.begin(["node", self.NAPPING])
        for turn in range(1, (TURNS or 2) + 1):
            self.in_the_middle()
            self.kinds("node")
            self.reload()
            host.until(lambda t=turn: len(host.logged(FINI)) == t, describe="fini")
            count = self.begun()
            stays(lambda c=count: self.begun() == c, 2 * AGAIN, "no nap after fini")
            self.kinds("node", self.NAPPING)
            self.reload()
        self.assertEqual(host.stop(), 0)
        self.check_order((TURNS or 2) + 1)

    def test_changed(self):
        """The new instance begins when the old one has left; fini may come a little later."""
        host = self.begin(["node", self.NAPPING])
        for turn in range(1, (TURNS or 2) + 1):
            self.in_the_middle()
            self.kinds("node", {**self.NAPPING, "workers": turn})
            self.reload()
            host.until(lambda t=turn: len(host.logged(FINI)) == t, describe="fini")
        self.in_the_middle()
        self.assertEqual(host.stop(), 0)
        self.assertEqual(len(host.logged(FINI)), (TURNS or 2) + 1)

    def test_a_worker_that_does_not_leave(self):
        """The others do not wait for it longer than shutdown_grace; fini does."""
        napping = {"plugin": "napping", "settings": {"nap": "3s", "again": "1s"}}
        host = self.begin(["node", napping], shutdown_grace="300ms")
        self.in_the_middle()
        self.kinds("node", "service")
        self.reload()
        self.assertTrue(host.logged("a worker does not leave"))
        self.assertEqual(host.logged(FINI), [])
        host.wait_ready()
        self.assertEqual(host.kind("Service")["state"], "synced")
        host.until(lambda: len(host.logged(FINI)) == 1, describe="fini")
        self.assertEqual(host.stop(), 0)
        self.check_order(1)

    def test_stopped(self):
        host = self.begin(["node", self.NAPPING])
        for turn in range(1, (TURNS or 2) + 1):
            self.in_the_middle()
            self.assertEqual(host.stop(), 0)
            self.check_order(turn)
            ends = [line for line in host.log_text().splitlines()
                    if "the napping library ends" in line]
            self.assertEqual(len(ends), turn, "B72")
            host.start().wait_ready()

    def test_stopped_while_a_reload_waits_for_it(self):
        """The reload never comes to its end; what it had begun is undone."""
        host = self.begin(["node", self.NAPPING])
        for turn in range(1, (TURNS or 2) + 1):
            self.in_the_middle()
            self.kinds("node", {"plugin": "napping", "settings": {**TIMES, "nap": "301ms"}},
                       "service")
            self.box.write_config(self.settings)
            host.signal(1)
            host.until(lambda: host.kind("Pod")["state"] == "disabled"
                       or host.kind("Service")["state"] != "missing", describe="it has begun")
            self.assertEqual(host.stop(), 0)
            self.kinds("node", self.NAPPING)
            self.box.write_config(self.settings)
            host.start().wait_ready()
        self.assertEqual(len(host.logged(FINI)), 2 * (TURNS or 2))


if __name__ == "__main__":
    main()
