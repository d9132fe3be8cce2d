"""exclude_namespaces: those are not asked for, and what the graph holds of them goes."""

import signal

from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import pod

PODS = "/api/v1/pods"


class Exclude(KindredTest):
    def begin(self, entry, **over):
        self.cluster = self.fake()
        for ns in ("a", "b", "kube-system"):
            self.cluster.add("Pod", pod(f"in-{ns}", ns))
        return self.ready(self.cluster, [entry], defaults=PAGED, **over)

    def test_all_but_some(self):
        host = self.begin({"plugin": "pod", "exclude_namespaces": ["kube-system", "b"]})
        self.assertEqual(host.names("Pod"), ["in-a"])
        want = "metadata.namespace!=kube-system,metadata.namespace!=b"
        self.cluster.await_watch("Pod")
        for request in self.cluster.log.lists(PODS) + self.cluster.log.watches(PODS):
            self.assertEqual(request.query["fieldSelector"], want)
        self.cluster.add("Pod", pod("late", "b"))
        self.cluster.add("Pod", pod("late", "a"))
        host.until(lambda: host.names("Pod") == ["in-a", "late"], describe="the pod in a alone")
        self.assertEqual(host.stop(), 0)

    def test_a_selector_of_its_own_stays(self):
        host = self.begin({"plugin": "pod", "exclude_namespaces": ["b"],
                           "field_selector": "metadata.name!=in-a"})
        self.assertEqual(host.names("Pod"), ["in-kube-system"])
        self.assertEqual(host.stop(), 0)

    def test_some_but_one(self):
        host = self.begin({"plugin": "pod", "namespaces": ["a", "b"], "exclude_namespaces": ["b"]})
        self.assertEqual(host.names("Pod"), ["in-a"])
        self.assertEqual(len(self.cluster.log.lists("/api/v1/namespaces/a/pods")), 1)
        self.assertEqual(self.cluster.log.lists("/api/v1/namespaces/b/pods"), [])
        self.assertEqual(host.stop(), 0)

    def test_a_reload_takes_away_and_gives_back(self):
        host = self.begin({"plugin": "pod"})
        self.assertEqual(len(host.names("Pod")), 3)
        with open(host.config_path, encoding="ascii") as file:
            text = file.read()
        host.write_config(text.replace('plugin = "pod";',
                                       'plugin = "pod";\n    exclude_namespaces = [ "b" ];'))
        host.signal(signal.SIGHUP)
        host.until(lambda: host.names("Pod") == ["in-a", "in-kube-system"], describe="all but b")
        host.write_config(text)
        host.signal(signal.SIGHUP)
        host.until(lambda: len(host.names("Pod")) == 3, describe="all pods again")
        self.assertEqual(host.stop(), 0)

    def test_what_cannot_be_is_refused(self):
        cluster = self.fake()
        host = self.host(cluster, kinds=[{"plugin": "node", "exclude_namespaces": ["b"]}])
        self.assert_refused(host, "exclude_namespaces", "Node")
        host = self.host(cluster, kinds=[{"plugin": "pod", "namespaces": ["b"],
                                          "exclude_namespaces": ["b"]}])
        self.assert_refused(host, "exclude_namespaces", "enabled = false")


if __name__ == "__main__":
    main()
