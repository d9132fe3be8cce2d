"""What deploy/ renders to: Helm with a set of values, kustomize with a folder, and its parts."""

import glob
import os
import subprocess

from e2e.cluster.real import PROGRAM, run
from e2e.lib import env, yamls

HELM = os.path.join(os.path.dirname(PROGRAM), "helm")
CHART = os.path.join(env.SOURCE, "deploy", "helm", "kindred")
KUSTOMIZE = os.path.join(env.SOURCE, "deploy", "kustomize")
SETS = sorted(glob.glob(os.path.join(env.SOURCE, "tests", "charts", "values", "*.yaml")))
SYSTEM = "antimetal-system"


def helm(*words, namespace=SYSTEM, folder="", kubeconfig=""):
    """(exit code, stdout, stderr). `folder` is where Helm may keep what it likes to keep."""
    places = {f"HELM_{name}_HOME": folder for name in ("CACHE", "CONFIG", "DATA") if folder}
    done = subprocess.run([HELM, *words, "--namespace", namespace], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=env.scaled(180), check=False,
                          env={**os.environ, "KUBECONFIG": kubeconfig, **places})
    return done.returncode, done.stdout, done.stderr


def template(*files, sets=(), namespace=SYSTEM):
    """Documents of a rendered chart."""
    words = [word for file in files for word in ("--values", file)]
    words += [word for pair in sets for word in ("--set", pair)]
    code, out, err = helm("template", "graph", CHART, "--kube-version", "1.36.3", *words,
                          namespace=namespace)
    if code != 0:
        raise AssertionError(err)
    return yamls.documents(out)


def kustomize(folder):
    return yamls.documents(run([PROGRAM, "kubectl", "kustomize", os.path.join(KUSTOMIZE, folder)]))


def one(documents, kind):
    """The only document of a kind."""
    found = [d for d in documents if d["kind"] == kind]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} documents of kind {kind}")
    return found[0]


def configuration(documents):
    """kindred.conf of the ConfigMap."""
    return one(documents, "ConfigMap")["data"]["kindred.conf"]


def rights(documents):
    """{(namespace or "", group, resource, name or "", verb)} of all roles, and whom they are
    granted to: {(kind of role, its namespace, its name, account's namespace, account)}."""
    rules, bound = set(), set()
    for d in documents:
        ns = d["metadata"].get("namespace", "")
        if d["kind"] in ("ClusterRole", "Role"):
            rules |= {(ns, group, resource, name, verb) for rule in d["rules"]
                      for group in rule["apiGroups"] for resource in rule["resources"]
                      for name in rule.get("resourceNames", [""]) for verb in rule["verbs"]}
        elif d["kind"] in ("ClusterRoleBinding", "RoleBinding"):
            ref = d["roleRef"]
            bound |= {(ref["kind"], ns, ref["name"], s["namespace"], s["name"])
                      for s in d["subjects"]}
    return rules, bound
