"""kindred as its own service account, with the chart's rules and configuration, on an API server
that writes an audit log: everything works, nothing is refused, and no rule is there for nothing."""

import http.client
import json
import os
import shutil
import tempfile
import unittest

from e2e.cluster import manifests
from e2e.cluster.manifests import HELM, configuration, one, rights, template
from e2e.cluster.real import TOOLS, RealTest
from e2e.lib import env, yamls
from e2e.lib.access import kubeconfig
from e2e.lib.case import KindredTest, free_ports, main
from e2e.lib.kindred import Kindred
from e2e.lib.waiting import wait_until
from wire.tls import Files

SYSTEM = manifests.SYSTEM
NAME = "antimetal-agent"
ACCOUNT = f"system:serviceaccount:{SYSTEM}:{NAME}"
LEASE = "antimetal-agent-leader"
POLICY = """
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [ RequestReceived ]
rules: [ { level: Metadata } ]
"""
NAMESPACE = """
apiVersion: v1
kind: Namespace
metadata: { name: antimetal-system }
"""
WIDGETS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.org }
spec:
  group: example.org
  scope: Cluster
  names: { kind: Widget, plural: widgets, singular: widget }
  versions:
  - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }
"""


READER = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: kindred-reader }
rules:
- { nonResourceURLs: [ "/metrics", "/api/v1/*" ], verbs: [ get ] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: kindred-reader }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: kindred-reader }
subjects: [ { kind: ServiceAccount, name: reader, namespace: antimetal-system } ]
"""


