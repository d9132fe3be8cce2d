"""A cluster of which one kind is served by a hostile hand, and what must hold meanwhile."""

import os
import random

from e2e.lib import env
from e2e.lib.case import PAGED, KindredTest
from e2e.lib.objects import node, pod
from e2e.lib.waiting import stays

PODS = "/api/v1/pods"
HANG = {"chunks": [], "end": "hang"}
SEED = int(os.environ.get("KD_SEED", "1"))
TICK = os.sysconf("SC_CLK_TCK")
MAX_GROWTH_KB = 64 * 1024 * (6 if env.SANITIZER else 1)


def listed(*items, version="20", **more):
    """An answer: a list of pods."""
    return {"list": {"resourceVersion": version, "items": list(items), **more}}


def made(name, version="10", **meta):
    """A pod as a server shows it."""
    out = pod(name, node="n1")
    out["metadata"].update(resourceVersion=version, uid=f"uid-{name}", **meta)
    return out


def event(kind, obj):
    return {"type": kind, "object": {"kind": "Pod", "apiVersion": "v1", **obj}}


def dice(salt=0):
    """Random numbers that come again: KD_SEED chooses others."""
    return random.Random(SEED * 1000003 + salt)


def churn(cluster, chance, names, count):
    """`count` random changes of pods among `names`."""
    for _ in range(count):
        name, what = chance.choice(names), chance.random()
        there = ("default", name) in cluster._shelves["Pod"].entries
        if not there:
            cluster.add("Pod", pod(name, node=f"n{chance.randrange(5)}"))
        elif what < 0.2:
            cluster.delete("Pod", name)
        else:
            cluster.modify("Pod", name, change={
                "metadata": {"labels": {"x": str(chance.random())}},
                "spec": {"nodeName": f"n{chance.randrange(5)}"}})


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        words = file.read().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / TICK


class GraphTest(KindredTest):
    def assert_graph_is(self, cluster, host, timeout=30.0):
        """Pods and their nodes in the graph are those of the cluster, version for version."""
        pods = {o["metadata"]["name"]: o for o in cluster.objects("Pod")}
        versions = {n: o["metadata"]["resourceVersion"] for n, o in pods.items()}
        host.until(lambda: versions == {
            r["ref"]["name"]: r["data"]["metadata"]["resourceVersion"]
            for r in host.resources("Pod")}, timeout, f"the same pods (KD_SEED={SEED})")
        bound = {(s.split("/")[-1], o.split("/")[-1])
                 for _, s, o in host.relations(predicate="PodNodeBinding")}
        self.assertEqual(bound, {(n, o["spec"]["nodeName"]) for n, o in pods.items()
                                 if o["spec"].get("nodeName")}, f"KD_SEED={SEED}")


class Attack(KindredTest):
    """Pods come from `script`, nodes from the model; the nodes must never notice."""

    def begin(self, lists=None, watches=None, **over):
        """A host whose pods are served so; ready for its nodes."""
        self.cluster = self.fake(kinds=["Pod", "Node"])
        self.cluster.add("Node", node("n1"))
        if lists:
            self.cluster.override("GET", PODS, *lists, watch=False)
        if watches:
            self.cluster.override("GET", PODS, *watches, watch=True)
        self.attacked = self.started(self.cluster, ("pod", "node"),
                                     **{"defaults": PAGED, **over}).wait_api()
        self.attacked.wait_state("Node", "synced")
        self.cluster.await_watch("Node")
        self.memory = self.attacked.memory_kb()
        self.turn = 0
        return self.attacked

    def assert_unharmed(self, growth_kb=MAX_GROWTH_KB):
        """Nodes still arrive, memory is bounded, the process lives."""
        self.turn += 1
        name = f"after{self.turn}"
        self.cluster.add("Node", node(name))
        self.attacked.until(lambda: name in self.attacked.names("Node"), 20, "a node's change")
        self.assertEqual(self.attacked.kind("Node")["state"], "synced")
        peak = self.attacked.memory_kb("VmHWM")
        self.assertLess(peak - self.memory, growth_kb, "memory grew under the attack")

    def assert_calm(self, seconds=3.0, share=0.3, requests=12):
        """No spinning: little CPU, few requests for pods."""
        pid = self.attacked.process.pid
        before, count = cpu_seconds(pid), self.asked()
        stays(self.attacked.running, seconds, "the process")
        used = cpu_seconds(pid) - before
        self.assertLess(used, seconds * share * (3 if env.SANITIZER else 1), "CPU spins")
        self.assertLessEqual(self.asked() - count, requests, "requests spin")

    def asked(self):
        """Requests for pods so far."""
        return len(self.cluster.log.all(path=PODS))
