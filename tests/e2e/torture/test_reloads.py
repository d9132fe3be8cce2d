"""Random reloads while objects change: nothing is left of what was, and the graph is right.

KD_RELOADS=1000 for the long course, KD_SEED for another one. The long one prints its figures.
"""

import os
import signal
import threading

from e2e.lib import conf, env
from e2e.lib.case import ALL, PAGED, main
from e2e.lib.waiting import wait_until
from e2e.torture.attack import SEED, GraphTest, churn, dice

RELOADS = int(os.environ.get("KD_RELOADS", "30" if env.SANITIZER else "60"))
LONG = "KD_RELOADS" in os.environ
WARM = RELOADS // (2 if LONG else 4)    # the store's page caches fill up first
ROOM_KB = (4 if LONG else 12) * 1024
SPARE = 6           # connections and threads that may be under way at a look
SCOPES = ([], ["default"], ["default", "other"], ["nowhere"])


class Load(threading.Thread):
    """Changes pods until it is told to stop."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self._cluster, self._end = cluster, threading.Event()
        self._chance = dice(7)
        self._names = [f"p{i:05}" for i in range(400)]

    def run(self):
        while not self._end.wait(0.02):
            churn(self._cluster, self._chance, self._names, 5)

    def stop(self):
        self._end.set()
        self.join()


class Reloads(GraphTest):
    def begin(self):
        self.cluster = self.fake(pods=300)
        over = {"plugins": {"extra": [env.test_plugin_folder()]}, "defaults": PAGED}
        self.box = self.host(self.cluster, ALL, **over)
        self.base = self.config(self.cluster.url, ALL, self.box.folder, self.box.ports, **over)
        self.box.write_config(self.base)
        self.box.start().wait_ready()
        self.tried = 0

    def entry(self, chance, name):
        made = {"plugin": name}
        if chance.random() < 0.2:
            made["enabled"] = False
        if chance.random() < 0.3:
            made["namespaces"] = chance.choice(SCOPES)
        if chance.random() < 0.3:
            made["workers"] = chance.randrange(1, 12)
        if chance.random() < 0.1:
            made["reconcile"] = False
        if chance.random() < 0.2:
            made["mode"] = chance.choice(("full", "fields", "metadata"))
        if chance.random() < 0.1:
            made["label_selector"] = "x"
        return made

    def random_config(self, chance):
        names = [n for n in ALL if chance.random() < 0.8]
        kinds = [self.entry(chance, n) for n in names]
        kinds += [{**self.entry(chance, "observer"), "name": f"o{i}"}
                  for i in range(chance.randrange(3))]
        if chance.random() < 0.3:
            kinds.append({"plugin": "settings", "settings": {"text": f"T{chance.randrange(40)}"}})
        chance.shuffle(kinds)
        defaults = {**PAGED, "workers": chance.randrange(1, 20)} if chance.random() < 0.2 else PAGED
        return {**self.base, "kinds": kinds, "defaults": defaults}

    def bad_config(self, chance):
        return chance.choice((
            "kinds = (", conf.text({**self.base, "typo": 1}),
            conf.text({**self.base, "kinds": [{"plugin": "nonesuch"}]}),
            conf.text({**self.base, "kinds": [{"plugin": "failing-init"}, {"plugin": "pod"}]}),
            conf.text({**self.base, "kinds": [{"plugin": "pod"},
                                              {"plugin": "pod", "name": "again"}]})))

    def reload(self, text):
        part = self.box.config_path + ".part"
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(part, self.box.config_path)
        self.box.signal(signal.SIGHUP)

    def await_reload(self):
        """The one by the signal; the change of the file is no second one."""
        self.tried += 1
        self.box.until(lambda: self.box.metrics().value("kindred_config_reloads_total")
                       >= self.tried, 60, f"reload {self.tried} (KD_SEED={SEED})")

    def look(self):
        """What the process holds when all kinds run and are quiet."""
        self.reload(conf.text(self.base))
        self.await_reload()
        self.box.wait_ready(60)
        pid = self.box.process.pid
        self.box.until(lambda: self.box.kind("Pod")["queue"]["depth"] == 0, describe="quiet")
        return {"kB": self.box.memory_kb(), "fds": len(os.listdir(f"/proc/{pid}/fd")),
                "threads": len(os.listdir(f"/proc/{pid}/task")),
                "series": len(self.series())}

    def series(self):
        """Those of kinds; requests by URL and what the graph took are counted for good."""
        return {(name, tuple(sorted(labels.items())))
                for name, labels, _ in self.box.metrics().search(".")
                if not name.startswith(("rest_client_", "antimetal_controller_resources_"))}

    def settled(self, before):
        """A look that finds no more than before; connections and threads end a little later."""
        seen = {}

        def same():
            seen.update(self.look())
            return all(seen[k] <= before[k] + SPARE for k in ("fds", "threads", "series"))
        try:
            wait_until(same, 30)
        except AssertionError:
            pass
        return seen

    def test_under_load(self):
        chance = dice(6)
        self.begin()
        load = Load(self.cluster)
        load.start()
        before, known = None, set()
        try:
            for number in range(RELOADS):
                if number == WARM:
                    before = self.look()
                    known = self.series()
                elif LONG and number % (RELOADS // 10) == 0:
                    print(number, self.look(), flush=True)
                bad = chance.random() < 0.15
                self.reload(self.bad_config(chance) if bad
                            else conf.text(self.random_config(chance)))
                if chance.random() < 0.9:   # else the next one comes while this is under way
                    self.await_reload()
                else:
                    self.tried += 1
                    self.box.until(lambda: self.box.metrics().value(
                        "kindred_config_reloads_total") >= self.tried - 1, 60, "the one before")
                    self.await_late()
        finally:
            load.stop()
        after = self.settled(before)
        self.assert_graph_is(self.cluster, self.box)
        if LONG:
            print(f"{RELOADS} reloads: {before} -> {after}")
        for key in ("fds", "threads", "series"):
            self.assertLessEqual(after[key], before[key] + SPARE,
                                 (key, before, after, self.series() - known))
        if not env.SANITIZER:
            self.assertLess(after["kB"] - before["kB"], ROOM_KB, (before, after))
        self.assertEqual(self.box.stop(), 0)

    def await_late(self):
        """Signals that come together are one: the count may stay behind by one."""
        self.reload(conf.text(self.base))
        self.box.until(lambda: self.box.metrics().value("kindred_config_reloads_total")
                       >= self.tried, 60, "the later one")
        self.tried = int(self.box.metrics().value("kindred_config_reloads_total"))
        self.box.until(lambda: self.box.metrics().value(
            "kindred_config_last_reload_successful") == 1, 60, "the base again")


if __name__ == "__main__":
    main()
