"""LIST answers of a fake cluster: pages, snapshots, versions."""

import gzip
import uuid

from . import answer as answers


def body(kind, rv, parts, partial=False, token="", remaining=0):
    """A list of encoded items, put together without decoding them."""
    meta = {"resourceVersion": str(rv)}
    if token:
        meta.update({"continue": token, "remainingItemCount": remaining})
    name, version = kind.kind + "List", kind.api_version
    if partial:
        name, version = "PartialObjectMetadataList", "meta.k8s.io/v1"
    head = answers.dumps({"kind": name, "apiVersion": version, "metadata": meta})
    return head[:-1] + b',"items":[' + b",".join(parts) + b"]}"


def expired(message):
    return answers.error(410, "Expired", message)


def answer(shelf, rv_now, request, selected, partial, gzip_over=0):
    """The caller holds the cluster's lock."""
    query = request.query
    token = query.get("continue", "")
    offset = 0
    if token:
        if token not in shelf.snapshots:
            return expired("The provided continue parameter is too old to display a consistent "
                           "list result.")
        rv, chosen, offset = shelf.snapshots[token]
    else:
        refused = check_version(query.get("resourceVersion", ""), query, shelf, rv_now)
        if refused:
            return refused
        rv = rv_now
        chosen = [e for _, e in sorted(shelf.entries.items())]
        if selected:
            chosen = [e for e in chosen if selected(e.obj)]
    limit = int(query.get("limit", 0) or 0)
    page = chosen[offset:offset + limit] if limit else chosen[offset:]
    rest = len(chosen) - offset - len(page)
    more = ""
    if rest > 0:
        more = uuid.uuid4().hex
        shelf.snapshots[more] = (rv, chosen, offset + len(page))
    data = body(shelf.kind, rv, [e.partial() if partial else e.item for e in page], partial,
                more, rest)
    headers = {"Content-Type": "application/json"}
    if gzip_over and len(data) > gzip_over and "gzip" in request.headers.get("accept-encoding", ""):
        data = gzip.compress(data, 1)
        headers["Content-Encoding"] = "gzip"
    return answers.Answer(chunks=[data], headers=headers)


def check_version(text, query, shelf, rv_now):
    """None, or the refusal of a resource version."""
    if text in ("", "0"):
        return None
    if not text.isdigit():
        return answers.error(400, "BadRequest", f"invalid resource version {text!r}")
    asked = int(text)
    if asked > rv_now:
        return answers.error(504, "Timeout", f"Too large resource version: {asked}, current: "
                             f"{rv_now}", {"retryAfterSeconds": 1, "causes": [
                                 {"reason": "ResourceVersionTooLarge",
                                  "message": "Too large resource version"}]})
    if query.get("resourceVersionMatch") == "Exact" and asked < shelf.compacted:
        return expired(f"The resourceVersion for the provided list is too old: {asked}")
    return None
