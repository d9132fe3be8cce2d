"""What the end of a reconcile leads to: traces, breaker, a busy server, resync, stalls."""

import json
import os
import shutil
import time

from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import pod
from e2e.lib.waiting import wait_until

CONTROLLER = "pod-trouble"


class Reconciles(KindredTest):
    def setUp(self):
        super().setUp()
        self.plugins = self.path("plugins")
        os.makedirs(self.plugins)
        for folder, name in ((os.path.join(env.BUILD, "plugins"), "pod.so"),
                             (env.test_plugin_folder(), "trouble.so")):
            shutil.copyfile(os.path.join(folder, name), os.path.join(self.plugins, name))
            os.chmod(os.path.join(self.plugins, name), 0o644)
        self.file = self.path("trouble-is-here")

    def begin(self, mode, pods=1, ready=True, health=None, **more):
        self.cluster = self.fake(kinds=["Pod"], pods=pods)
        entry = {"plugin": "trouble", "settings": {"mode": mode, "file": self.file}, **more}
        if "time" in more:
            entry["settings"]["time"] = entry.pop("time")
        host = self.host(self.cluster, ["pod", entry], defaults=PAGED, health=health or {},
                         plugins={"directory": self.plugins})
        host.start().wait_api()
        return host.wait_ready() if ready else host

    def be_troubled(self, on=True):
        if on:
            with open(self.file, "w", encoding="ascii"):
                pass
        else:
            os.unlink(self.file)

    def trace(self, host, name="p00000", **query):
        return host.api.json("/api/v1/trace", kind="pod", name=name, **query)["items"]

    def of_trouble(self, host, name="p00000"):
        return [row for row in self.trace(host, name) if row["plugin"] == "trouble"]

    def test_trace(self):
        host = self.begin("fail-while")
        first = self.trace(host)
        self.assertEqual({(row["plugin"], row["reason"], row["result"]) for row in first},
                         {("pod", "added", "success"), ("trouble", "added", "success")})
        self.cluster.modify("Pod", "p00000", change={"metadata": {"labels": {"a": "b"}}})
        host.until(lambda: len(self.trace(host)) == 4, describe="two more reconciles")
        rows = self.trace(host, namespace="default")
        self.assertEqual(rows[0]["reason"], "changed: labels")
        self.assertEqual([r["time"] for r in rows], sorted((r["time"] for r in rows), reverse=True))
        self.assertEqual(len({row["reconcileID"] for row in rows}), 4)
        self.assertEqual(self.trace(host, namespace="other"), [])
        self.assertEqual(self.trace(host, "none"), [])
        for query, code in (({"kind": "pod"}, 400), ({"kind": "nonesuch", "name": "x"}, 404)):
            self.assertEqual(host.api.get("/api/v1/trace", **query).status, code)
        code, out, _ = host.ctl("trace", "pod/p00000", "-n", "default")
        self.assertEqual(code, 0)
        self.assertIn("changed: labels", out)
        self.assertEqual(len(out.splitlines()), 5)
        code, out, _ = host.ctl("trace", "po/p00000", "-o", "json")
        self.assertEqual(len(json.loads(out)["items"]), 4)

    def test_a_failure_says_which_and_why(self):
        self.be_troubled()
        host = self.begin("fail-while", ready=False)
        host.until(lambda: len(self.of_trouble(host)) > 2, describe="some tries")
        rows = self.of_trouble(host)
        self.assertEqual(rows[-1]["reason"], "added")
        self.assertEqual(rows[0]["result"], "error")
        self.assertIn("retry", rows[0]["reason"])
        self.assertGreater(rows[0]["failures"], 0)
        self.assertIn("plugin failed", rows[0]["error"])
        self.assertTrue(host.logged(rows[-1]["reconcileID"], "reconcile failed", '"added"'))
        self.be_troubled(False)
        host.wait_ready()

    def test_breaker(self):
        self.be_troubled()
        host = self.begin("fail-while", pods=200, ready=False, breaker_failures=5,
                          breaker_reset="1s", workers=1)
        host.until(lambda: host.logged("breaker open"), describe="an open breaker")
        page = host.health.get("/readyz", verbose="").text
        self.assertRegex(page, r"\[-\]kind-pod failed: .*breaker (half-)?open after 5 failures")
        self.assertIn("breaker", host.kind("Pod")["lastError"])
        runs = len([1 for i in range(200) for _ in self.of_trouble(host, f"p{i:05}")])
        self.assertLess(runs, 60, "no hot loop: five, and one a second")
        metrics = host.metrics()
        self.assertEqual(metrics.value("kindred_controller_breaker_opens_total",
                                       controller=CONTROLLER), 1)
        self.assertGreater(metrics.value("kindred_controller_breaker_state",
                                         controller=CONTROLLER), 0)
        host.wait_stored("Pod", 200)        # the other plugin goes on
        self.be_troubled(False)
        host.until(lambda: host.logged("breaker closed"), describe="a probe that went well")
        host.wait_ready()
        host.until(lambda: host.metrics().value("kindred_controller_breaker_state",
                                                controller=CONTROLLER) == 0)

    def test_an_open_breaker_does_not_hold_up_the_stop(self):
        self.be_troubled()
        host = self.begin("fail-while", pods=50, ready=False, breaker_failures=3,
                          breaker_reset="60s")
        host.until(lambda: host.logged("breaker open"), describe="an open breaker")
        begun = time.monotonic()
        self.assertEqual(host.stop(), 0)
        self.assertLess(time.monotonic() - begun, env.scaled(15))

    def test_a_busy_server_is_given_five_seconds(self):
        self.be_troubled()
        host = self.begin("busy-while", ready=False, breaker_failures=1)
        host.until(lambda: self.of_trouble(host), describe="the first try")
        row = self.of_trouble(host)[-1]
        self.assertEqual((row["result"], row["failures"]), ("requeue_after", 0))
        self.be_troubled(False)
        host.until(lambda: self.of_trouble(host)[0]["result"] == "success", 30, "the next try")
        times = [time.strptime(r["time"][:19], "%Y-%m-%dT%H:%M:%S") for r in self.of_trouble(host)]
        self.assertGreaterEqual(time.mktime(times[0]) - time.mktime(times[-1]), 4)
        self.assertFalse(host.logged("breaker open"), "it is no failure of the plugin")

    def test_terminal_errors_are_not_tried_again(self):
        host = self.begin("terminal", ready=False)
        host.until(lambda: self.of_trouble(host), describe="the only try")
        host.wait_ready()
        metrics = host.metrics()
        self.assertEqual(metrics.value("controller_runtime_terminal_reconcile_errors_total",
                                       controller=CONTROLLER), 1)
        self.assertEqual(metrics.value("controller_runtime_reconcile_errors_total",
                                       controller=CONTROLLER), 1)
        self.assertEqual(len(self.of_trouble(host)), 1)

    def test_resync(self):
        host = self.begin("none", pods=3, resync="1s")
        asked = len(self.cluster.log)
        host.until(lambda: sum(r["reason"] == "resync" for r in self.of_trouble(host)) >= 2,
                   30, "two resyncs")
        self.assertEqual(len(self.cluster.log), asked, "the server is asked for nothing")
        self.assertFalse([r for r in self.trace(host) if r["plugin"] == "pod"
                          and r["reason"] == "resync"], "only who asked for it")
        seq = host.seq()
        host.until(lambda: sum(r["reason"] == "resync" for r in self.of_trouble(host)) >= 3)
        self.assertEqual(host.seq(), seq, "nothing changed")

    def test_stalled_workers_fail_the_liveness_check(self):
        host = self.begin("overrun", pods=200, ready=False, time="600s", workers=100,
                          reconcile_timeout="100ms", health={"stall": "2s"})
        self.assertEqual(host.health.get("/healthz").status, 200)
        wait_until(lambda: host.health.get("/healthz").status == 500, env.scaled(60),
                   "an unhealthy process")
        page = host.health.get("/healthz").text
        self.assertRegex(page, r"\[-\]workers failed: no worker has come round for \d+ s with work "
                               r"waiting: .*trouble in default/p0")
        self.assertIn("[+]io ok", page)
        host.process.kill()
        host.wait_exit()


if __name__ == "__main__":
    main()
