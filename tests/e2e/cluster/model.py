"""What the graph has to hold, worked out from the JSON of kubectl, and what it does hold.

Both sides become a dict of lines to compare: resources by (group, kind, namespace, name), relations
by (type, subject, object, attributes). The resource version and noise are left out.
"""

import difflib
import json

RESOURCES = ("pods", "nodes", "replicasets", "deployments", "services", "endpointslices")
KINDS = ("Pod", "Node", "ReplicaSet", "Deployment", "Service", "EndpointSlice")
PREDICATES = ("OwnerReference", "PodNodeBinding", "ServiceEndpoint")
CLUSTER_SCOPED = {("", "Node"), ("", "Namespace"), ("", "PersistentVolume")}
SERVICE_LABEL = "kubernetes.io/service-name"
ENDPOINT_KEY = ("ip", "port", "protocol", "portName")


def group_of(api_version):
    return api_version.rpartition("/")[0]


def key_of(item):
    meta = item["metadata"]
    return (group_of(item["apiVersion"]), item["kind"], meta.get("namespace", ""), meta["name"])


def plain(data):
    """An object without what equality passes over."""
    copy = json.loads(json.dumps(data))
    copy["metadata"].pop("managedFields", None)
    copy["metadata"].pop("resourceVersion", None)
    if copy["kind"] == "Node":
        for condition in copy["status"].get("conditions", []):
            condition.pop("lastHeartbeatTime", None)
    return copy


# -- from the cluster

def of_cluster(items):
    uids = {key_of(item): item["metadata"]["uid"] for item in items}
    relations = {}
    endpoints = {}
    for item in items:
        _owners(item, uids, relations)
        if item["kind"] == "Pod":
            _binding(item, uids, relations)
        if item["kind"] == "EndpointSlice":
            _endpoints(item, uids, endpoints)
    for (subject, target, attributes), (ready, resolved) in endpoints.items():
        named = {**dict(zip(ENDPOINT_KEY, attributes)), "ready": ready}
        relations[_relation("ServiceEndpoint", subject, target, named)] = resolved
    return {**{key_of(item): _resource(item) for item in items}, **relations}


def _resource(item):
    meta = item["metadata"]
    return {"uid": meta["uid"], "version": item["apiVersion"].rpartition("/")[2],
            "labels": meta.get("labels", {}), "annotations": meta.get("annotations", {}),
            "createdAt": meta["creationTimestamp"], "data": plain(item)}


def _relation(kind, subject, target, attributes):
    """Attributes that are absent and those that are empty are the same."""
    return (kind, subject, target,
            tuple(sorted((k, str(v).lower() if isinstance(v, bool) else str(v))
                         for k, v in attributes.items() if v not in ("", None))))


def _known(key, uid, uids):
    return key in uids and uid in ("", uids[key])


def _owners(item, uids, relations):
    for owner in item["metadata"].get("ownerReferences", []):
        named = {k: owner[k] for k in ("apiVersion", "kind", "name", "uid")}
        group = group_of(owner["apiVersion"])
        space = "" if (group, owner["kind"]) in CLUSTER_SCOPED else item["metadata"]["namespace"]
        subject = (group, owner["kind"], space, owner["name"])
        relations[_relation("OwnerReference", subject, key_of(item), named)] = \
            _known(subject, owner["uid"], uids)


def _binding(pod, uids, relations):
    node = pod["spec"].get("nodeName")
    if node:
        target = ("", "Node", "", node)
        relations[_relation("PodNodeBinding", key_of(pod), target, {"nodeName": node})] = \
            _known(target, "", uids)


def _endpoints(item, uids, endpoints):
    space = item["metadata"]["namespace"]
    name = item["metadata"].get("labels", {}).get(SERVICE_LABEL)
    if not name:
        return
    service = ("", "Service", space, name)
    for endpoint in item.get("endpoints") or []:
        pod = endpoint.get("targetRef") or {}
        if pod.get("kind") != "Pod":
            continue
        target = ("", "Pod", pod.get("namespace", space), pod["name"])
        ready = endpoint.get("conditions", {}).get("ready") is not False
        resolved = _known(service, "", uids) and _known(target, pod.get("uid", ""), uids)
        for address in endpoint["addresses"]:
            for port in item.get("ports") or [{}]:
                attributes = (address, port.get("port", ""), port.get("protocol", ""),
                              port.get("name", ""))
                before = endpoints.get((service, target, attributes), (False, False))
                endpoints[service, target, attributes] = (before[0] or ready,
                                                          before[1] or resolved)


# -- from the graph

def of_host(host):
    found = {}
    for kind in KINDS:
        for item in host.resources(kind, limit=500):
            found[_reference(item["ref"])] = {
                "uid": item["ref"]["uid"], "version": item["ref"]["version"],
                "labels": item["labels"], "annotations": item["annotations"],
                "createdAt": item["createdAt"], "data": plain(item["data"])}
    for predicate in PREDICATES:
        for item in host.relationships(predicate=predicate, limit=500):
            named = {k: v for k, v in item["predicate"].items() if k != "type"}
            key = _relation(item["predicate"]["type"], _reference(item["subject"]),
                            _reference(item["object"]), named)
            found[key] = "listed twice" if key in found else item["resolved"]
    return found


def _reference(ref):
    return (ref["group"], ref["kind"], ref["namespace"], ref["name"])


# -- the comparison

def differences(wanted, found):
    """Lines that tell how found differs from wanted; none when they are the same."""
    lines = []
    for key in sorted({*wanted, *found}, key=repr):
        if key not in found:
            lines.append(f"- {_text(key)}")
        elif key not in wanted:
            lines.append(f"+ {_text(key)}")
        elif wanted[key] != found[key]:
            lines.append(f"! {_text(key)}")
            lines += _inner(wanted[key], found[key])
    return lines


def _text(key):
    if isinstance(key[1], str):
        return "/".join(part for part in key if isinstance(part, str) and part)
    kind, subject, target, attributes = key[:4]
    return f"{kind} {_text(subject)} -> {_text(target)} {dict(attributes)}"


def _inner(wanted, found):
    sides = [json.dumps(side, indent=1, sort_keys=True).splitlines() for side in (wanted, found)]
    diff = list(difflib.unified_diff(*sides, n=1, lineterm=""))[2:]
    return ["    " + line for line in diff[:25]]
