"""`kindred check --cluster`: each step told, what to do when not, and the exit code."""

import json
import os

from e2e.lib.access import kubeconfig
from e2e.lib.case import KindredTest, free_ports, main

REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


class CheckCluster(KindredTest):
    def begin(self, kinds=("pod", "node"), cluster=None, user=None, deny=(), leader=None,
              **options):
        fake = self.fake(tls=True, pods=1, **options)
        asked = []

        def answer(request):
            what = json.loads(request.body)["spec"]["resourceAttributes"]
            asked.append((what["verb"], what["resource"], what["namespace"]))
            return {"status": 201, "json": {"status": {
                "allowed": (what["verb"], what["resource"]) not in deny}}}
        fake.override("POST", REVIEW, answer)
        fake.override("GET", "/version", {"json": {"gitVersion": "v1.36.0"}})
        host = self.host(fake, kinds=kinds, leader=leader or {"enabled": False})
        kubeconfig(os.path.join(host.folder, "kubeconfig"), fake.url,
                   {"certificate-authority": fake.server.tls.ca, **(cluster or {})},
                   user or {"token": "secret-token"})
        return fake, host, asked

    def check(self, host, code, *words):
        got, out, err = host.once("check", "--cluster")
        self.assertEqual(got, code, out + err)
        said = " ".join(out.split())
        for word in words:
            self.assertIn(word, said)
        self.assertNotIn("secret-token", out + err)
        return said

    def test_all_is_well(self):
        fake, host, asked = self.begin(
            kinds=[{"plugin": "pod", "namespaces": ["web", "db"]}, "node"])
        self.check(host, 0, f"found in {host.folder}/kubeconfig, context x", f"server {fake.url}",
                   f"trust {fake.server.tls.ca}", "credentials token of user u",
                   "connection yes, v1.36.0", "kinds are served", "Pod yes, list and watch",
                   "Node yes, list and watch")
        self.assertEqual(asked, [("list", "pods", "web"), ("watch", "pods", "web"),
                                 ("list", "pods", "db"), ("watch", "pods", "db"),
                                 ("list", "nodes", ""), ("watch", "nodes", "")])
        self.assertEqual(fake.log.lists("/api/v1/pods"), [])

    def test_a_missing_verb_is_told(self):
        _, host, _ = self.begin(deny={("watch", "pods")})
        said = self.check(host, 1, "Pod no: may not watch pods; grant it",
                          "Node yes, list and watch")
        self.assertNotIn("Pod yes", said)

    ELECTION = [("get", "leases"), ("create", "leases"), ("update", "leases"),
                ("watch", "leases"), ("create", "events"), ("patch", "events")]

    def test_the_elections_rights_are_asked_for_in_its_namespace(self):
        _, host, asked = self.begin(leader={"enabled": True, "namespace": "ours", "name": "l"})
        self.check(host, 0, "leader yes, the lease l in namespace ours")
        self.assertEqual(asked[-6:], [(*what, "ours") for what in self.ELECTION])

    def test_a_right_that_the_election_needs(self):
        for what in self.ELECTION[:3]:
            with self.subTest(what):
                _, host, _ = self.begin(deny={what}, leader={"enabled": True, "namespace": "ours"})
                said = self.check(host, 1, f"leader no: may not {what[0]} leases."
                                  "coordination.k8s.io in namespace ours; grant it by a Role")
                self.assertNotIn("leader yes", said)

    def test_a_right_that_the_election_can_miss(self):
        _, host, _ = self.begin(deny={("watch", "leases"), ("create", "events")},
                                leader={"enabled": True, "namespace": "ours"})
        self.check(host, 0, "may not watch leases.coordination.k8s.io in namespace ours: a "
                   "follower looks", "may not create events.events.k8s.io in namespace ours: no "
                   "event tells", "leader yes")

    def test_without_an_election_no_lease_is_asked_for(self):
        _, host, asked = self.begin()
        self.check(host, 0, "Pod yes")
        self.assertNotIn("leases", [resource for _, resource, _ in asked])

    def test_a_kind_that_moved_is_told_with_its_version(self):
        _, host, _ = self.begin_moved()
        self.check(host, 1, "Deployment no: apps/v1 is not served, but the version v2")

    def begin_moved(self):
        fake, host, asked = self.begin(kinds=["deployment"])
        fake.override("GET", "/apis", {"json": {
            "kind": "APIGroupList", "groups": [{"name": "apps", "versions": [
                {"groupVersion": "apps/v2", "version": "v2"}],
                "preferredVersion": {"groupVersion": "apps/v2", "version": "v2"}}]}})
        fake.override("GET", "/apis/apps/v2", {"json": {
            "kind": "APIResourceList", "groupVersion": "apps/v2", "resources": [
                {"name": "deployments", "kind": "Deployment", "namespaced": True},
                {"name": "deployments/status", "kind": "Deployment", "namespaced": True}]}})
        return fake, host, asked

    def test_credentials_that_are_not_known(self):
        fake, host, _ = self.begin()
        fake.server.routes.add("GET", "/version", {"status_object": {
            "code": 401, "reason": "Unauthorized"}}, first=True)
        self.check(host, 1, "authentication no:", "log in again")

    def test_a_server_of_another_ca(self):
        other = self.fake(tls=True)
        _, host, _ = self.begin(cluster={"certificate-authority": other.server.tls.ca})
        self.check(host, 1, "connection no:", "CN = wire-server",
                   "unable to get local issuer certificate")

    def test_a_server_that_is_away_by_a_proxy_that_is_away(self):
        closed = free_ports("closed")["closed"]
        _, host, _ = self.begin(cluster={"proxy-url": f"http://me:pw@127.0.0.1:{closed}"})
        said = self.check(host, 1, f"proxy http://127.0.0.1:{closed}, from proxy-url",
                          "connection no:", "look at server, proxy")
        self.assertNotIn("pw@", said)

    def test_no_cluster_at_all(self):
        host = self.host(None)
        self.check(host, 2, "cluster no:", "kubeconfig")


if __name__ == "__main__":
    main()
