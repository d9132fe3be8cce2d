"""Five thousand pods arrive in the graph in one sync."""

import json
import sys
import time

from e2e.cluster.real import GraphTest
from e2e.lib.case import main

COUNT = 5000


class Many(GraphTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.real.program("load", "pods", "--count", str(COUNT), "--namespace", "load", "--wait",
                         timeout=400)

    def test_five_thousand_pods(self):
        begin = time.monotonic()
        host = self.watcher().start().wait_ready(120)
        host.wait_stored("Pod", COUNT, 120)
        took = time.monotonic() - begin
        self.assertEqual(host.kind("Pod")["objects"], COUNT)

        code, out, err = host.ctl("get", "pods", "-n", "load", "-o", "json", timeout=120)
        self.assertEqual(code, 0, err)
        listed = json.loads(out)
        self.assertEqual(len(listed["items"] if isinstance(listed, dict) else listed), COUNT)

        self.assert_same_graph(host, "after five thousand pods", timeout=240)
        print(f"{COUNT} pods in {took:.1f} s, {host.memory_kb() // 1024} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
