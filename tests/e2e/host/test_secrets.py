"""Where secrets must not be: the log, the API, the list of processes, what a core dump holds."""

import json
import os
import re

from e2e.lib import env
from e2e.lib.access import kubeconfig
from e2e.lib.case import KindredTest, main

TOKEN = "tok-that-nobody-else-has-7f3a"


def dumped(pid, needle):
    """Regions of a process's memory that a core dump would hold and that hold `needle`."""
    found = []
    with open(f"/proc/{pid}/smaps", encoding="ascii") as file:
        text = file.read()
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for region in re.split(r"\n(?=[0-9a-f]+-[0-9a-f]+ )", text):
            head, flags = region.split("\n")[0], region.split("VmFlags:")[1].split()
            start, end = (int(x, 16) for x in head.split()[0].split("-"))
            if "dd" in flags or "rd" not in flags or "io" in flags or head.endswith("[vvar]"):
                continue
            memory.seek(start)
            count = memory.read(end - start).count(needle)
            if count:
                found.append((head, count))
    return found


class Secrets(KindredTest):
    def begin(self):
        cluster = self.fake(tls=True, pods=2)
        host = self.host(cluster, log={"level": "debug", "format": "json"})
        kubeconfig(os.path.join(host.folder, "kubeconfig"), cluster.url,
                   {"certificate-authority": cluster.server.tls.ca}, {"token": TOKEN})
        return cluster, host.start().wait_ready()

    def test_a_token_is_nowhere_to_be_read(self):
        _, host = self.begin()
        self.assertNotIn(TOKEN, host.log_text())
        self.assertNotIn(TOKEN, json.dumps([host.kinds(), host.plugins(), host.resources()]))
        self.assertNotIn(TOKEN, host._metrics.get("/metrics").text)
        with open(f"/proc/{host.process.pid}/cmdline", encoding="utf-8") as file:
            self.assertNotIn(TOKEN, file.read())
        with open(f"/proc/{host.process.pid}/environ", encoding="utf-8") as file:
            self.assertNotIn(TOKEN, file.read())

    def test_a_core_dump_has_no_token(self):
        if env.SANITIZER:
            self.skipTest("a sanitizer keeps memory in its own way")
        cluster, host = self.begin()
        cluster.log.wait(1, path="/api/v1/pods", verb="watch")
        self.assertEqual(dumped(host.process.pid, TOKEN.encode()), [])


if __name__ == "__main__":
    main()
