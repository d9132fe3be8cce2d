"""Chart and kustomize folders: rendered by the real tools, taken by the real API server."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from e2e.cluster import manifests
from e2e.cluster.manifests import HELM, SETS, configuration, one, rights, template
from e2e.cluster.real import PROGRAM, RealTest
from e2e.lib import env, yamls
from e2e.lib.case import KindredTest, main

sys.path.insert(0, os.path.join(env.SOURCE, "deploy", "lib"))
import manifests as made_of  # noqa: E402

SERVICE_MONITORS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: servicemonitors.monitoring.coreos.com }
spec:
  group: monitoring.coreos.com
  scope: Namespaced
  names: { kind: ServiceMonitor, plural: servicemonitors, singular: servicemonitor }
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: { type: object, x-kubernetes-preserve-unknown-fields: true }
"""
NAMESPACE = """
apiVersion: v1
kind: Namespace
metadata:
  name: "%s"
  labels:
    pod-security.kubernetes.io/enforce: restricted
    pod-security.kubernetes.io/warn: restricted
"""


def set_name(path):
    return os.path.basename(path).removesuffix(".yaml")


@unittest.skipUnless(os.access(HELM, os.X_OK), "Helm is not built: run tests/charts/build")
class Rendered(KindredTest):
    def granted(self, config, *words):
        """What `kindred rbac` prints of a rendered configuration."""
        folder = os.path.join(env.BUILD, "tests", "plugins")
        for name in ("settings", "more"):
            config = config.replace(f'"/plugins/{name}"', f'"{folder}"')
        host = self.host(None, text=config, environ={
            "KINDRED_PLUGINS_DIRECTORY": os.path.join(env.BUILD, "plugins")})
        code, out, err = host.once("rbac", *words)
        self.assertEqual(code, 0, err)
        return rights(yamls.documents(out))

    def test_lint(self):
        self.assertGreaterEqual(len(SETS), 10)
        for path in SETS:
            code, out, err = manifests.helm("lint", "--strict", manifests.CHART, "--values", path,
                                            "--kube-version", "1.36.3")
            self.assertEqual(code, 0, f"{path}: {out}{err}")

    def test_rules_are_those_of_the_configuration(self):
        for path in SETS:
            with self.subTest(values=set_name(path)):
                documents = template(path)
                account = one(documents, "Deployment")["spec"]["template"]["spec"][
                    "serviceAccountName"]
                name = one(documents, "ClusterRole")["metadata"]["name"]
                rules, bound = self.granted(configuration(documents), "--name", name,
                                            "--namespace", manifests.SYSTEM)
                self.assertEqual(rights(documents), (rules, {
                    (*role, account) for *role, _ in bound}))

    def test_pods_are_confined(self):
        for path in SETS:
            pod = one(template(path), "Deployment")["spec"]["template"]["spec"]
            with self.subTest(values=set_name(path)):
                self.assertIs(pod["enableServiceLinks"], False)
                self.assertIs(pod["securityContext"]["runAsNonRoot"], True)
                self.assertEqual(pod["securityContext"]["seccompProfile"],
                                 {"type": "RuntimeDefault"})
                for container in pod["containers"] + pod.get("initContainers", []):
                    self.assertEqual(container["securityContext"], {
                        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                        "capabilities": {"drop": ["ALL"]}})

    def test_the_names_of_the_order(self):
        documents = template(SETS[[set_name(p) for p in SETS].index("defaults")])
        self.assertEqual(one(documents, "ClusterRole")["metadata"]["name"], "antimetal-agent")
        deployment = one(documents, "Deployment")
        self.assertEqual(deployment["metadata"]["namespace"], "antimetal-system")
        self.assertEqual(deployment["spec"]["replicas"], 2)
        self.assertIn('name = "antimetal-agent-leader"', configuration(documents))
        self.assertIn('namespace = "antimetal-system"', configuration(documents))
        graph = next(v for v in deployment["spec"]["template"]["spec"]["volumes"]
                     if v["name"] == "graph")
        self.assertIn("emptyDir", graph)
        self.assertEqual(one(documents, "PodDisruptionBudget")["spec"]["maxUnavailable"], 1)

    def refused(self, *sets):
        words = [word for pair in sets for word in ("--set", pair)]
        code, _, err = manifests.helm("template", "graph", manifests.CHART, "--kube-version",
                                      "1.36.3", *words)
        self.assertNotEqual(code, 0, sets)
        return err

    def test_what_cannot_be_is_refused_with_its_reason(self):
        for sets, said in (
                (["persistence.enabled=true", "replicas=2"], "the graph's file has one owner"),
                (["config.leader.enabled=false"], "each replica would act as leader"),
                (["config.leader.identity=x"], "all would hold one lease"),
                (["config.cluster.qsp=1"], "qsp"),
                (["config.log.level=loud"], "level"),
                (["config.kinds[0].plugin=widget"], "say in rbac.plugins what it reads"),
                (["nmae=x"], "nmae")):
            self.assertIn(said, self.refused(*sets))

    def test_persistence_means_one_replica_and_the_notes_say_why(self):
        documents = template(sets=["persistence.enabled=true"])
        self.assertEqual(one(documents, "Deployment")["spec"]["replicas"], 1)
        self.assertEqual(one(documents, "Deployment")["spec"]["strategy"], {"type": "Recreate"})
        self.assertEqual([d for d in documents if d["kind"] == "PodDisruptionBudget"], [])

    def test_every_key_reaches_the_configuration(self):
        """A value for each key of the schema; kindred itself reads the result, each key once."""
        schema = made_of.config_schema()["properties"]
        config = {name: ({key: value["default"] for key, value in part["properties"].items()}
                         if part["type"] == "object" else part.get("default"))
                  for name, part in ((n, p) for n, p in schema.items() if n != "kinds")
                  if part.get("properties") or "default" in part}
        entry = {key: value["default"] for key, value in
                 schema["kinds"]["items"]["properties"].items() if "default" in value}
        config["kinds"] = [{**entry, "plugin": "pod", "settings": {}}]
        values = self.write("values.yaml", yamls.dump({"config": config}))
        text = configuration(template(values))
        for part in (*config.values(), config["kinds"][0]):
            for key in part if isinstance(part, dict) else ():
                self.assertRegex(text, rf"\b{key} = ")
        self.granted(text)

    def test_kustomize_base_is_the_chart_without_values(self):
        def shape(documents):
            found = {}
            for d in documents:
                meta = d["metadata"]
                meta.pop("labels", None)
                if d["kind"] == "Deployment":
                    template_meta = d["spec"]["template"]["metadata"]
                    template_meta.pop("annotations", None)
                    for label in ("version", "managed-by"):
                        template_meta["labels"].pop(f"app.kubernetes.io/{label}", None)
                if d["kind"] in ("ConfigMap", "Namespace") or "rules" in d:
                    continue
                found[(d["kind"], meta.get("namespace", ""), meta["name"])] = d
            return found
        base, chart = manifests.kustomize("base"), template()
        self.maxDiff = None
        self.assertEqual(rights(base), rights(chart))
        self.assertEqual(self.granted(configuration(base)), rights(base))
        self.assertEqual(shape(base), shape(chart))

    def test_nothing_has_drifted(self):
        for path, text in made_of.made(env.BUILD).items():
            self.assertEqual(made_of.text_of(path), text,
                             f"{path}: run deploy/lib/manifests.py {env.BUILD}")

    def test_the_chart_has_the_version_of_the_program(self):
        chart = yamls.load(made_of.text_of("deploy/helm/kindred/Chart.yaml"))
        _, out, _ = self.host(None).once("version")
        self.assertEqual(out.split(), ["kindred", chart["appVersion"]])


