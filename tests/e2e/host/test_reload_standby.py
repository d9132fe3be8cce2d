"""A standby reloads as well: caches follow the configuration, work waits for the lead."""

from e2e.host.reloading import ReloadTest
from e2e.lib import leases
from e2e.lib.case import PAGED, main
from e2e.lib.waiting import stays

SERVICE = {"kind": "Service", "apiVersion": "v1", "metadata": {"name": "s", "namespace": "default"},
           "spec": {}}


class Standby(ReloadTest):
    def series(self, name, **labels):
        return self.box.metrics().value(name, **labels)

    def test_a_kind_that_is_enabled_on_a_standby(self):
        cluster = self.make_cluster()
        cluster.add("Service", SERVICE)
        leader = self.ready(cluster, ("pod", "node"), leader=leases.SHORT, defaults=PAGED)
        leader.until(lambda: leases.master(leader) == 1, describe="the lead")
        host = self.begin(cluster=cluster, leader=leases.SHORT)
        self.assertEqual(leases.master(host), 0)
        self.kinds("pod", "service")
        self.reload()
        host.until(lambda: self.series("kindred_cache_objects", kind="Service") == 1,
                   describe="the cache of the new kind")
        self.assertEqual(self.series("kindred_cache_objects", kind="Node"), 0)
        host.wait_ready()
        stays(lambda: self.series("workqueue_adds_total") == 0, 0.5, "no work on a standby")
        self.assertEqual(self.series("antimetal_controller_resources_processed_total"), 0)
        self.assertEqual(leader.stop(), 0)
        host.until(lambda: leases.master(host) == 1, describe="the lead")
        host.until(lambda: host.api.get("/api/v1/resources", kind="Pod").status == 200,
                   describe="the API")
        self.assertEqual(host.names("Service"), ["s"])
        self.assertEqual(host.names("Pod"), ["a", "b", "c", "d"])
        self.kinds("service")
        self.reload()
        host.until(lambda: set(host.kinds()) == {"Service"} and not host.relations(),
                   describe="a leader takes out what goes")
        self.assertEqual(host.stop(), 0)


if __name__ == "__main__":
    main()
