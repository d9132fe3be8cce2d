"""Writes the files that kindred reads: libconfig and kubeconfig."""

LONG = 2**31


def value(item, depth=0):
    """A Python value in libconfig: dict group, list of dicts (..), other list [..]."""
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, int):
        return f"{item}L" if not -LONG <= item < LONG else str(item)
    if isinstance(item, float):
        return repr(item)
    if isinstance(item, str):
        return quoted(item)
    if isinstance(item, dict):
        pad = "  " * (depth + 1)
        inner = "".join(f"{pad}{k} = {value(v, depth + 1)};\n" for k, v in item.items())
        return "{\n" + inner + "  " * depth + "}" if inner else "{ }"
    if all(isinstance(i, dict) for i in item) and item:
        return "( " + ", ".join(value(i, depth + 1) for i in item) + " )"
    return "[ " + ", ".join(value(i, depth) for i in item) + " ]"


def quoted(text):
    out = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{out}"'


def text(config):
    """A whole libconfig file of a dict."""
    return "".join(f"{k} = {value(v)};\n" for k, v in config.items())


def merged(base, over):
    """base with the groups of `over` laid over it, key by key."""
    out = {k: dict(v) if isinstance(v, dict) else v for k, v in base.items()}
    for key, item in over.items():
        if isinstance(item, dict) and isinstance(out.get(key), dict):
            out[key] = {**out[key], **item}
        else:
            out[key] = item
    return out


def kubeconfig(server, ca="", token="", cert="", key="", context="test"):
    """A kubeconfig with one cluster, one user and one context."""
    lines = ["apiVersion: v1", "kind: Config", f"current-context: {context}", "clusters:",
             "- name: wire", "  cluster:", f"    server: {server}"]
    if ca:
        lines.append(f"    certificate-authority: {ca}")
    lines += ["contexts:", f"- name: {context}", "  context:", "    cluster: wire",
              "    user: tester", "users:", "- name: tester"]
    user = [f"    {k}: {v}" for k, v in (("token", token), ("client-certificate", cert),
                                         ("client-key", key)) if v]
    lines += ["  user:", *user] if user else ["  user: {}"]
    return "\n".join(lines) + "\n"
