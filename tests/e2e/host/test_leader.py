"""Replicas: who leads, what the others show, and how the lead goes from one to the other."""

import signal
import threading
import time

from e2e.lib import env, leases, objects
from e2e.lib.case import KindredTest, main
from e2e.lib.waiting import stays, wait_until

EVENTS = f"/apis/events.k8s.io/v1/namespaces/{leases.NAMESPACE}/events"


class Replicas(KindredTest):
    def lead(self, cluster, **over):
        host = self.started(cluster, leader={**leases.SHORT, **over}).wait_ready()
        host.until(lambda: leases.master(host) == 1, 20, "the lead")
        return host

    def follow(self, cluster, **over):
        host = self.started(cluster, leader={**leases.SHORT, **over}).wait_ready()
        self.assertEqual(leases.master(host), 0)
        return host

    def takes_over(self, host, timeout=20):
        host.until(lambda: leases.master(host) == 1, timeout, "the lead")
        host.until(lambda: host.api.get("/api/v1/resources", kind="Pod").status == 200, timeout,
                   "the API")


class Standby(Replicas):
    def test_only_the_leader_answers(self):
        cluster = self.fake(pods=10)
        leader, follower = self.lead(cluster), self.follow(cluster)
        identity = leases.holder(cluster)
        self.assertIn("_", identity)
        for path in ("kinds", "plugins", "resources", "relationships", "graph", "changes"):
            reply = follower.api.get(f"/api/v1/{path}", root="Pod/default/p00000")
            self.assertEqual(reply.status, 503, path)
            self.assertEqual(reply.json()["leader"], identity)
            self.assertIn(identity, reply.json()["error"])
        code, _, err = follower.ctl("get", "pods")
        self.assertNotEqual(code, 0)
        self.assertIn(identity, err)
        self.assertEqual(len(leader.api.json("/api/v1/resources", kind="Pod")["items"]), 10)
        # Health, metrics and the log level answer on every replica.
        self.assertEqual(follower.health.get("/healthz").status, 200)
        self.assertIn("[+]leader ok", follower.health.get("/readyz?verbose").text)
        self.assertEqual(follower.api.request("PUT", "/api/v1/log", {"level": "debug"}).status, 200)
        self.assertEqual(follower.metrics().value("antimetal_controller_resources_processed_total"),
                         0)
        self.assertEqual(leader.metrics().value("leader_election_slowpath_total"), 0)

    def test_a_follower_costs_next_to_nothing(self):
        """It waits on a watch of the one Lease, and asks for nothing."""
        cluster = self.fake(pods=1)
        self.lead(cluster)
        self.follow(cluster)
        cluster.await_watch("Lease")
        watch = cluster.log.watches(leases.PATH)[-1]
        self.assertEqual(watch.query["fieldSelector"], f"metadata.name={leases.NAME}")
        n = len(cluster.log.all())

        def seen_since():
            return [r for r in cluster.log.all()[n:] if r.path.startswith(leases.PATH)]
        seen = wait_until(lambda: len(seen_since()) >= 6 and seen_since(), 20, "renewals")
        self.assertEqual({r.method for r in seen}, {"PUT"}, cluster.log.text())

    def test_without_a_watch_it_asks(self):
        cluster = self.fake(pods=1)
        cluster.forbid("Lease", verbs=("watch",))
        leader, follower = self.lead(cluster), self.follow(cluster)
        follower.until(lambda: follower.logged("cannot be watched"), 10)
        n = len(cluster.log.all())
        wait_until(lambda: [r for r in cluster.log.all()[n:] if r.method == "GET"
                            and r.path.endswith(leases.NAME)], 10, "a look")
        leader.process.send_signal(signal.SIGKILL)
        began = time.monotonic()
        self.takes_over(follower)
        self.assertLess(time.monotonic() - began, env.scaled(3 + 2 * 2.2 * 0.5 + 8))

    def test_no_leader_is_known(self):
        cluster = self.fake(pods=1)
        cluster.forbid("Lease", verbs=("get", "create"))
        host = self.started(cluster, leader=leases.SHORT)
        host.until(lambda: "[+]kind-pod ok" in host.health.get("/readyz?verbose").text, 20)
        reply = host.health.get("/readyz")
        self.assertEqual(reply.status, 500)
        self.assertRegex(reply.text, r"\[-\]leader failed: no live leader is known: .*forbidden")
        cluster.heal("Lease")
        host.wait_ready()

    def test_a_missing_namespace_is_named(self):
        cluster = self.fake(pods=1)
        cluster.override("POST", leases.PATH, {"status_object": {
            "code": 404, "reason": "NotFound",
            "message": f'namespaces "{leases.NAMESPACE}" not found'}})
        host = self.started(cluster, leader=leases.SHORT)
        host.until(lambda: leases.NAMESPACE in host.health.get("/readyz").text, 10)
        self.assertTrue(host.logged("request of the leader election failed", "not found"))

    def test_the_feed_of_one_who_loses_ends(self):
        cluster = self.fake(pods=1)
        host = self.lead(cluster)
        with host.api.follow("/api/v1/changes", since=0, follow=1) as feed:
            self.assertIsNotNone(feed.line())
            cluster.forbid("Lease", verbs=("update",), code=500, reason="InternalError")
            while feed.line() is not None:
                pass
        self.assertTrue(host.logged("stopped leading"))


