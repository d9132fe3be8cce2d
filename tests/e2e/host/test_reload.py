"""A new configuration while the host runs: the difference is carried out, and nothing else."""

import json
import os
import sqlite3
from contextlib import closing

from e2e.host.reloading import KEPT, NODES, PODS, SERVICES, ReloadTest
from e2e.lib.case import PAGED, main
from e2e.lib.objects import pod


class Kinds(ReloadTest):
    def quiet(self, *paths):
        """How many requests there were of what must not be touched; its watch is open."""
        for path in paths:
            self.cluster.await_watch({PODS: "Pod", NODES: "Node"}[path])
        return {path: self.requests(path) for path in paths}

    def test_a_kind_is_enabled(self):
        host = self.begin()
        before = self.quiet(PODS, NODES)
        self.kinds("pod", "node", "service")
        self.reload()
        host.wait_ready()
        self.assertEqual(host.kind("Service")["state"], "synced")
        self.assertEqual(len(self.cluster.log.lists(SERVICES)), 1)
        self.assertEqual(self.quiet(PODS, NODES), before)
        self.assertIn("service", host.plugins())

    def test_a_kind_is_disabled(self):
        host = self.begin()
        before = self.quiet(NODES)
        self.assertNotEqual(self.series_of("pod", "Pod"), [])
        self.kinds({"plugin": "pod", "enabled": False}, "node")
        self.reload()
        host.until(lambda: host.kind("Pod")["stored"] == 0, describe="no pods in the graph")
        row = host.kind("Pod")
        self.assertEqual((row["state"], row["objects"], row["plugin"]), ("disabled", 0, "pod"))
        self.assertEqual(host.names("Pod"), [])
        self.assertEqual(host.relations(), set())
        host.until(lambda: self.series_of("pod", "Pod") == [], describe="its series go")
        self.assertNotEqual(self.series_of("node", "Node"), [])
        with self.cluster._lock:
            self.assertTrue(self.cluster._lock.wait_for(
                lambda: self.cluster.watch_count() == 1, 10), "the watch of pods is open")
        status, text = self.verbose()
        self.assertEqual(status, 200, text)
        self.assertNotIn("kind-pod", text)
        self.assertEqual(self.quiet(NODES), before)
        self.assertNotIn("pod", host.plugins())

    def test_and_enabled_again(self):
        host = self.begin()
        for _ in range(3):
            self.kinds({"plugin": "pod", "enabled": False}, "node")
            self.reload()
            self.cluster.modify("Pod", "a", change={"metadata": {"labels": {"x": "y"}}})
            self.kinds("pod", "node")
            self.reload()
            host.wait_ready()
            host.until(lambda: host.names("Pod") == ["a", "b", "c", "d"], describe="all pods")
            self.assertEqual(host.kind("Pod")["state"], "synced")
        self.assertEqual(len(host.relations(predicate="PodNodeBinding")), 4)
        self.assertEqual(host.stop(), 0)

    def test_an_entry_that_goes_leaves_no_row(self):
        host = self.begin()
        self.kinds("node")
        self.reload()
        host.until(lambda: "Pod" not in host.kinds(), describe="no row of pods")
        host.until(lambda: not host.relations(), describe="no relations of pods")

    def test_a_kind_is_given_another_scope(self):
        host = self.begin()
        self.assertEqual(host.names("Pod"), ["a", "b", "c", "d"])
        before = self.quiet(NODES)
        self.kinds({"plugin": "pod", "namespaces": ["other"]}, "node")
        self.reload()
        host.until(lambda: host.names("Pod") == ["d"], describe="the pods of the new scope")
        self.kinds({"plugin": "pod", "namespaces": ["default"]}, "node")
        self.reload()
        host.until(lambda: host.names("Pod") == ["a", "b", "c"], describe="the pods of another")
        self.cluster.add("Pod", pod("e", namespace="other", node="n1"))
        self.cluster.add("Pod", pod("f", node="n1"))
        host.until(lambda: host.names("Pod") == ["a", "b", "c", "f"], describe="and its changes")
        self.assertEqual(len(self.cluster.log.lists(PODS)), 1)
        self.assertEqual(self.quiet(NODES), before)
        host.wait_ready()

    def test_namespaces_are_nothing_to_a_cluster_scoped_kind(self):
        host = self.begin(["pod", {"plugin": "node", "namespaces": ["other"]}])
        self.assertEqual(host.names("Node"), ["n1"])
        self.assertEqual(len(self.cluster.log.lists(NODES)), 1)

    def test_tuning_keeps_cache_and_watch(self):
        host = self.begin()
        self.cluster.await_watch("Pod")
        before = self.quiet(PODS, NODES)
        self.kinds({"plugin": "pod", "workers": 3}, "node")
        self.reload()
        host.until(lambda: host.metrics().value("controller_runtime_max_concurrent_reconciles",
                                                controller="pod") == 3, describe="3 workers")
        self.cluster.add("Pod", pod("e", node="n1"))
        host.until(lambda: "e" in host.names("Pod"), describe="a new pod")
        self.assertEqual(self.quiet(PODS, NODES), before)

    def test_defaults(self):
        host = self.begin()
        self.cluster.await_watch("Pod")
        before = self.quiet(PODS, NODES)
        self.settings["defaults"] = {**PAGED, "workers": 7}
        self.reload()
        for name in ("pod", "node"):
            host.until(lambda n=name: host.metrics().value(
                "controller_runtime_max_concurrent_reconciles", controller=n) == 7,
                describe="7 workers")
        self.assertEqual(self.quiet(PODS, NODES), before)
        self.assertEqual(host.names("Pod"), ["a", "b", "c", "d"])

    def test_settings_of_a_plugin(self):
        """The kind of settings.so comes from its settings."""
        host = self.begin(["node", {"plugin": "settings", "settings": {"text": "First"}}],
                          ready=False)
        host.until(lambda: host.kind("First")["state"] == "notServed", describe="the first kind")
        before = self.quiet(NODES)
        self.kinds("node", {"plugin": "settings", "settings": {"text": "Second"}})
        self.reload()
        host.until(lambda: host.kind("Second")["state"] == "notServed", describe="the second")
        self.assertNotIn("First", host.kinds())
        host.until(lambda: not self.series_of("first", "First"), describe="no series of it")
        self.assertEqual(self.quiet(NODES), before)

    def test_reconcile_false_keeps_the_cache_alone(self):
        host = self.begin()
        self.kinds({"plugin": "pod", "reconcile": False}, "node")
        self.reload()
        host.until(lambda: host.kind("Pod")["stored"] == 0, describe="no pods in the graph")
        self.assertEqual(host.kind("Pod")["objects"], 4)
        self.assertEqual(len(self.cluster.log.lists(PODS)), 1, "the list was asked for again")

    def test_an_observer_takes_only_its_own_along(self):
        host = self.begin(["pod", "node", "observer"])
        host.until(lambda: len(host.relations(predicate="Observed")) == 4, describe="observed")
        before = self.quiet(PODS)
        self.kinds("pod", "node")
        self.reload()
        host.until(lambda: not host.relations(predicate="Observed"), describe="not observed")
        self.assertEqual(len(host.relations(predicate="PodNodeBinding")), 4)
        self.kinds("observer", "node")
        self.reload()
        host.until(lambda: len(host.relations(predicate="Observed")) == 4
                   and not host.relations(predicate="PodNodeBinding"), describe="only observed")
        self.assertEqual(host.names("Pod"), [])
        self.assertEqual(self.quiet(PODS), before)

    def test_what_was_left_by_another_configuration_goes(self):
        store = {"path": self.path("graph.db")}
        host = self.begin(store=store)
        self.assertEqual(host.stop(), 0)
        self.kinds("node")
        self.box.write_config(self.settings)
        host.start().wait_ready()
        host.until(lambda: not host.relations(), describe="no relations of pods")
        self.assertEqual(host.names("Node"), ["n1"])
        self.assertEqual(host.stop(), 0)
        with closing(sqlite3.connect(store["path"])) as file:
            self.assertEqual(file.execute("SELECT count(*) FROM resource").fetchone(), (1,))


