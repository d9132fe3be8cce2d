"""B71: a reload whose plugin fails to start leaves nothing of it, and what runs as it is."""

import signal

from e2e.host.reloading import NODES, SERVICES, ReloadTest
from e2e.lib.case import main
from e2e.lib.objects import pod

VARIANTS = "/apis/example.org/v1/variants"


class FailedReload(ReloadTest):
    """failing-init.so and silent-init.so serve Variants; their init returns an error."""

    def assert_nothing_of(self, name, kind):
        page = self.box.metrics()
        for family in page.families.values():
            for _, labels, _ in family.samples:
                self.assertNotIn(name, labels.values())
                self.assertNotIn(kind, labels.values())

    def test_nothing_is_left_of_it(self):
        for name in ("failing-init", "silent-init"):
            with self.subTest(name):
                host = self.begin(["node"])
                self.cluster.await_watch("Node")
                before = self.requests(NODES)
                self.kinds("node", name, "service")
                self.reload("refused")
                self.assertTrue(host.logged("new configuration refused", name))
                self.assertEqual(set(host.kinds()), {"Node"})
                self.assertNotIn(name, host.plugins())
                self.assertEqual((self.requests(VARIANTS), self.requests(SERVICES)), (0, 0))
                self.assertEqual(self.requests(NODES), before)
                self.assert_nothing_of("variant", "Variant")
                self.assert_nothing_of("service", "Service")
                self.kinds("node", "pod")
                self.reload()
                host.wait_ready()
                self.assertEqual(host.names("Pod"), ["a", "b", "c", "d"])
                self.assertEqual(host.stop(), 0)

    def test_the_one_that_runs_goes_on(self):
        """An entry that is changed so that its init fails: the one of before stays at work."""
        host = self.begin(["node", {"plugin": "good", "name": "it"}], ready=False)
        host.until(lambda: host.kind("Variant")["state"] == "notServed", describe="it runs")
        rows = host.kinds()
        self.kinds("node", {"plugin": "failing-init", "name": "it"})
        self.reload("refused")
        self.assertEqual(set(host.kinds()), set(rows))
        self.assertEqual(host.kind("Variant")["state"], "notServed")
        self.assertEqual(host.plugins()["it"]["state"], "loaded")
        self.assertEqual(host.stop(), 0)

    def test_a_syntax_error_by_signal(self):
        host = self.begin()
        refused = self.count("refused")
        self.replace("kinds = ( {\n")
        host.signal(signal.SIGHUP)
        self.await_result("refused", refused)
        self.assertTrue(host.logged("kindred.conf:", "refused"), host.log_text())
        self.cluster.add("Pod", pod("e", node="n1"))
        host.until(lambda: "e" in host.names("Pod"), describe="it goes on")


if __name__ == "__main__":
    main()
