"""The metrics page: strict format, the names that dashboards know, values that add up."""

from e2e.lib import prom
from e2e.lib.case import PAGED, KindredTest, main

TYPES = {
    "workqueue_depth": "gauge", "workqueue_adds_total": "counter",
    "workqueue_queue_duration_seconds": "histogram",
    "workqueue_work_duration_seconds": "histogram",
    "workqueue_unfinished_work_seconds": "gauge",
    "workqueue_longest_running_processor_seconds": "gauge", "workqueue_retries_total": "counter",
    "controller_runtime_reconcile_total": "counter",
    "controller_runtime_reconcile_errors_total": "counter",
    "controller_runtime_reconcile_time_seconds": "histogram",
    "controller_runtime_max_concurrent_reconciles": "gauge",
    "controller_runtime_active_workers": "gauge",
    "rest_client_requests_total": "counter",
}


class Page(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.fake(pods=20)
        self.host_ = self.ready(self.cluster, ["pod", "node"], defaults=PAGED)

    def test_format_types_and_values(self):
        reply = self.host_._metrics.get("/metrics")
        self.assertEqual(reply.status, 200)
        self.assertTrue(reply.headers["content-type"].startswith("text/plain; version=0.0.4"))
        page = prom.Metrics(reply.text)
        missing = [n for n in TYPES if n not in page.families]
        self.assertEqual(missing, [])
        self.assertEqual({n: page.families[n].type for n in TYPES}, TYPES)
        self.assertTrue(all(f.help.strip() for f in page.families.values()))
        for result in ("success", "error", "requeue", "requeue_after"):
            self.assertEqual(len(page.samples("controller_runtime_reconcile_total",
                                              controller="pod", result=result)), 1)
        self.assertGreaterEqual(page.value("controller_runtime_reconcile_total",
                                           controller="pod", result="success"), 20)
        self.assertEqual(page.value("controller_runtime_reconcile_errors_total"), 0)
        self.assertEqual(page.value("workqueue_depth", name="pod"), 0)
        self.assertGreaterEqual(page.value("workqueue_adds_total", name="pod"), 20)
        self.assertEqual(page.value("controller_runtime_max_concurrent_reconciles",
                                    controller="pod"), 10)
        self.assertTrue(page.samples("process_resident_memory_bytes"))

    def test_requests_are_counted_with_code_and_host(self):
        rows = self.host_.metrics().samples("rest_client_requests_total", code="200", method="GET")
        self.assertTrue(rows)
        where = self.cluster.url.split("//")[1]
        self.assertTrue(any(labels["host"] == where for labels, _ in rows), rows)
        self.cluster.forbid("Pod")
        self.cluster.close_watches("Pod")
        self.host_.until(lambda: self.host_.metrics().value(
            "rest_client_requests_total", code="403") >= 1, describe="the 403 counted")

    def test_many_scrapes_while_things_change(self):
        self.cluster.await_watch("Pod")
        self.cluster.add_pods(500, prefix="q")
        adds = 0
        while adds < 520:
            page = self.host_.metrics()
            self.assertGreaterEqual(page.value("workqueue_adds_total", name="pod"), adds)
            self.assertGreaterEqual(page.value("workqueue_depth", name="pod"), 0)
            adds = page.value("workqueue_adds_total", name="pod")
            self.host_.until(lambda a=adds: a >= 520 or self.host_.metrics().value(
                "workqueue_adds_total", name="pod") > a, describe="more adds")

    def test_other_paths(self):
        self.assertEqual(self.host_._metrics.get("/nonesuch").status, 404)


if __name__ == "__main__":
    main()
