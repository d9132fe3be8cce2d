"""`kindredctl rbac` prints what a configuration needs: no rule too many, none too few."""

import subprocess

from e2e.lib import env
from e2e.lib.case import KindredTest, main

FOLDERS = {"extra": [env.test_plugin_folder()]}
READ = '"get", "list", "watch"'


def rules_of(text):
    """{(kind of role, namespace): [(group, resources, names, verbs)]}, of the YAML."""
    found = {}
    for document in text.split("---\n")[1:]:
        lines = document.splitlines()
        kind = next(line for line in lines if line.startswith("kind:")).split()[1]
        if kind.endswith("Binding"):
            continue
        ns = [line.split()[1].strip('"') for line in lines if line.startswith("  namespace:")]
        rules = []
        for line in lines:
            key, _, value = line.strip(" -").partition(": ")
            if key == "apiGroups":
                rules.append([value.strip('[]"'), "", "", ""])
            elif key in ("resources", "resourceNames", "verbs") and rules:
                at = 1 + ("resources", "resourceNames", "verbs").index(key)
                rules[-1][at] = value.strip("[]")
        found[(kind, *ns)] = [tuple(rule) for rule in rules]
    return found


class Rbac(KindredTest):
    def printed(self, kinds, *words, **over):
        host = self.host(None, kinds, **over)
        done = subprocess.run(
            [env.program("kindredctl"), "rbac", "--config", host.config_path, *words],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, env=host.environment(),
            timeout=env.scaled(30))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_kinds_and_election(self):
        text = self.printed(["node", "pod", "deployment"], leader={"enabled": True})
        self.assertEqual(rules_of(text), {
            ("ClusterRole",): [
                ("", '"nodes", "pods"', "", READ),
                ("", '"namespaces"', '"kube-system"', '"get"'),
                ("apps", '"deployments"', "", READ)],
            ("Role", "antimetal-system"): [
                ("coordination.k8s.io", '"leases"', "", '"create"'),
                ("coordination.k8s.io", '"leases"', '"antimetal-agent-leader"',
                 '"get", "update", "watch"'),
                ("events.k8s.io", '"events"', "", '"create", "patch"')]})
        self.assertEqual(text.count('name: "antimetal-agent"'), 4 + 2 + 2)
        self.assertEqual(text.count('    namespace: "antimetal-system"'), 2)

    def test_without_election_and_with_namespaces_read_as_a_kind(self):
        self.assertEqual(rules_of(self.printed(["namespace"])),
                         {("ClusterRole",): [("", '"namespaces"', "", READ)]})

    def test_namespaces_become_roles_where_no_other_entry_reads_all(self):
        text = self.printed([{"plugin": "pod", "namespaces": ["web", "db"],
                              "exclude_namespaces": ["db"]},
                             {"plugin": "service", "namespaces": ["web"]},
                             {"plugin": "node", "namespaces": ["web"]},
                             {"plugin": "secret", "enabled": False},
                             {"plugin": "observer", "name": "o", "namespaces": ["web", "ops"]}],
                            plugins=FOLDERS)
        nodes = [("", '"nodes"', "", READ), ("", '"namespaces"', '"kube-system"', '"get"')]
        self.assertEqual(rules_of(text), {
            ("ClusterRole",): nodes,
            ("Role", "ops"): [("", '"pods"', "", READ)],
            ("Role", "web"): [("", '"pods", "services"', "", READ)]})
        text = self.printed(["pod", "node", {"plugin": "observer", "namespaces": ["web"]}],
                            plugins=FOLDERS)
        self.assertEqual(rules_of(text), {
            ("ClusterRole",): [("", '"nodes", "pods"', "", READ), nodes[1]]})

    def test_a_kind_that_comes_from_settings(self):
        kind = {"group": "example.org", "version": "v1", "kind": "Widget", "resource": "widgets"}
        rules = rules_of(self.printed([{"plugin": "custom", "settings": kind}]))
        self.assertIn(("example.org", '"widgets"', "", READ), rules[("ClusterRole",)])

    def test_names_are_chosen(self):
        text = self.printed(["pod"], "--name", "reader", "--namespace", "ops")
        self.assertIn('  - kind: ServiceAccount\n    name: "reader"\n    namespace: "ops"\n', text)
        self.assertNotIn("antimetal", text)

    def test_a_bad_configuration_prints_no_rules(self):
        host = self.host(None, ["no-such-plugin"])
        code, out, err = host.once("rbac")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("no-such-plugin", err)


if __name__ == "__main__":
    main()
