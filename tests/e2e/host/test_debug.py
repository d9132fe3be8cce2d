"""`kindredctl debug bundle` and what it is made of."""

import os
import re
import signal
import subprocess
import tarfile

from e2e.lib import env, prom
from e2e.lib.case import KindredTest, main

PARTS = ["cache.json", "config.txt", "kinds.json", "metrics.txt", "plugins.json", "queues.json",
         "stacks.txt", "versions.txt"]


class Debug(KindredTest):
    def setUp(self):
        super().setUp()
        self.target = self.started(self.fake(pods=10), [
            "pod", {"plugin": "custom", "name": "w", "settings": {
                "group": "example.org", "version": "v1", "kind": "Secretish",
                "resource": "secretishes"}}], environ={"KINDRED_LOG_LEVEL": "warn"})
        self.target.wait_stored("Pod", 10)

    def test_queues_and_cache(self):
        rows = {row["kind"]: row for row in self.target.api.json("/debug/cache")["items"]}
        self.assertEqual((rows["Pod"]["objects"], rows["Pod"]["stored"]), (10, 10))
        self.assertGreater(rows["Pod"]["jsonBytes"], 10 * 100)
        self.assertGreater(rows["Pod"]["bytes"], 0)
        rows = {row["kind"]: row for row in self.target.api.json("/debug/queues")["items"]}
        self.assertEqual((rows["Pod"]["ready"], rows["Pod"]["delayed"]), (0, 0))

    def test_the_configuration_is_whole_but_for_secrets_and_reads_back(self):
        text = self.target.api.get("/debug/config").text
        self.assertIn('level = "warn"', text)
        self.assertNotIn("example.org", text)
        self.assertIn('group = "(hidden)"', text)
        with open(os.path.join(env.SOURCE, "docs", "configuration.md"), encoding="utf-8") as file:
            table = file.read().split("<!-- keys: begin -->")[1]
        keys = re.findall(r"^\| `(\w+)` \|", table, re.M)
        for key in keys:
            self.assertRegex(text, rf"(?m)^ *{key} = ")
        plain = self.started(self.fake(), ["pod", "node"]).wait_api()
        again = self.host(None, text=plain.api.get("/debug/config").text)
        code, out, err = again.once("check")
        self.assertEqual(code, 0, out + err)

    def test_every_thread_tells_where_it_is(self):
        for _ in range(20):
            text = self.target.api.get("/debug/stacks").text
            tasks = os.listdir(f"/proc/{self.target.process.pid}/task")
            told = re.findall(r"^thread (\d+) ", text, re.M)
            self.assertEqual(sorted(told), sorted(tasks))
            self.assertNotIn("no answer", text)
            names = set(re.findall(r"^thread \d+ ([\w-]+)", text, re.M))
            self.assertLessEqual(
                {"kindred", "kd-io", "kd-http", "kd-query", "kd-store", "kd-timer"}, names)
            self.assertGreater(text.count("    "), 3 * len(tasks))
        self.assertEqual(self.target.health.get("/healthz").status, 200)

    def test_a_signal_makes_the_log_talk_and_another_makes_it_quiet(self):
        for level in ("debug", "warn", "debug"):
            before = len(self.target.logged("set by SIGUSR1"))
            self.target.signal(signal.SIGUSR1)
            self.target.until(lambda n=before: len(self.target.logged("set by SIGUSR1")) > n,
                              describe="the signal's line")
            self.assertIn(f'"level":"{level}"', self.target.logged("set by SIGUSR1")[-1])
        self.target.until(lambda: self.target.logged('"level":"debug"', '"msg":"request"'),
                          30, "a line at debug")
        self.assertEqual(self.target.stop(), 0)

    def test_a_bundle(self):
        path = self.path("bundle.tar")
        code, out, err = self.target.ctl("debug", "bundle", path)
        self.assertEqual(code, 0, err)
        self.assertIn(path, out)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        listed = subprocess.run(["tar", "-tf", path], capture_output=True, text=True, check=True)
        self.assertEqual(sorted(listed.stdout.split()), [f"kindred-debug/{p}" for p in PARTS])
        with tarfile.open(path) as archive:
            texts = {os.path.basename(m.name): archive.extractfile(m).read().decode()
                     for m in archive.getmembers()}
        self.assertIn("workqueue_depth", prom.parse(texts["metrics.txt"]))
        self.assertIn("kindred 0.1.0", texts["versions.txt"])
        self.assertIn('"kind":"Pod"', texts["kinds.json"])
        self.assertNotIn("example.org", texts["config.txt"])
        code, _, err = self.target.ctl("debug", "bundle", path)
        self.assertEqual(code, 1)
        self.assertIn("exists", err)
        self.assertEqual(self.target.ctl("debug", "nothing", path)[0], 2)


if __name__ == "__main__":
    main()
