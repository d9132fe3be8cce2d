"""B49: one run of the credential program for all; renewed at its end and on 401; no storm."""

import math
import os
from datetime import datetime, timedelta, timezone

from e2e.lib.access import Program, kubeconfig
from e2e.lib.case import ALL, PAGED, KindredTest, main
from wire import PASS


def in_seconds(seconds):
    return (datetime.now(timezone.utc) + timedelta(seconds=seconds)).strftime(
        "%Y-%m-%dT%H:%M:%SZ")


class Expiry(KindredTest):
    def begin(self, *answers):
        cluster = self.fake(tls=True, pods=3)
        program = Program(self.path("program"), *answers)
        host = self.host(cluster, kinds=ALL, defaults=PAGED)
        kubeconfig(os.path.join(host.folder, "kubeconfig"), cluster.url,
                   {"certificate-authority": cluster.server.tls.ca}, program.user())
        return cluster, program, host

    def accept_only(self, cluster, tokens):
        """Another token meets a 401. Returns the list of what each request brought."""
        seen = []

        def check(request):
            seen.append(request.headers.get("authorization"))
            if seen[-1] in [f"Bearer {token}" for token in tokens]:
                return PASS
            return {"status_object": {"code": 401, "reason": "Unauthorized"}}
        cluster.override("GET", "*", check)
        return seen

    def test_a_401_renews_and_the_requests_are_sent_again(self):
        """Every kind's first requests meet a 401 with t1, all at once, and none is lost."""
        cluster, program, host = self.begin({"token": "t1"}, {"token": "t2"})
        tokens = {"t1"}
        seen = self.accept_only(cluster, tokens)
        host.start().wait_ready()
        self.assertEqual(len(program.runs()), 1)
        tokens.clear()
        tokens.add("t2")
        cluster.server.drop_connections()
        host.until(lambda: "Bearer t2" in seen, 30, "a request with the new token")
        host.until(lambda: len(cluster.log.all()) and seen.count("Bearer t2") >= len(ALL), 40,
                   "every kind back")
        self.assertEqual(len(program.runs()), 2)
        self.assertEqual(host.logged("Unauthorized"), [])

    def test_it_is_renewed_before_its_end(self):
        cluster, program, host = self.begin({"token": "t1", "expirationTimestamp": in_seconds(5)},
                                            {"token": "t2"})
        seen = self.accept_only(cluster, {"t1", "t2"})
        host.start().wait_ready()
        self.assertEqual(len(program.runs()), 1)
        host.until(lambda: (cluster.close_watches("Pod"), "Bearer t2" in seen)[1], 30, "t2")
        self.assertEqual(len(program.runs()), 2)
        self.assertEqual(host.metrics().value("rest_client_exec_plugin_call_total", code="0",
                                              call_status="no_error"), 2)
        self.assertEqual(host.metrics().value("rest_client_exec_plugin_ttl_seconds"), math.inf)

    def test_an_expiry_in_the_past_is_no_storm(self):
        cluster, program, host = self.begin(
            {"token": "t1", "expirationTimestamp": "1970-01-01T00:00:00Z"})
        seen = self.accept_only(cluster, {"t1"})
        host.start().wait_ready()
        host.until(lambda: len(seen) >= 2 * len(ALL), 20, "list and watch of every kind")
        self.assertLessEqual(len(program.runs()), 2, "one run for the requests of its moment")

    def test_a_failing_program_is_told_and_tried_again(self):
        cluster, program, host = self.begin({})
        host.start().wait_api()
        host.until(lambda: host.logged("no credentials"), 20, "the warning")
        self.assertIn("neither token nor certificate", host.kind("Pod")["lastError"])
        program.answer(0, {"token": "t1"})
        host.wait_ready()
        self.assertEqual(len(host.logged("no credentials")), 1)


if __name__ == "__main__":
    main()
