"""Discovery documents: /api, /apis and below, plain and aggregated."""

VERBS = ["get", "list", "watch"]


def plain(kind):
    return {"name": kind.resource, "singularName": kind.kind.lower(),
            "namespaced": kind.namespaced, "kind": kind.kind, "verbs": VERBS,
            "shortNames": list(kind.short)}


def resource_list(group_version, kinds):
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version,
            "resources": [plain(k) for k in kinds]}


def group(name, kinds):
    seen = [{"groupVersion": f"{name}/{v}", "version": v}
            for v in dict.fromkeys(k.version for k in kinds if k.group == name)]
    return {"name": name, "versions": seen, "preferredVersion": seen[0]}


def groups(kinds):
    return list(dict.fromkeys(k.group for k in kinds if k.group))


def aggregated(kinds, core):
    """An APIGroupDiscoveryList of the core group, or of all others."""
    names = [""] if core else groups(kinds)
    items = []
    for name in names:
        versions = []
        for version in dict.fromkeys(k.version for k in kinds if k.group == name):
            resources = [{
                "resource": k.resource, "scope": "Namespaced" if k.namespaced else "Cluster",
                "responseKind": {"group": k.group, "version": k.version, "kind": k.kind},
                "singularResource": k.kind.lower(), "shortNames": list(k.short), "verbs": VERBS,
            } for k in kinds if (k.group, k.version) == (name, version)]
            versions.append({"version": version, "resources": resources, "freshness": "Current"})
        items.append({"metadata": {"name": name, "creationTimestamp": None},
                      "versions": versions})
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2",
            "metadata": {}, "items": items}


def document(path, kinds, accept):
    """The document of a path, or None. (content type, object)"""
    words = path.strip("/").split("/")
    if path in ("/api", "/apis") and "APIGroupDiscoveryList" in accept:
        kind = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        return kind, aggregated(kinds, path == "/api")
    plain_type = "application/json"
    if path == "/api":
        return plain_type, {"kind": "APIVersions", "versions": ["v1"],
                            "serverAddressByClientCIDRs": []}
    if path == "/apis":
        return plain_type, {"kind": "APIGroupList", "apiVersion": "v1",
                            "groups": [group(g, kinds) for g in groups(kinds)]}
    if path == "/api/v1":
        return plain_type, resource_list("v1", [k for k in kinds if not k.group])
    if words[0] == "apis" and len(words) == 2 and words[1] in groups(kinds):
        return plain_type, {"kind": "APIGroup", "apiVersion": "v1", **group(words[1], kinds)}
    if words[0] == "apis" and len(words) == 3:
        found = [k for k in kinds if (k.group, k.version) == tuple(words[1:])]
        if found:
            return plain_type, resource_list("/".join(words[1:]), found)
    return None
