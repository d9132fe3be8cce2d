"""What several cases need: gaps between requests, and usual scripted answers."""

PODS = "/api/v1/pods"
HANG = {"chunks": [], "end": "hang"}
RESET = {"chunks": [], "framing": "raw", "end": "reset"}


def gaps(requests):
    """Seconds between requests, from the server's log."""
    return [after.t - before.t for before, after in zip(requests, requests[1:])]


def without_repeat(requests):
    """libcurl sends a request at once again when the connection that it used had served another
    one before, and breaks without an answer: such a pair at the beginning counts as one try."""
    repeated = len(requests) > 1 and requests[1].t - requests[0].t < 0.3
    return requests[1:] if repeated else requests


def pods(rv, *names, **more):
    """A LIST answer with these pods, each changed shortly before."""
    items = [meta(name, rv - number) for number, name in enumerate(names)]
    return {"list": {"resourceVersion": str(rv), "items": items}, **more}


def meta(name, rv, **sections):
    """A pod of fixed uid at a version."""
    return {"metadata": {"name": name, "namespace": "default", "uid": f"u-{name}",
                         "resourceVersion": str(rv)}, **sections}


def status(code, reason="", message="", **details):
    return {"status_object": {"code": code, "reason": reason, "message": message,
                              "details": details}}


def expired(code=410):
    """An ERROR event that says the version is gone."""
    return {"type": "ERROR", "object": {"kind": "Status", "apiVersion": "v1", "status": "Failure",
                                        "reason": "Expired", "message": "too old", "code": code}}