class Refused(ReloadTest):
    def assert_as_before(self, before):
        host = self.box
        self.assertEqual(host.metrics().value("kindred_config_last_reload_successful"), 0)
        status, text = self.verbose()
        self.assertEqual(status, 200, text)
        self.assertIn("[+]config ok: the last reload was refused", text)
        self.assertTrue(host.logged(KEPT), host.tail)
        self.assertEqual((self.requests(PODS), self.requests(NODES)), before)
        self.assertEqual(host.names("Pod"), ["a", "b", "c", "d"])

    def check(self, *words):
        """The settings as they are now are refused, and their repair is taken."""
        self.cluster.await_watch("Pod")
        before = self.requests(PODS), self.requests(NODES)
        self.reload("refused")
        self.assert_as_before(before)
        self.assertTrue(self.box.logged("new configuration refused", *words), self.box.log_text())
        self.cluster.add("Pod", pod("e", node="n1"))
        self.box.until(lambda: "e" in self.box.names("Pod"), describe="the watch goes on")
        self.kinds("pod", "node")
        self.settings.pop("typo", None)
        self.reload()
        self.assertIn("[+]config ok\n", self.verbose()[1])
        self.assertEqual(self.box.metrics().value("kindred_config_last_reload_successful"), 1)

    def test_an_unknown_key(self):
        self.begin()
        self.settings["typo"] = 1
        self.check("typo", "kindred.conf:")

    def test_a_syntax_error(self):
        self.begin()
        self.cluster.await_watch("Pod")
        before = self.requests(PODS), self.requests(NODES)
        refused = self.count("refused")
        self.replace("kinds = (")
        self.await_result("refused", refused)
        self.assert_as_before(before)

    def test_a_file_that_goes(self):
        self.begin()
        self.cluster.await_watch("Pod")
        before = self.requests(PODS), self.requests(NODES)
        refused = self.count("refused")
        os.unlink(self.box.config_path)
        self.await_result("refused", refused)
        self.assert_as_before(before)
        self.reload()

    def test_a_plugin_that_is_not_there(self):
        self.begin()
        self.kinds("pod", "node", "nonesuch")
        self.check("nonesuch")

    def test_a_plugin_whose_settings_are_wrong(self):
        self.begin()
        self.kinds("pod", "node", {"plugin": "settings", "settings": {"number": 99}})
        self.check("number")

    def test_a_second_owner(self):
        self.begin()
        self.kinds({"plugin": "pod", "name": "pod-two"}, "pod", "node")
        self.check("pod-two")

    def test_what_was_refused_at_the_start_is_no_hindrance(self):
        host = self.begin(["pod", "node", "nonesuch"])
        self.kinds("pod", "node", "nonesuch", "service")
        self.reload()
        host.wait_ready()
        self.assertEqual(host.kind("Service")["state"], "synced")
        self.assertEqual(host.plugins()["nonesuch"]["state"], "refused")


