"""The standalone entry: script, port file, log file, control paths, end."""

import json
import os
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import types
import unittest

from wire.client_for_tests import Client


class Standalone(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="wire-main-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, script, *options):
        with open(self.path("script.json"), "w", encoding="utf-8") as file:
            json.dump(script, file)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "wire", "--script", self.path("script.json"), "--port-file",
             self.path("port"), "--log", self.path("log"), *options], stderr=subprocess.PIPE)
        self.addCleanup(self.end)
        deadline = time.monotonic() + 30
        while not os.path.exists(self.path("port")):
            if self.process.poll() is not None or time.monotonic() > deadline:
                return None
            time.sleep(0.02)
        with open(self.path("port"), encoding="ascii") as file:
            port = int(file.read())
        return types.SimpleNamespace(host="127.0.0.1", port=port, tls=None)

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        self.process.stderr.close()
        return self.process.returncode

    def test_routes_log_and_gate(self):
        where = self.start({"routes": [
            {"path": "/api/v1/pods", "watch": False, "answers": [{"list": {"pods": 2}}]},
            {"path": "/api/v1/pods", "watch": True, "answers": [
                {"lines": [{"gate": "go"}, {"type": "ADDED", "object": {}}], "end": "close"}]}]})
        with Client(where) as client, Client(where) as control:
            self.assertEqual(len(client.json("/api/v1/pods")[1]["items"]), 2)
            answer = client.begin("/api/v1/pods?watch=true")
            seen = control.json("/_wire/wait?count=1&verb=watch&path=/api/v1/pods")[1]
            self.assertEqual(seen[0]["query"], {"watch": "true"})
            self.assertEqual(control.json("/_wire/open/go")[0], 200)
            self.assertEqual(json.loads(answer.read())["type"], "ADDED")
        with open(self.path("log"), encoding="ascii") as file:
            self.assertEqual([json.loads(line)["path"] for line in file], ["/api/v1/pods"] * 2)
        self.assertEqual(self.end(), 0)

    def test_cluster_and_its_orders(self):
        where = self.start({"cluster": {"pods": 2, "objects": [
            {"kind": "Node", "metadata": {"name": "n1"}}]}})
        with Client(where) as client:
            self.assertEqual(len(client.json("/api/v1/nodes")[1]["items"]), 1)
            order = {"op": "delete", "args": ["Pod", "p00000"]}
            self.assertEqual(client.begin("/_wire/cluster", "POST", json.dumps(order)).read(),
                             b"null")
            self.assertEqual(len(client.json("/api/v1/pods")[1]["items"]), 1)
            bad = client.begin("/_wire/cluster", "POST", '{"op": "stop"}')
            self.assertEqual((bad.status, b"unknown op" in bad.read()), (400, True))

    def test_tls_with_a_folder(self):
        where = self.start({"routes": [{"path": "/x", "answers": [{"json": 1}]}]}, "--tls",
                           "--cert-dir", self.path("certs"))
        where.tls = True
        trust = ssl.create_default_context(cafile=self.path("certs/ca.crt"))
        with Client(where, trust) as client:
            self.assertEqual(client.json("/x"), (200, 1))

    def test_a_bad_script_is_refused(self):
        self.assertIsNone(self.start({"routes": [{"path": "/x", "answrs": []}]}))
        self.assertEqual(self.process.wait(20), 2)
        self.assertIn(b"answrs", self.process.stderr.read())


if __name__ == "__main__":
    unittest.main()
