"""Two instances on one kind share one LIST and one WATCH; a late one gets what is there."""

import os
import signal

from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import node, pod

PODS = "/api/v1/pods"
OBSERVER = os.path.join(env.test_plugin_folder(), "observer.so")


class Sharing(KindredTest):
    """observer.so observes Pods and relates each to its node by `Observed`."""

    def begin(self, kinds):
        self.assertTrue(os.path.exists(OBSERVER), f"{OBSERVER} is not built")
        self.cluster = self.fake()
        self.cluster.add("Node", node("n1"))
        for name in ("a", "b", "c"):
            self.cluster.add("Pod", pod(name, node="n1"))
        return self.ready(self.cluster, kinds, defaults=PAGED,
                          plugins={"extra": [env.test_plugin_folder()]})

    def observed(self, host):
        return {s for _, s, _ in host.relations(predicate="Observed")}

    def wait_observed(self, host, *names):
        want = {f"Pod/default/{n}" for n in names}
        host.until(lambda: self.observed(host) == want, describe=f"Observed of {names}")

    def check_one_list_and_watch(self):
        self.cluster.await_watch("Pod")
        self.assertEqual(len(self.cluster.log.lists(PODS)), 1, self.cluster.log.text())
        self.assertEqual(len(self.cluster.log.watches(PODS)), 1, self.cluster.log.text())

    def test_owner_and_observer(self):
        for kinds in (["pod", "observer"], ["observer", "pod"]):
            with self.subTest(kinds):
                host = self.begin(kinds)
                self.wait_observed(host, "a", "b", "c")
                self.assertEqual(host.names("Pod"), ["a", "b", "c"])
                self.check_one_list_and_watch()
                self.cluster.add("Pod", pod("d", node="n1"))
                self.cluster.delete("Pod", "a")
                self.wait_observed(host, "b", "c", "d")
                host.until(lambda h=host: h.names("Pod") == ["b", "c", "d"], describe="the pods")
                bound = {s for _, s, _ in host.relations(predicate="PodNodeBinding")}
                self.assertEqual(bound, self.observed(host))
                self.check_one_list_and_watch()
                self.assertEqual(host.stop(), 0)

    def test_several_observers(self):
        host = self.begin(["pod", {"plugin": "observer", "name": "o1"},
                           {"plugin": "observer", "name": "o2"}])
        self.wait_observed(host, "a", "b", "c")
        self.check_one_list_and_watch()
        rows = host.relationships(predicate="Observed")
        self.assertEqual(len(rows), 3, "the same relation of two origins is one")

    def test_the_observed_relation_follows_its_pod(self):
        host = self.begin(["pod", "observer"])
        self.wait_observed(host, "a", "b", "c")
        self.cluster.modify("Pod", "a", change={"spec": {"nodeName": "n2"}})
        host.until(lambda: ("Observed", "Pod/default/a", "Node//n2") in host.relations()
                   and ("Observed", "Pod/default/a", "Node//n1") not in host.relations(),
                   describe="the moved relation")

    def test_a_late_one_gets_what_is_there(self):
        """A kind that a reload adds: adds for all, without a request."""
        host = self.begin(["pod", "node"])
        self.check_one_list_and_watch()
        with open(host.config_path, encoding="ascii") as file:
            text = file.read()
        host.write_config(text.replace('plugin = "node";\n', 'plugin = "node";\n  }, {\n'
                                       '    plugin = "observer";\n'))
        host.signal(signal.SIGHUP)
        self.wait_observed(host, "a", "b", "c")
        self.check_one_list_and_watch()


if __name__ == "__main__":
    main()