@unittest.skipUnless(os.access(HELM, os.X_OK), "Helm is not built: run tests/charts/build")
class Rights(RealTest, KindredTest):
    @classmethod
    def api_args(cls):
        cls.audit = tempfile.mkdtemp(prefix="kd-audit-")
        cls.addClassCleanup(shutil.rmtree, cls.audit)
        with open(os.path.join(cls.audit, "policy.yaml"), "w", encoding="utf-8") as file:
            file.write(POLICY)
        return (f"--audit-policy-file={cls.audit}/policy.yaml",
                f"--audit-log-path={cls.audit}/log")

    def audited(self):
        """What the account has asked for: the audit log's entries."""
        with open(os.path.join(self.audit, "log"), encoding="utf-8") as file:
            entries = [json.loads(line) for line in file if line.endswith("\n")]
        return [e for e in entries if e["user"].get("username") == ACCOUNT]

    def used(self):
        """{(group, resource, verb)} of what was asked for and allowed."""
        found = set()
        for entry in self.audited():
            what = entry.get("objectRef", {})
            if entry.get("responseStatus", {}).get("code", 0) in (200, 201):
                found.add((what.get("apiGroup", ""), what.get("resource", ""), entry["verb"]))
        return found

    def install(self, values):
        """Applies what the chart gives but its pods; waits until the rules count."""
        documents = template(values)
        self.real.apply(NAMESPACE)
        self.real.apply("---\n".join(yamls.dump(d) for d in documents
                                     if d["kind"] not in ("Deployment", "ServiceMonitor")))
        for rule in rights(documents)[0]:
            self.wait_allowed(*rule)
        return documents

    def wait_allowed(self, ns, group, resource, name, verb):
        what = resource + (f".{group}" if group else "") + (f"/{name}" if name else "")
        scope = ["-n", ns] if ns else ["-A"] if not name else []

        def allowed():
            try:
                return self.real.kubectl("auth", "can-i", verb, what, *scope, "--as", ACCOUNT)
            except AssertionError:
                return False
        wait_until(allowed, 60, f"the right to {verb} {what}")

    def replica(self, name, documents, **environ):
        """One pod of the Deployment: its configuration, with places of its own."""
        folder = self.path(name)
        os.makedirs(folder)
        ports = free_ports("health", "metrics")
        with open(os.path.join(folder, "token"), "w", encoding="utf-8") as file:
            file.write(self.real.kubectl("-n", SYSTEM, "create", "token", NAME))
        view = json.loads(self.real.kubectl("config", "view", "--raw", "-o", "json"))
        access = kubeconfig(os.path.join(folder, "kubeconfig"),
                            view["clusters"][0]["cluster"]["server"],
                            {"certificate-authority": os.path.join(self.real.folder, "pki/ca.crt")},
                            {"tokenFile": os.path.join(folder, "token")})
        host = Kindred(folder, configuration(documents), ports, {
            "KINDRED_CLUSTER_KUBECONFIG": access,
            "KINDRED_LEADER_IDENTITY": name,
            "KINDRED_STORE_PATH": os.path.join(folder, "graph.db"),
            "KINDRED_API_BIND": f"unix:{folder}/api.sock",
            "KINDRED_HEALTH_BIND": f"127.0.0.1:{ports['health']}",
            "KINDRED_METRICS_BIND": f"127.0.0.1:{ports['metrics']}",
            "KINDRED_PLUGINS_DIRECTORY": os.path.join(env.BUILD, "plugins"), **environ})
        self._hosts.append(host)
        self.addCleanup(host.collect)
        return host.start()

    def steal_the_lease(self, host):
        """Somebody else takes it for a second, so that the leader stops and leads again."""
        self.real.kubectl("-n", SYSTEM, "patch", "lease", LEASE, "--type=merge", "-p", json.dumps(
            {"spec": {"holderIdentity": "somebody", "leaseDurationSeconds": 1}}))
        host.until(lambda: host.logged("stopped leading"), 60, "the end of the lead")
        host.until(lambda: len(host.logged("became leader")) == 2, 60, "the lead again")

    def assert_nothing_refused(self):
        self.assertEqual([e for e in self.audited() if e["responseStatus"].get("code") == 403], [])

    def test_some_namespaces_only(self):
        for name in ("web", "ops"):
            self.real.apply(NAMESPACE.replace(SYSTEM, name))
            self.real.kubectl("-n", name, "create", "service", "clusterip", f"of-{name}",
                              "--tcp=80")
        values = os.path.join(env.SOURCE, "tests", "charts", "values", "namespaces.yaml")
        host = self.replica("only", self.install(values)).wait_ready(90)
        host.until(lambda: host.names("Service") == ["of-web"], 60, "the Service")
        self.assertEqual(host.stop(), 0)
        self.assert_nothing_refused()

    def token(self, name):
        self.real.kubectl("-n", SYSTEM, "create", "serviceaccount", name)
        return self.real.kubectl("-n", SYSTEM, "create", "token", name)

    def scrape(self, host, files, token):
        conn = http.client.HTTPSConnection("127.0.0.1", host.ports["metrics"],
                                           timeout=env.scaled(60), context=files.client_context())
        try:
            conn.request("GET", "/metrics", headers={"Authorization": f"Bearer {token}"})
            got = conn.getresponse()
            got.read()
            return got.status
        finally:
            conn.close()

    def test_metrics_for_those_whom_the_cluster_lets_in(self):
        values = os.path.join(env.SOURCE, "tests", "charts", "values", "authenticated.yaml")
        files = Files(self.path("tls"))
        host = self.replica("guarded", self.install(values),
                            KINDRED_METRICS_TLS_CERT=files.path("server.crt"),
                            KINDRED_METRICS_TLS_KEY=files.path("server.key"),
                            KINDRED_API_TLS_CERT="", KINDRED_API_TLS_KEY="").wait_ready(90)
        self.real.apply(READER)
        reader, guest = self.token("reader"), self.token("guest")
        self.assertEqual(self.scrape(host, files, "no.such.token"), 401)
        self.assertEqual(self.scrape(host, files, guest), 403)
        wait_until(lambda: self.scrape(host, files, reader) == 200, 90, "the reader's scrape")
        self.assertEqual(host.stop(), 0)
        self.assertLessEqual({("authentication.k8s.io", "tokenreviews", "create"),
                              ("authorization.k8s.io", "subjectaccessreviews", "create")},
                             self.used())
        self.assert_nothing_refused()

    def test_everything_works_and_nothing_is_refused(self):
        self.real.apply(WIDGETS)
        self.real.kubectl("apply", "-f", os.path.join(TOOLS, "workload.yaml"))
        values = os.path.join(env.SOURCE, "tests", "charts", "values", "all-kinds.yaml")
        documents = self.install(values)
        first = self.replica("first", documents).wait_ready(90)
        self.steal_the_lease(first)
        first.wait_ready(90)
        second = self.replica("second", documents).wait_ready(90)
        self.assertEqual(second.api.get("/api/v1/kinds").status, 503)
        self.real.rollout("deployment/web")
        first.until(lambda: first.relations(predicate="PodNodeBinding"), 60, "pods on nodes")

        self.assertEqual(first.stop(), 0)
        second.until(lambda: second.api.get("/api/v1/kinds").status == 200, 60, "the take-over")
        second.wait_ready(90)
        self.assertEqual({k["state"] for k in second.kinds().values()}, {"synced"})
        self.assertEqual(len(second.kinds()),
                         configuration(documents).count("plugin ="))

        granted = {(group, resource, verb) for _, group, resource, _, verb in rights(documents)[0]}
        # Single objects are read only where a process was killed with work at hand.
        seldom = {rule for rule in granted if rule[2] == "get" and rule[1] not in
                  ("leases", "namespaces")}
        # Kinds that a streaming list brings are not asked for by a plain one.
        streamed = {rule for rule in granted if rule[2] == "list"}
        wait_until(lambda: granted - self.used() <= seldom | streamed, 60,
                   "every rule to be used")
        self.assert_nothing_refused()
        self.assertNotIn("get", {v for g, r, v in self.used() if r == "secrets"})
        account = one(documents, "ServiceAccount")["metadata"]
        self.assertEqual((account["namespace"], account["name"]), (SYSTEM, NAME))


if __name__ == "__main__":
    main()
