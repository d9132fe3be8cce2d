"""The health endpoints: their format, excludes, sub-paths."""

from e2e.lib.case import PAGED, KindredTest, main


class Health(KindredTest):
    def setUp(self):
        super().setUp()
        self.cluster = self.fake(pods=1)

    def get(self, host, target):
        reply = host.health.request("GET", target)
        return reply.status, reply.text

    def test_success_is_ok(self):
        host = self.ready(self.cluster, ["pod", "node"], defaults=PAGED)
        self.assertEqual(self.get(host, "/healthz"), (200, "ok"))
        self.assertEqual(self.get(host, "/readyz"), (200, "ok"))
        for path, word in (("/healthz", "healthz"), ("/readyz", "readyz")):
            status, text = self.get(host, f"{path}?verbose")
            self.assertEqual(status, 200)
            *checks, last = text.strip().split("\n")
            self.assertEqual(last, f"{word} check passed")
            self.assertTrue(checks)
            for line in checks:
                self.assertRegex(line, r"^\[\+\]\S+ ok$")
            self.assertEqual(checks, sorted(checks))

    def check_names(self, host):
        text = self.get(host, "/readyz?verbose")[1]
        return [line[3:].split(" ")[0] for line in text.splitlines() if line.startswith("[")]

    def test_one_check_per_kind_leader_and_store(self):
        host = self.ready(self.cluster, ["pod", "node"], defaults=PAGED)
        names = " ".join(self.check_names(host)).lower()
        for word in ("pod", "node", "leader", "store"):
            self.assertIn(word, names)

    def test_failure_is_verbose_and_names_the_kind(self):
        self.cluster.forbid("Node")
        host = self.started(self.cluster, ["pod", "node"], defaults=PAGED)
        host.wait_state("Pod", "synced")
        host.wait_state("Node", "forbidden")
        status, text = self.get(host, "/readyz")
        self.assertEqual(status, 500)
        lines = text.strip().split("\n")
        self.assertEqual(lines[-1], "readyz check failed")
        failed = [line for line in lines if line.startswith("[-]")]
        self.assertEqual(len(failed), 1, text)
        self.assertRegex(failed[0], r"(?i)^\[-\]\S*node\S* failed: .*forbidden")
        self.assertEqual(self.get(host, "/healthz"), (200, "ok"))
        name = failed[0][3:].split(" ")[0]
        self.assertEqual(self.get(host, f"/readyz?exclude={name}"), (200, "ok"))
        text = self.get(host, f"/readyz?verbose&exclude={name}")[1]
        self.assertIn(f"[+]{name} excluded: ok", text)
        self.assertEqual(self.get(host, f"/readyz/{name}")[0], 500)

    def test_an_unknown_exclude_is_a_warning(self):
        host = self.ready(self.cluster, defaults=PAGED)
        status, text = self.get(host, "/readyz?verbose&exclude=nonesuch")
        self.assertEqual(status, 200)
        self.assertRegex(text, r"(?i)warn.*nonesuch")

    def test_sub_paths(self):
        host = self.ready(self.cluster, defaults=PAGED)
        for name in self.check_names(host):
            self.assertEqual(self.get(host, f"/readyz/{name}"), (200, "ok"), name)
        self.assertEqual(self.get(host, "/readyz/nonesuch")[0], 404)
        self.assertEqual(self.get(host, "/nonesuch")[0], 404)

    def test_a_kind_that_turns_forbidden_keeps_what_is_known(self):
        host = self.ready(self.cluster, defaults=PAGED)
        self.cluster.forbid("Pod")
        self.cluster.close_watches("Pod")
        host.wait_state("Pod", "forbidden")
        self.assertEqual(len(host.names("Pod")), 1)
        self.assertIn("403", self.get(host, "/readyz")[1])
        self.cluster.heal("Pod")
        host.wait_ready(90)
        self.assertEqual(host.kind("Pod")["state"], "synced")

    def test_a_kind_that_is_not_served(self):
        self.cluster.unserve("Node")
        host = self.started(self.cluster, ["pod", "node"], defaults=PAGED)
        host.wait_state("Node", "notServed")
        self.assertIn("404", self.get(host, "/readyz")[1])

    def test_off(self):
        host = self.host(self.cluster, health={"bind": "0"}, metrics={"bind": "0"},
                         defaults=PAGED)
        host.start().wait_api()
        host.wait_stored("Pod", 1)
        with self.assertRaises(OSError):
            host.health.get("/healthz")

    def test_a_port_that_is_taken(self):
        first = self.ready(self.cluster, defaults=PAGED)
        bind = f"127.0.0.1:{first.ports['health']}"
        second = self.host(self.cluster, health={"bind": bind}, defaults=PAGED)
        code, out, err = second.once("run")
        self.assertIn(code, (1, 2))
        self.assertIn(bind, out + err)


if __name__ == "__main__":
    main()
