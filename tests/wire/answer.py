"""Answers: what a route says, in Python or in the JSON form of README.md."""

import base64
import gzip
import json
from dataclasses import dataclass, field

from . import generate

PASS = {"pass": True}
ENDS = ("keep", "close", "cut", "reset", "hang")
FRAMINGS = ("auto", "length", "chunked", "close", "raw")
KEYS = {"status", "reason", "headers", "json", "text", "base64", "fill", "list", "status_object",
        "chunks", "lines", "every", "gzip", "gate", "opens", "framing", "end", "release", "then",
        "pass", "comment"}


@dataclass
class Answer:
    """One answer. `chunks` holds bytes and gate names (str), in order."""

    status: int = 200
    reason: str = ""
    headers: dict = field(default_factory=dict)
    chunks: list = field(default_factory=list)
    streamed: bool = False          # chunks were given: framing "auto" is chunked
    framing: str = "auto"
    gate: str = ""                  # waited for before the first byte
    opens: list = field(default_factory=list)   # gates opened when the answer begins
    end: str = "keep"
    release: str = ""               # with end "hang": the gate that ends the wait
    then: str = "keep"              # with end "hang": what comes after it
    stream: object = None           # callable(writer, request): writes the chunks itself

    @property
    def body(self):
        return b"".join(c for c in self.chunks if isinstance(c, bytes))


def dumps(value):
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def part(item):
    """The bytes of one body or chunk: str, bytes or a dict with one of the body keys."""
    if isinstance(item, bytes):
        return item
    if isinstance(item, str):
        return item.encode("utf-8")
    if "json" in item:
        return dumps(item["json"])
    if "text" in item:
        return item["text"].encode("utf-8")
    if "base64" in item:
        return base64.b64decode(item["base64"])
    if "fill" in item:
        return generate.fill(item["fill"])
    if "list" in item:
        return dumps(generate.listing(item["list"]))
    if "status_object" in item:
        return dumps(status_object(**item["status_object"]))
    raise ValueError(f"no body in {item!r}")


def chunk(item):
    if isinstance(item, dict) and "gate" in item:
        return str(item["gate"])
    if isinstance(item, dict) and "line" in item:
        return dumps(item["line"]) + b"\n"
    return part(item)


def recut(chunks, every):
    """The same bytes in pieces of `every`; gates stay where they are."""
    out = []
    for piece in chunks:
        if isinstance(piece, str):
            out.append(piece)
        else:
            out += [piece[i:i + every] for i in range(0, len(piece), every)]
    return out


def of(form):
    """An Answer from an Answer, bytes, str or a dict as in README.md."""
    if isinstance(form, Answer):
        return form
    if isinstance(form, (bytes, str)):
        form = {"text": form} if isinstance(form, str) else {"chunks": [form], "framing": "length"}
    unknown = set(form) - KEYS
    if unknown:
        raise ValueError(f"unknown answer keys {sorted(unknown)}")
    answer = Answer(status=form.get("status", 200), reason=form.get("reason", ""),
                    headers=dict(form.get("headers", {})), framing=form.get("framing", "auto"),
                    gate=form.get("gate", ""), opens=list(form.get("opens", [])),
                    end=form.get("end", "keep"), release=form.get("release", ""),
                    then=form.get("then", "keep"))
    if answer.end not in ENDS or answer.then not in ENDS or answer.framing not in FRAMINGS:
        raise ValueError(f"bad end, then or framing in {form!r}")
    if "chunks" in form:
        answer.chunks = [chunk(c) for c in form["chunks"]]
        answer.streamed = True
    elif "lines" in form:
        answer.chunks = [chunk(c) if isinstance(c, dict) and "gate" in c else dumps(c) + b"\n"
                         for c in form["lines"]]
        answer.streamed = True
    elif set(form) & {"json", "text", "base64", "fill", "list", "status_object"}:
        answer.chunks = [part(form)]
    if "status_object" in form and "status" not in form:
        answer.status = form["status_object"].get("code", 500)
    if form.get("gzip"):
        answer.chunks = [gzip.compress(answer.body, 1)]
        answer.headers["Content-Encoding"] = "gzip"
    if form.get("every"):
        answer.chunks = recut(answer.chunks, form["every"])
        answer.streamed = answer.framing != "length"
    if form.get("framing") == "raw" and not answer.streamed:
        answer.streamed = True
    if not any(k.lower() == "content-type" for k in answer.headers):
        answer.headers["Content-Type"] = "text/plain" if "text" in form else "application/json"
    return answer


def ok(obj, **more):
    return of({"json": obj, **more})


def status_object(code=500, reason="", message="", details=None):
    """A metav1.Status of a failure."""
    obj = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
           "message": message, "reason": reason, "code": code}
    if details is not None:
        obj["details"] = details
    return obj


def error(code, reason="", message="", details=None, **more):
    return of({"status": code, "json": status_object(code, reason, message, details), **more})


def watch(*events, end="hang", **more):
    """A watch stream: events are dicts, (type, object) pairs, bytes or {"gate": name}."""
    chunks = []
    for event in events:
        if isinstance(event, tuple):
            event = {"type": event[0], "object": event[1]}
        if isinstance(event, dict) and "gate" not in event:
            event = dumps(event) + b"\n"
        chunks.append(event)
    return of({"chunks": chunks, "end": end, **more})
