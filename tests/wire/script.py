"""The JSON script of the standalone entry: see README.md."""

import json

from . import answer as answers

ROUTE_KEYS = {"method", "path", "watch", "query", "answers", "comment"}
TOP_KEYS = {"routes", "cluster", "comment"}


def load(path):
    with open(path, encoding="utf-8") as file:
        script = json.load(file)
    unknown = set(script) - TOP_KEYS
    if unknown:
        raise ValueError(f"{path}: unknown keys {sorted(unknown)}")
    return script


def apply(server, script):
    """Adds the routes of a script to a server."""
    for number, route in enumerate(script.get("routes", [])):
        unknown = set(route) - ROUTE_KEYS
        if unknown:
            raise ValueError(f"route {number}: unknown keys {sorted(unknown)}")
        script_answers = [answers.PASS if a.get("pass") else a for a in route["answers"]]
        try:
            server.route(route.get("method", "GET"), route["path"], *script_answers,
                         watch=route.get("watch"), query=route.get("query"))
        except ValueError as error:
            raise ValueError(f"route {number}: {error}") from error