@unittest.skipUnless(os.access(HELM, os.X_OK), "Helm is not built: run tests/charts/build")
class Applied(RealTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.real.apply(SERVICE_MONITORS)
        cls.real.kubectl("wait", "--for=condition=Established", "--timeout=60s",
                         "crd/servicemonitors.monitoring.coreos.com")

    def taken(self, documents, *namespaces):
        """Applied by the server, and nothing is warned of."""
        for name in namespaces:
            self.real.apply(NAMESPACE % name)
        done = subprocess.run(
            [PROGRAM, "kubectl", "apply", "--server-side", "--warnings-as-errors", "-f", "-"],
            input="---\n".join(map(yamls.dump, documents)), capture_output=True, text=True,
            env={**os.environ, "KUBECONFIG": self.real.kubeconfig}, timeout=env.scaled(120),
            check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), len(documents))

    def test_every_set_of_values(self):
        for path in SETS:
            with self.subTest(values=set_name(path)):
                self.taken(template(path, namespace=f"kd-{set_name(path)}"),
                           f"kd-{set_name(path)}", "web", "leases")

    def helm(self, *words):
        folder = tempfile.mkdtemp(prefix="kd-helm-")
        self.addCleanup(shutil.rmtree, folder)
        code, out, err = manifests.helm(*words, namespace="installed", folder=folder,
                                        kubeconfig=self.real.kubeconfig)
        self.assertEqual(code, 0, err)
        return out

    def revision(self):
        """Of the Deployment: what makes new pods raises it."""
        found = json.loads(self.real.kubectl("-n", "installed", "get", "deployment", "by-helm",
                                             "-o", "json"))
        return found["metadata"]["annotations"]["deployment.kubernetes.io/revision"]

    def test_installed_changed_and_removed_by_helm(self):
        self.real.apply(NAMESPACE % "installed")
        words = ("by-helm", manifests.CHART, "--set", "name=by-helm", "--wait", "--timeout", "2m")
        self.assertIn("2 replica(s)", self.helm("install", *words))
        self.assertEqual(self.revision(), "1")
        self.helm("upgrade", *words, "--set", "config.log.level=debug")
        self.assertIn('level = "debug"', self.real.kubectl(
            "-n", "installed", "get", "configmap", "by-helm", "-o", "yaml"))
        self.assertEqual(self.revision(), "1", "the process takes it over by itself")
        self.helm("upgrade", *words, "--set", "config.cluster.qps=20")
        self.assertEqual(self.revision(), "2", "this takes a restart")
        self.helm("uninstall", "by-helm", "--wait", "--timeout", "2m")
        left = self.real.kubectl("-n", "installed", "get", "all,cm,sa,role,rolebinding,pdb,lease",
                                 "-o", "name").split()
        self.assertEqual([name for name in left if "by-helm" in name], [])

    def test_kustomize(self):
        for folder in ("base", "overlays/monitoring", "overlays/persistent"):
            with self.subTest(folder=folder):
                self.taken(manifests.kustomize(folder))


if __name__ == "__main__":
    main()
