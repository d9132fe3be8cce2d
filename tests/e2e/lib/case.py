"""The base of end-to-end tests: temporary folder, fake cluster, kindred; logs on failure."""

import os
import shutil
import socket
import sys
import tempfile
import unittest

import wire

from . import conf, env
from .kindred import Kindred

PAGED = {"stream_list": False}
KIND_OF = {"pod": "Pod", "node": "Node", "replicaset": "ReplicaSet", "deployment": "Deployment",
           "service": "Service", "endpointslice": "EndpointSlice"}
ALL = tuple(KIND_OF)


class KindredTest(unittest.TestCase):
    """Each test gets `self.folder`, gone at its end, with all that was started in it."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="kd-e2e-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self._hosts = []

    def run(self, result=None):
        result = result or self.defaultTestResult()
        before = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > before:
            for host in getattr(self, "_hosts", []):
                print(f"--- the log's tail of {self.id()}\n{host.tail}\n---", file=sys.stderr)
        return result

    # -- what a test is made of

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def fake(self, **options):
        """A started FakeCluster."""
        cluster = wire.FakeCluster(**options)
        cluster.server.start()
        self.addCleanup(cluster.stop)
        return cluster

    def config(self, url="", kinds=("pod",), folder=None, ports=None, **over):
        """A whole configuration; `over` lays groups of keys over it."""
        folder = folder or self.folder
        base = {
            "cluster": {"kubeconfig": os.path.join(folder, "kubeconfig")},
            "leader": {"enabled": False},
            "store": {"path": ":memory:"},
            "health": {"bind": f"127.0.0.1:{ports['health']}" if ports else "0"},
            "metrics": {"bind": f"127.0.0.1:{ports['metrics']}" if ports else "0"},
            "api": {"bind": "unix:" + os.path.join(folder, "api.sock")},
            "log": {"level": "info", "format": "json"},
            "plugins": {"directory": os.path.join(env.BUILD, "plugins")},
            "kinds": [{"plugin": k} if isinstance(k, str) else k for k in kinds],
        }
        if url:
            with open(os.path.join(folder, "kubeconfig"), "w", encoding="utf-8") as file:
                file.write(conf.kubeconfig(url))
        return conf.merged(base, over)

    def host(self, cluster=None, /, kinds=("pod",), *, name="", environ=None, text=None, url="",
             **over):
        """A Kindred in a folder of its own, not yet started. `text`: the whole configuration."""
        folder = self.path(name or f"h{len(self._hosts)}")
        os.makedirs(folder, exist_ok=True)
        ports = free_ports("health", "metrics")
        config = text if text is not None else self.config(
            url or (cluster.url if cluster else ""), kinds, folder, ports, **over)
        made = Kindred(folder, config, ports, environ)
        self._hosts.append(made)
        self.addCleanup(made.collect)
        return made

    def started(self, cluster, /, kinds=("pod",), **options):
        return self.host(cluster, kinds, **options).start()

    def ready(self, cluster, /, kinds=("pod",), **options):
        return self.started(cluster, kinds, **options).wait_ready()

    # -- what is often asserted

    def assert_lists(self, cluster, path, count):
        seen = cluster.log.lists(path)
        self.assertEqual(len(seen), count, cluster.log.text())

    def assert_refused(self, host, *words, command="run"):
        """Ends with exit code 2 and one message that holds all the words."""
        code, out, err = host.once(command)
        said = out + err
        self.assertEqual(code, 2, said)
        for word in words:
            self.assertIn(word.lower(), said.lower())
        self.assertFalse(os.path.exists(host.socket), "the API socket is there")
        return said


def free_ports(*names):
    """Ports that nobody listens on, all different."""
    held = {name: socket.create_server(("127.0.0.1", 0)) for name in names}
    ports = {name: sock.getsockname()[1] for name, sock in held.items()}
    for sock in held.values():
        sock.close()
    return ports


def main():
    unittest.main(module="__main__", verbosity=1)
