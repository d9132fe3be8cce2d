"""Generated bodies: large fills and lists of many objects."""


def fill(spec):
    """{"bytes": N, "char": "x"} or {"before": "..", "after": "..", ...}: N times one character."""
    char = spec.get("char", "x").encode("utf-8")
    body = (char * (spec["bytes"] // len(char) + 1))[:spec["bytes"]]
    return spec.get("before", "").encode("utf-8") + body + spec.get("after", "").encode("utf-8")


def listing(spec):
    """A list object; `items` may be given, and/or `pods` many are generated."""
    kind = spec.get("kind", "PodList")
    items = list(spec.get("items", []))
    first = spec.get("first", 0)
    for i in range(first, first + spec.get("pods", 0)):
        items.append(pod(f"p{i:05}", spec.get("namespace", "default"), node=f"n{i % 10}",
                         rv=i + 1, size=spec.get("size", 0)))
    meta = {"resourceVersion": str(spec.get("resourceVersion", "1000"))}
    if spec.get("continue"):
        meta["continue"] = spec["continue"]
    if "remainingItemCount" in spec:
        meta["remainingItemCount"] = spec["remainingItemCount"]
    return {"kind": kind, "apiVersion": spec.get("apiVersion", "v1"), "metadata": meta,
            "items": items}


def pod(name, namespace="default", node="", rv=None, size=0, **spec):
    """A pod as a list item: without kind and apiVersion."""
    meta = {"name": name, "namespace": namespace, "uid": f"uid-{namespace}-{name}",
            "creationTimestamp": "2024-01-01T00:00:00Z", "labels": {"app": name.rsplit("-", 1)[0]}}
    if rv is not None:
        meta["resourceVersion"] = str(rv)
    env = [{"name": "FILL", "value": "x" * size}] if size else []
    body = {"containers": [{"name": "main", "image": "example.test/app:1", "env": env}], **spec}
    if node:
        body["nodeName"] = node
    return {"metadata": meta, "spec": body, "status": {"phase": "Running"}}
