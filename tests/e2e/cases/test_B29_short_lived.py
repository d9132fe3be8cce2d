"""B29: what is kept for a key goes with the key: many short-lived pods leave no memory behind."""

import random
import shutil
import unittest

from e2e.cases.load import event, slow_plugin
from e2e.cases.pace import PODS, pods
from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, main

ALIVE = 100
ROUND = 5000            # pods between two looks
ROUNDS = 20
WARM = 4                # rounds after which memory is measured
ROOM_KB = 8 * 1024      # what may come on top of it


class Stream:
    """ADDED and DELETED of pods with random names, ALIVE of them at a time."""

    def __init__(self, failing):
        self._random = random.Random(29)
        self._failing = failing
        self._rv = 100
        self.alive = []

    def round(self):
        lines = []
        for number in range(ROUND):
            self._rv += 1
            prefix = "fail" if self._failing and number % 4 == 0 else "pod"
            name = f"{prefix}-{self._random.getrandbits(64):016x}"
            self.alive.append(name)
            lines.append(event("ADDED", name, self._rv))
            if len(self.alive) > ALIVE:
                self._rv += 1
                lines.append(event("DELETED", self.alive.pop(0), self._rv))
        self.version = self._rv
        return "".join(lines)


@unittest.skipIf(env.SANITIZER, "a sanitizer keeps freed memory")
class ShortLived(KindredTest):
    def check(self, kinds, failing=False, rounds=ROUNDS, **over):
        stream, chunks, versions = Stream(failing), [], []
        for number in range(rounds):
            chunks += [{"gate": f"g{number}"}, stream.round()]
            versions.append(str(stream.version))
        cluster = self.fake()
        cluster.override("GET", PODS, pods(10), watch=False)
        cluster.override("GET", PODS, {"chunks": chunks, "end": "hang"}, watch=True)
        host = self.ready(cluster, kinds, defaults={**PAGED, "backoff_base": "50ms"}, **over)
        memory = []
        for number, version in enumerate(versions):
            cluster.server.gates.open(f"g{number}")
            host.until(lambda v=version: host.kind("Pod")["resourceVersion"] == v, 30,
                       f"round {number} is read")
            host.until(lambda: host.kind("Pod")["queue"]["depth"] == 0, 60, "and worked on")
            memory.append(host.memory_kb())
        self.assertEqual(host.kind("Pod")["objects"], ALIVE)
        if not failing:
            host.until(lambda: host.names("Pod") == sorted(stream.alive), 30, "those that live")
            delayed = 0
        else:
            delayed = sum(name.startswith("fail") for name in stream.alive)
        host.until(lambda: host.kind("Pod")["queue"]["delayed"] <= delayed, 30,
                   "no retry is planned for what is gone")
        self.assertLess(memory[-1] - memory[WARM - 1], ROOM_KB, memory)
        self.assertEqual(len(cluster.log.watches(PODS)), 1)
        self.assertEqual(host.stop(), 0)

    def test_100_000_of_them(self):
        self.check(["pod"])

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_a_quarter_of_them_fails(self):
        self.check(["slow"], True, 10,
                   plugins={"directory": slow_plugin(self.path("slow"), 0)})


if __name__ == "__main__":
    main()
