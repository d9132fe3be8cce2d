"""Objects for the fake cluster."""

import wire


def obj(kind, name, namespace=None, **sections):
    meta = {"name": name, **sections.pop("meta", {})}
    if namespace:
        meta["namespace"] = namespace
    return {"metadata": meta, **sections}


def pod(name, namespace="default", node="", labels=None, owner=None, **spec):
    made = wire.pod(name, namespace, node, **spec)
    meta = made["metadata"]
    del meta["uid"]
    if labels is not None:
        meta["labels"] = labels
    if owner:
        meta["ownerReferences"] = [owner]
    return made


def owner(kind, made, api_version="apps/v1"):
    """An owner reference to an object that the fake cluster gave back."""
    return {"apiVersion": api_version, "kind": kind, "name": made["metadata"]["name"],
            "uid": made["metadata"]["uid"], "controller": True}


def node(name, **labels):
    return obj("Node", name, meta={"labels": labels},
               spec={}, status={"conditions": [{"type": "Ready", "status": "True"}]})


def service(name, namespace="default", selector=None, ports=None):
    return obj("Service", name, namespace, spec={
        "selector": selector or {"app": name},
        "ports": ports or [{"name": "http", "port": 80, "targetPort": 8080, "protocol": "TCP"}]})


def endpoint_slice(name, service_name, pods, namespace="default"):
    """pods: (pod name, ip) pairs."""
    return obj("EndpointSlice", name, namespace,
               meta={"labels": {"kubernetes.io/service-name": service_name}}, addressType="IPv4",
               ports=[{"name": "http", "port": 8080, "protocol": "TCP"}],
               endpoints=[{"addresses": [ip], "conditions": {"ready": True},
                           "targetRef": {"kind": "Pod", "namespace": namespace, "name": p}}
                          for p, ip in pods])


def replica_set(name, namespace="default", owner=None):
    meta = {"ownerReferences": [owner]} if owner else {}
    return obj("ReplicaSet", name, namespace, meta=meta, spec={"replicas": 1})


def deployment(name, namespace="default"):
    return obj("Deployment", name, namespace, spec={"replicas": 1})