class Rest(ReloadTest):
    def test_other_keys_wait_for_a_restart(self):
        host = self.begin()
        self.settings["cluster"]["qps"] = 7.0
        self.settings["store"]["batch_size"] = 5
        self.reload()
        line = host.logged("needs a restart")
        self.assertEqual(len(line), 1, host.log_text())
        self.assertEqual(json.loads(line[0])["keys"], "cluster.qps, store.batch_size")

    def test_level_and_format_of_the_log(self):
        host = self.begin()
        self.settings["log"] = {"level": "info", "format": "text"}
        self.reload()
        self.assertTrue(any(not line.startswith("{") and "configuration reloaded" in line
                            for line in host.log_text().splitlines()), host.log_text())
        self.settings["log"]["level"] = "error"
        self.reload()
        count = len(host.logged("configuration reloaded"))
        self.reload()
        self.assertEqual(len(host.logged("configuration reloaded")), count)

    def test_the_same_again_changes_nothing(self):
        host = self.begin()
        self.cluster.await_watch("Pod")
        before = self.requests(PODS), self.requests(NODES)
        seq = host.seq()
        for _ in range(5):
            self.reload(write=False)
        self.assertEqual((self.requests(PODS), self.requests(NODES)), before)
        self.assertEqual(host.seq(), seq)

    def test_metrics_tell_what_runs(self):
        host = self.begin()
        page = host.metrics()
        first = page.value("kindred_config_hash")
        self.assertGreater(first, 0)
        self.assertEqual(page.value("kindred_config_last_reload_successful"), 1)
        began = page.value("kindred_config_last_reload_success_timestamp_seconds")
        self.assertGreater(began, 1.6e9)
        self.kinds("pod", {"plugin": "node", "workers": 2})
        self.reload()
        page = host.metrics()
        self.assertNotEqual(page.value("kindred_config_hash"), first)
        self.assertGreater(
            page.value("kindred_config_last_reload_success_timestamp_seconds"), began)
        self.kinds("pod", "node")
        self.reload()
        self.assertEqual(host.metrics().value("kindred_config_hash"), first)


if __name__ == "__main__":
    main()
