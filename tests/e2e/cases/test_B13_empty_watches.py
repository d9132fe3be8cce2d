"""B13: a watch that ends at once without an event is a failure, and in the end calls for a list."""

import os

from e2e.cases.pace import HANG, PODS, gaps, pods
from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, main


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class EmptyWatches(KindredTest):
    def begin(self, *watches):
        self.cluster = self.fake()
        self.cluster.override("GET", PODS, pods(10, "a"), watch=False)
        self.cluster.override("GET", PODS, *watches, watch=True)
        return self.started(self.cluster, defaults=PAGED)

    def test_they_back_off_and_then_lead_to_a_list(self):
        host = self.begin({"chunks": []})
        first = self.cluster.log.wait(1, path=PODS, verb="watch")[0]
        host.wait_api()
        before = cpu_seconds(host.process.pid)
        relist = self.cluster.log.wait(2, timeout=75, path=PODS, verb="list")[1]
        if not env.SANITIZER:
            self.assertLess(cpu_seconds(host.process.pid) - before, 1)
        asked = self.cluster.log.all(path=PODS, where=lambda r: first.t <= r.t < first.t + 30)
        self.assertLessEqual(len(asked), 10, self.cluster.log.text())
        watches = [w for w in self.cluster.log.watches(PODS) if w.t < relist.t]
        self.assertTrue(2 <= len(watches) <= 10, self.cluster.log.text())
        for number, gap in enumerate(gaps(watches)):
            self.assertGreater(gap, 0.8 * 2 ** number - 0.1)
        self.assertTrue(all(w.query["resourceVersion"] == "10" for w in watches))
        said = host.logged("out of reach", "shortWatch")      # once, and once after the list
        self.assertTrue(1 <= len(said) <= 2, "\n".join(said))

    def test_any_form_of_empty(self):
        forms = [{"chunks": []}, {"text": ""}, {"chunks": [], "framing": "close"},
                 {"chunks": [], "end": "cut"}, {"chunks": [], "end": "reset"}, {"text": "\n"}]
        self.begin(*forms[:2], HANG)
        waits = gaps(self.cluster.log.wait(3, timeout=40, path=PODS, verb="watch"))
        self.assertTrue(all(wait > 0.7 for wait in waits), waits)
        for form in forms[2:]:
            with self.subTest(form):
                self.begin(form, HANG)
                waits = gaps(self.cluster.log.wait(2, path=PODS, verb="watch"))
                self.assertGreater(waits[0], 0.7)

    def test_progress_starts_the_back_off_over(self):
        bookmark = {"type": "BOOKMARK", "object": {"kind": "Pod", "apiVersion": "v1",
                                                   "metadata": {"resourceVersion": "20"}}}
        host = self.begin({"chunks": []}, {"chunks": []},
                          {"lines": [bookmark, {"gate": "end"}]}, {"chunks": []}, HANG)
        self.cluster.log.wait(3, path=PODS, verb="watch")
        host.wait_api()
        host.until(lambda: host.kind("Pod")["resourceVersion"] == "20", describe="the bookmark")
        self.assertEqual(host.kind("Pod")["state"], "synced")
        self.cluster.server.gates.open("end")
        watches = self.cluster.log.wait(5, path=PODS, verb="watch")
        self.assertTrue(0.7 < watches[4].t - watches[3].t < 2.6, gaps(watches))


if __name__ == "__main__":
    main()
