"""What tests of reloads share: a host whose configuration is a dict that is changed and written."""

import copy
import os
import signal

from e2e.lib import conf, env
from e2e.lib.case import PAGED, KindredTest
from e2e.lib.objects import node, pod

PODS = "/api/v1/pods"
NODES = "/api/v1/nodes"
SERVICES = "/api/v1/services"
KEPT = "the running configuration stays as it is"


class ReloadTest(KindredTest):
    """`self.settings` is the configuration; begin() starts a host with pods a, b, c and a node."""

    def make_cluster(self):
        self.cluster = self.fake()
        self.cluster.add("Node", node("n1"))
        for name in ("a", "b", "c"):
            self.cluster.add("Pod", pod(name, node="n1"))
        self.cluster.add("Pod", pod("d", namespace="other", node="n1"))
        return self.cluster

    def begin(self, kinds=("pod", "node"), ready=True, place=None, cluster=None, **over):
        """`place` may move the configuration somewhere else before the start."""
        self.cluster = cluster or self.make_cluster()
        over.setdefault("defaults", PAGED)
        over.setdefault("plugins", {"extra": [env.test_plugin_folder()]})
        self.box = self.host(self.cluster, kinds, **over)
        self.settings = self.config(self.cluster.url, kinds, self.box.folder, self.box.ports,
                                    **copy.deepcopy(over))
        self.box.write_config(self.settings)
        if place:
            place(self.box)
        self.box.start()
        if ready:
            self.box.wait_ready()
        return self.box

    def kinds(self, *kinds):
        self.settings["kinds"] = [{"plugin": k} if isinstance(k, str) else k for k in kinds]

    def count(self, result):
        return self.box.metrics().value("kindred_config_reloads_total", result=result)

    def reload(self, result="success", write=True):
        """Writes the settings, sends SIGHUP and waits for the result."""
        before = self.count(result)
        if write:
            self.replace(conf.text(self.settings))
        self.box.signal(signal.SIGHUP)
        self.await_result(result, before)

    def await_result(self, result, before):
        self.box.until(lambda: self.count(result) > before, describe=f"a reload: {result}")

    def replace(self, text):
        """In one step, so that no half of it is ever read."""
        part = self.box.config_path + ".part"
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(part, self.box.config_path)

    def requests(self, path):
        return len(self.cluster.log.all(path=path))

    def verbose(self):
        reply = self.box.health.get("/readyz", verbose="1")
        return reply.status, reply.text

    def series_of(self, controller, kind):
        """Samples that belong to a kind or its controller."""
        page = self.box.metrics()
        return [s for s in page.search("^(workqueue|controller_runtime|antimetal_controller_rec)",
                                       ) if controller in (s[1].get("controller"),
                                                           s[1].get("name"))] + \
            page.search("^(kindred_cache|kindred_reflector)", kind=kind) + \
            page.search("^informer_", name=kind)
