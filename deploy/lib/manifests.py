#!/usr/bin/env python3
"""Writes what deploy/ holds of other sources: manifests.py BUILD, the folder of the built programs.

- helm/kindred/files/kinds.yaml: what each plugin reads, of `kindred check`;
- helm/kindred/values.schema.json: its part `config`, of docs/configuration.md;
- kustomize/base/rbac.yaml: of `kindred rbac` for kustomize/base/kindred.conf.
A test fails where what lies there differs.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHART = "deploy/helm/kindred"
BASE = "deploy/kustomize/base"
KIND = re.compile(r"^  kind \w+: ([a-z0-9]+)(?:\.([^/]+))?/\w+, (namespaced|cluster scope)", re.M)
ROW = re.compile(r"^\| `(\w+)` \| `(.*?)` \| (.*?) \| (?:yes)? *\| (.*) \|$")
FROM_SETTINGS = "custom"  # its kinds are those of its entry


def text_of(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def kindred(build, command, config):
    done = subprocess.run([os.path.join(build, "kindred"), command, "--config", config],
                          capture_output=True, text=True, check=False,
                          env={"KINDRED_PLUGINS_DIRECTORY": os.path.join(build, "plugins")})
    if done.returncode != 0:
        sys.exit(f"kindred {command}: {done.stderr}")
    return done.stdout


# -- what plugins read

def kinds(build):
    names = sorted(name for name in os.listdir(os.path.join(SOURCE, "plugins"))
                   if os.path.isdir(os.path.join(SOURCE, "plugins", name)))
    lines = ["# What each plugin reads. Made by deploy/lib/manifests.py."]
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as config:
        for name in names:
            if name == FROM_SETTINGS:
                continue
            config.seek(0)
            config.truncate()
            config.write(f'kinds: ( {{ plugin = "{name}"; }} );\n')
            config.flush()
            found = KIND.findall(kindred(build, "check", config.name))
            lines.append(f"{name}:")
            lines += [f'  - {{ group: "{group}", resource: {resource}, '
                      f'namespaced: {str(scope == "namespaced").lower()} }}'
                      for resource, group, scope in found]
    return "\n".join(lines) + "\n"


# -- what a configuration may hold

def number(takes):
    low, high = re.search(r", (\S+) to (\S+)$", takes).groups()
    kind = "integer" if takes.startswith("whole") else "number"
    return {"type": kind, "minimum": int(low), "maximum": int(high)}


def schema_of(default, takes, meaning):
    if takes.startswith(("whole number", "number")):
        found = {**number(takes), "default": json.loads(default)}
    elif takes.startswith("duration"):
        found = {"type": "string", "pattern": r"^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$",
                 "default": json.loads(default)}
    elif takes == "list of strings":
        found = {"type": "array", "items": {"type": "string"}, "default": []}
    elif takes == "group":
        found = {"type": "object"}
    elif takes == "string":
        found = {"type": "string", "default": json.loads(default)}
    else:
        found = {"enum": [json.loads(word.strip("`")) for word in takes.split(", ")],
                 "default": json.loads(default)}
    return {"description": meaning, **found}


def sections(reference):
    """Heading -> {key: schema}, of the tables of docs/configuration.md."""
    found, keys = {}, None
    for line in reference.split("<!-- keys: begin -->")[1].splitlines():
        if line.startswith("### "):
            keys = found.setdefault(line[4:].replace("`", ""), {})
        row = ROW.match(line)
        if row:
            keys[row[1]] = schema_of(*row.groups()[1:])
    return found


def config_schema():
    found = sections(text_of("docs/configuration.md"))
    top, entry = found.pop("At the top level"), found.pop("An entry of kinds")
    known = {name: {"type": "object", "additionalProperties": False, "properties": keys}
             for name, keys in found.items()}
    kind = {"type": "object", "additionalProperties": False, "required": ["plugin"],
            "properties": {**entry, **found["defaults"]}}
    return {"type": "object", "additionalProperties": False, "required": ["kinds"],
            "description": "kindred.conf, as in docs/configuration.md.",
            "properties": {**known, **top, "kinds": {"type": "array", "items": kind}}}


def values_schema():
    schema = json.loads(text_of(f"{CHART}/values.schema.json"))
    schema["properties"]["config"] = config_schema()
    return json.dumps(schema, indent=2) + "\n"


def base_rules(build):
    return ("# Made by deploy/lib/manifests.py: kindredctl rbac for the kindred.conf beside it.\n" +
            kindred(build, "rbac", os.path.join(SOURCE, BASE, "kindred.conf")))


def made(build):
    """Path -> text."""
    return {f"{CHART}/files/kinds.yaml": kinds(build),
            f"{CHART}/values.schema.json": values_schema(),
            f"{BASE}/rbac.yaml": base_rules(build)}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for path, text in made(os.path.abspath(sys.argv[1])).items():
        with open(os.path.join(SOURCE, path), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
