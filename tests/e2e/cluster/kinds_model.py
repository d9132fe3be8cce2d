"""What model.py leaves out: the kinds beyond the first six, and relations without attributes.

Secrets and ConfigMaps are looked at as the graph may hold them: by their metadata alone.
"""

from e2e.cluster import model

# Resource as kubectl takes it, and kind.
MORE = (
    ("daemonsets.apps", "DaemonSet"), ("statefulsets.apps", "StatefulSet"), ("jobs.batch", "Job"),
    ("cronjobs.batch", "CronJob"), ("persistentvolumes", "PersistentVolume"),
    ("persistentvolumeclaims", "PersistentVolumeClaim"), ("namespaces", "Namespace"),
    ("ingresses.networking.k8s.io", "Ingress"), ("configmaps", "ConfigMap"),
    ("secrets", "Secret"), ("serviceaccounts", "ServiceAccount"),
    ("storageclasses.storage.k8s.io", "StorageClass"),
    ("horizontalpodautoscalers.v2.autoscaling", "HorizontalPodAutoscaler"),
    ("poddisruptionbudgets.policy", "PodDisruptionBudget"),
    ("networkpolicies.networking.k8s.io", "NetworkPolicy"),
)
RESOURCES = model.RESOURCES + tuple(resource for resource, _ in MORE)
KINDS = model.KINDS + tuple(kind for _, kind in MORE)
PLUGINS = tuple(kind.lower() for kind in KINDS)
PLAIN = ("VolumeMount", "VolumeBinding", "VolumeClass", "ConfigReference",
         "ServiceAccountBinding", "IngressBackend", "ScaleTarget")
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


# -- from the cluster

def of_cluster(items):
    items = [_bare(item) if item["kind"] in ("Secret", "ConfigMap") else item for item in items]
    known = {model.key_of(item) for item in items}
    graph = model.of_cluster(items)
    for item in items:
        for predicate, target in SAID.get(item["kind"], lambda _: [])(item):
            graph[predicate, model.key_of(item), target, ()] = target in known
    return graph


def _bare(item):
    meta = dict(item["metadata"])
    if "annotations" in meta:
        meta["annotations"] = {k: v for k, v in meta["annotations"].items() if k != LAST_APPLIED}
    return {"apiVersion": item["apiVersion"], "kind": item["kind"], "metadata": meta}


def _of_pod(pod):
    meta, spec = pod["metadata"], pod["spec"]
    claims, maps, secrets = set(), set(), set()
    for volume in spec.get("volumes", []):
        claims.add(volume.get("persistentVolumeClaim", {}).get("claimName"))
        if "ephemeral" in volume:
            claims.add(f"{meta['name']}-{volume['name']}")
        secrets.add(volume.get("secret", {}).get("secretName"))
        maps.add(volume.get("configMap", {}).get("name"))
        for source in volume.get("projected", {}).get("sources", []):
            maps.add(source.get("configMap", {}).get("name"))
            secrets.add(source.get("secret", {}).get("name"))
    for container in (spec["containers"] + spec.get("initContainers", [])
                      + spec.get("ephemeralContainers", [])):
        for source in container.get("envFrom", []):
            maps.add(source.get("configMapRef", {}).get("name"))
            secrets.add(source.get("secretRef", {}).get("name"))
        for variable in container.get("env", []):
            source = variable.get("valueFrom", {})
            maps.add(source.get("configMapKeyRef", {}).get("name"))
            secrets.add(source.get("secretKeyRef", {}).get("name"))
    secrets |= {secret.get("name") for secret in spec.get("imagePullSecrets", [])}
    return (_core("VolumeMount", "PersistentVolumeClaim", meta, claims)
            + _core("ConfigReference", "ConfigMap", meta, maps)
            + _core("ConfigReference", "Secret", meta, secrets)
            + _core("ServiceAccountBinding", "ServiceAccount", meta,
                    {spec.get("serviceAccountName")}))


def _core(predicate, kind, meta, names):
    return [(predicate, ("", kind, meta["namespace"], name)) for name in names if name]


def _of_volume(item):
    name = item["spec"].get("storageClassName")
    return [("VolumeClass", ("storage.k8s.io", "StorageClass", "", name))] if name else []


def _of_claim(item):
    name = item["spec"].get("volumeName")
    bound = [("VolumeBinding", ("", "PersistentVolume", "", name))] if name else []
    return bound + _of_volume(item)


def _of_ingress(item):
    space, spec = item["metadata"]["namespace"], item["spec"]
    backends = [spec["defaultBackend"]] if "defaultBackend" in spec else []
    for rule in spec.get("rules", []):
        backends += [path["backend"] for path in rule.get("http", {}).get("paths", [])]
    found = []
    for backend in backends:
        if "service" in backend:
            target = ("", "Service", space, backend["service"]["name"])
        else:
            resource = backend["resource"]
            target = (resource.get("apiGroup", ""), resource["kind"], space, resource["name"])
        found.append(("IngressBackend", target))
    return found


def _of_autoscaler(item):
    target = item["spec"]["scaleTargetRef"]
    group = model.group_of(target.get("apiVersion", ""))
    return [("ScaleTarget",
             (group, target["kind"], item["metadata"]["namespace"], target["name"]))]


SAID = {"Pod": _of_pod, "PersistentVolume": _of_volume, "PersistentVolumeClaim": _of_claim,
        "Ingress": _of_ingress, "HorizontalPodAutoscaler": _of_autoscaler}


# -- from the graph

def of_host(host):
    found = model.of_host(host)
    for _, kind in MORE:
        for item in host.resources(kind, limit=500):
            found[_key(item["ref"])] = {
                "uid": item["ref"]["uid"], "version": item["ref"]["version"],
                "labels": item["labels"], "annotations": item["annotations"],
                "createdAt": item["createdAt"], "data": model.plain(item["data"])}
    for predicate in PLAIN:
        for item in host.relationships(predicate=predicate, limit=500):
            named = {k: v for k, v in item["predicate"].items() if k != "type"}
            key = (predicate, _key(item["subject"]), _key(item["object"]), tuple(named.items()))
            found[key] = "listed twice" if key in found else item["resolved"]
    return found


def _key(ref):
    return (ref["group"], ref["kind"], ref["namespace"], ref["name"])
