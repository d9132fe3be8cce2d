"""A real Prometheus scrapes kindred and answers what dashboard and alerts ask."""

import json
import os
import shutil
import signal
import subprocess
import unittest

from e2e.lib import env
from e2e.lib.api import Http
from e2e.lib.case import PAGED, KindredTest, free_ports, main
from e2e.lib.kindred import end_with_the_test
from e2e.lib.waiting import wait_until

DEPLOY = os.path.join(env.SOURCE, "deploy")
RULES = os.path.join(DEPLOY, "alerts", "kindred.yaml")
DASHBOARD = os.path.join(DEPLOY, "grafana", "kindred.json")
CONFIG = """
global:
  scrape_interval: 250ms
  evaluation_interval: 500ms
rule_files: [ "%s" ]
scrape_configs:
  - job_name: kindred
    static_configs: [ { targets: [ "127.0.0.1:%d" ] } ]
"""


def queries():
    """(panel, query) of the dashboard, its variables filled in as Grafana does."""
    with open(DASHBOARD, encoding="utf-8") as file:
        dashboard = json.load(file)
    return [(panel["title"], target["expr"].replace("$__rate_interval", "1m")
             .replace("$job", "kindred"))
            for panel in dashboard["panels"] for target in panel["targets"]]


@unittest.skipUnless(shutil.which("promtool"), "Debian's package prometheus is not installed")
class Rules(unittest.TestCase):
    def promtool(self, *words):
        done = subprocess.run(["promtool", *words], capture_output=True, text=True,
                              timeout=env.scaled(120), check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_rules_are_well_formed(self):
        self.promtool("check", "rules", "--lint-fatal", RULES)

    def test_each_alert_fires_when_it_must_and_only_then(self):
        self.promtool("test", "rules", os.path.join(env.SOURCE, "tests", "alerts", "kindred.yaml"))


@unittest.skipUnless(shutil.which("prometheus"), "Debian's package prometheus is not installed")
class Prometheus(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.fake(pods=50)
        self.host_ = self.ready(self.cluster, ["pod", "node"], defaults=PAGED,
                                leader={"enabled": True})
        port = free_ports("prometheus")["prometheus"]
        self.write("prometheus.yml", CONFIG % (RULES, self.host_.ports["metrics"]))
        with open(self.path("prometheus.log"), "wb") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={self.path('prometheus.yml')}",
                 f"--storage.tsdb.path={self.path('data')}",
                 f"--web.listen-address=127.0.0.1:{port}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                preexec_fn=end_with_the_test)
        self.addCleanup(self.end)
        self.prometheus = Http(("127.0.0.1", port))
        wait_until(lambda: self.prometheus.get("/-/ready").status == 200, 60, "Prometheus")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(env.scaled(60))

    def api(self, path, **query):
        reply = self.prometheus.get("/api/v1/" + path, **query)
        self.assertEqual(reply.status, 200, reply.text)
        return reply.json()["data"]

    def ask(self, query):
        return self.api("query", query=query)["result"]

    def test_everything_that_is_asked_has_an_answer(self):
        wait_until(lambda: self.ask("count_over_time(up[1m]) > 3"), 60, "some scrapes")
        target = self.api("targets")["activeTargets"][0]
        self.assertEqual((target["health"], target["lastError"]), ("up", ""))
        self.assertGreater(len(queries()), 15)
        for panel, query in queries():
            with self.subTest(panel=panel):
                wait_until(lambda q=query: self.ask(q), 30, f"an answer to {query}")
        self.assertEqual(self.ask('sum(kindred_cache_objects{kind="Pod"})')[0]["value"][1], "50")

        def rules():
            return [rule for group in self.api("rules")["groups"] for rule in group["rules"]]
        wait_until(lambda: all(rule["health"] == "ok" for rule in rules()), 30, "all rules")
        self.assertEqual([rule["name"] for rule in rules() if rule["state"] != "inactive"], [])


if __name__ == "__main__":
    main()