class HandOver(Replicas):
    def changes_while(self, cluster, event):
        n = 0
        while not event.wait(0.02):
            n += 1
            cluster.add("Pod", objects.pod(f"new{n:04}"))
            if n % 3 == 0:
                cluster.delete("Pod", f"new{n:04}")

    def graph_is_the_cluster(self, cluster, host):
        wanted = {(o["metadata"]["name"], o["metadata"]["resourceVersion"])
                  for o in cluster.objects("Pod")}

        def same():
            items = host.api.json("/api/v1/resources", kind="Pod", limit=5000)["items"]
            found = {(i["ref"]["name"], i["data"]["metadata"]["resourceVersion"]) for i in items}
            return found == wanted
        host.until(same, 20, "the graph")

    def hand_over(self, end):
        cluster = self.fake(pods=50)
        first, second = self.lead(cluster), self.follow(cluster)
        done = threading.Event()
        writer = threading.Thread(target=self.changes_while, args=(cluster, done))
        writer.start()
        try:
            wait_until(lambda: len(cluster.objects("Pod")) > 60, 20)
            began = time.monotonic()
            end(first)
            self.takes_over(second)
            took = time.monotonic() - began
            wait_until(lambda: len(cluster.objects("Pod")) > 80, 20)
        finally:
            done.set()
            writer.join()
        self.graph_is_the_cluster(cluster, second)
        return cluster, first, took

    def test_clean_stop(self):
        cluster, first, took = self.hand_over(lambda host: host.signal())
        self.assertEqual(first.wait_exit(), 0)
        self.assertLess(took, env.scaled(10))      # e2e/cluster/test_failover.py looks closer
        released = [r.json()["spec"] for r in leases.writes(cluster)
                    if r.path.startswith(leases.PATH) and r.method == "PUT"
                    and r.json()["spec"]["holderIdentity"] == ""]
        self.assertEqual(len(released), 1)
        self.assertEqual(released[0]["leaseDurationSeconds"], 1)
        self.assertEqual(leases.spec(cluster)["leaseTransitions"], 1)

    def test_kill(self):
        _, _, took = self.hand_over(lambda host: host.process.kill())
        self.assertLess(took, env.scaled(3 + 10))

    def test_sleep_longer_than_the_lease(self):
        cluster, first, _ = self.hand_over(lambda host: host.signal(signal.SIGSTOP))
        holder, writes = leases.holder(cluster), len(leases.writes(cluster))
        first.signal(signal.SIGCONT)
        first.until(lambda: first.logged("stopped leading"), 10)
        first.until(lambda: first.api.get("/api/v1/resources", kind="Pod").status == 503, 10)
        stays(lambda: leases.holder(cluster) == holder, 1.5)
        claims = [r.json()["spec"]["holderIdentity"] for r in leases.writes(cluster)[writes:]
                  if r.path.startswith(leases.PATH)]
        self.assertEqual([c for c in claims if c != holder][1:], [])   # at most the one under way

    def test_release_can_be_turned_off(self):
        cluster = self.fake(pods=1)
        host = self.lead(cluster, release_on_cancel=False)
        identity = leases.holder(cluster)
        self.assertEqual(host.stop(), 0)
        self.assertEqual(leases.holder(cluster), identity)


