"""B16: retries never stop, stay between base and cap, and two processes do not keep step."""

import wire
from e2e.cases.pace import PODS, RESET, gaps, without_repeat
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import pod

TRIES = 4
BASE, CAP = 0.8, 60.0


class Backoff(KindredTest):
    def agents(self, cluster):
        """Two processes that a server tells apart by their user agents."""
        return [self.started(cluster, name=name, cluster={"user_agent": name}, defaults=PAGED)
                for name in ("one", "two")]

    def of(self, cluster, name):
        return without_repeat(cluster.log.all(
            path=PODS, verb="list", where=lambda r: r.headers.get("user-agent") == name))

    def test_two_instances_while_the_server_is_down(self):
        cluster = self.fake(pods=2)
        cluster.override("GET", PODS, RESET, watch=False)
        hosts = self.agents(cluster)
        for host, name in zip(hosts, ("one", "two")):
            host.until(lambda n=name: len(self.of(cluster, n)) >= TRIES, 60, f"tries of {name}")
        waits = [gaps(self.of(cluster, name))[:TRIES - 1] for name in ("one", "two")]
        for series in waits:
            for number, wait in enumerate(series):
                self.assertTrue(BASE * 2 ** number - 0.1 < wait < 2 * BASE * 2 ** number + 1.5,
                                waits)
        apart = [abs(a - b) for a, b in zip(*waits)]
        self.assertGreater(max(apart), 0.05, waits)
        self.assertEqual([host.kind("Pod")["state"] for host in hosts], ["failing"] * 2)
        self.assertEqual([len(host.logged("out of reach")) for host in hosts], [1, 1])

    def test_a_restart_of_the_back_off_is_a_fresh_one(self):
        """Failures, progress, failures: the second series begins at the base, as the first did."""
        cluster = self.fake(pods=1)
        down = {"status": 503}
        cluster.override("GET", PODS, down, down, down, wire.PASS, down, down, wire.PASS,
                         watch=False)
        host = self.ready(cluster, defaults=PAGED)
        first = cluster.log.lists(PODS)
        self.assertEqual(len(first), 4)
        cluster.add("Pod", pod("progress"))
        host.wait_stored("Pod", 2)
        cluster.compact("Pod")
        cluster.close_watches("Pod")
        cluster.log.wait(7, timeout=30, path=PODS, verb="list")
        host.until(lambda: host.kind("Pod")["state"] == "synced", 20, "synced again")
        second = gaps(cluster.log.lists(PODS)[4:7])
        self.assertTrue(BASE - 0.1 < second[0] < 2 * BASE + 1, second)
        self.assertGreater(second[1], 2 * BASE - 0.1)

    def test_the_server_comes_up(self):
        """Nobody listens at first, then the server does."""
        cluster = self.fake(pods=2)
        cluster.override("GET", PODS, *[RESET] * 4, wire.PASS, watch=False)
        hosts = self.agents(cluster)
        for host in hosts:
            host.wait_ready(CAP)
            self.assertEqual(len(host.names("Pod")), 2)


if __name__ == "__main__":
    main()
