"""Where secrets must not be: the log, the API, the list of processes."""

import json
import os

from e2e.lib.access import kubeconfig
from e2e.lib.case import KindredTest, main

TOKEN = "tok-that-nobody-else-has-7f3a"


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


if __name__ == "__main__":
    main()