class Serve(Replicas):
    def test_every_replica_serves(self):
        cluster = self.fake(pods=5)
        hosts = [self.started(cluster, leader={**leases.SHORT, "followers": "serve"}).wait_ready()
                 for _ in range(2)]
        wait_until(lambda: sum(leases.master(h) for h in hosts) == 1, 10)
        for host in hosts:
            host.wait_stored("Pod", 5)
        cluster.forbid("Lease", verbs=("update",), code=500, reason="InternalError")
        wait_until(lambda: sum(leases.master(h) for h in hosts) == 0, 10)
        cluster.add("Pod", objects.pod("more"))
        for host in hosts:
            host.wait_stored("Pod", 6)


class Events(Replicas):
    def events(self, cluster):
        return sorted((e["note"].split(" ", 1)[1], e.get("series", {}).get("count", 1))
                      for e in cluster.objects("Event"))

    def test_who_leads_is_told_on_the_lease(self):
        cluster = self.fake(pods=1)
        host = self.lead(cluster)
        for _ in range(2):
            cluster.forbid("Lease", verbs=("update",), code=500, reason="InternalError")
            host.until(lambda: leases.master(host) == 0, 10)
            cluster.heal("Lease")
            host.until(lambda: leases.master(host) == 1, 10)
        host.stop()
        wait_until(lambda: self.events(cluster) == [("became leader", 3), ("stopped leading", 3)],
                   10, "the Events")
        event = cluster.objects("Event")[0]
        lease = cluster.get("Lease", leases.NAME, leases.NAMESPACE)
        self.assertEqual(event["reason"], "LeaderElection")
        self.assertEqual(event["regarding"]["name"], leases.NAME)
        self.assertEqual(event["regarding"]["uid"], lease["metadata"]["uid"])
        self.assertEqual({r.method for r in cluster.log.all() if r.path.startswith(EVENTS)},
                         {"POST", "PATCH"})

    def test_nobody_waits_for_them(self):
        cluster = self.fake(pods=1)
        cluster.forbid("Event", verbs=("create",))
        host = self.lead(cluster)
        gate = cluster.hold("Event", "create")
        cluster.heal("Event")
        began = time.monotonic()
        self.assertEqual(host.stop(), 0)
        self.assertLess(time.monotonic() - began, env.scaled(8))
        gate.open()


class WarmStart(Replicas):
    def processed(self, host, action):
        return host.metrics().value("antimetal_controller_resources_processed_total", kind="Pod",
                                    action=action)

    def test_a_restart_does_only_what_differs(self):
        cluster = self.fake(pods=200)
        store = {"path": self.path("graph.db")}
        first = self.ready(cluster, store=store)
        first.wait_stored("Pod", 200)
        self.assertEqual(first.stop(), 0)
        cluster.modify("Pod", "p00003", change={"metadata": {"labels": {"x": "y"}}})
        cluster.delete("Pod", "p00004")
        second = self.ready(cluster, store=store)
        self.assertEqual(second.kind("Pod")["stored"], 199)
        runs = second.metrics().value("controller_runtime_reconcile_total", controller="pod")
        self.assertEqual(runs, 2)
        self.assertEqual(second.stop(), 0)
        third = self.ready(cluster, store=store, defaults={"mode": "metadata"})   # made another way
        runs = third.metrics().value("controller_runtime_reconcile_total", controller="pod")
        self.assertGreaterEqual(runs, 199)


if __name__ == "__main__":
    main()
