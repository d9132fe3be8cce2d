"""Leader election seen from outside: the Lease of a fake cluster, and who else holds it."""

import threading
import time
from datetime import datetime, timezone

NAMESPACE = "antimetal-system"
NAME = "antimetal-agent-leader"
PATH = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"
SHORT = {"enabled": True, "lease_duration": "3s", "renew_deadline": "2s", "retry_period": "500ms"}


def micro(stamp=None):
    now = datetime.fromtimestamp(time.time() if stamp is None else stamp, timezone.utc)
    return now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def spec(cluster):
    """The Lease's spec; {} when there is none."""
    try:
        return cluster.get("Lease", NAME, NAMESPACE).get("spec", {})
    except KeyError:
        return {}


def holder(cluster):
    return spec(cluster).get("holderIdentity", "")


def hold(cluster, identity="other", seconds=3, **fields):
    """Makes the Lease, held by someone else who does not renew it."""
    now = micro()
    cluster.add("Lease", {"metadata": {"name": NAME, "namespace": NAMESPACE}, "spec": {
        "holderIdentity": identity, "leaseDurationSeconds": seconds, "acquireTime": now,
        "renewTime": now, "leaseTransitions": 4, **fields}})


class Keeper:
    """Somebody else who holds the Lease and renews it until the end of the block."""

    def __init__(self, cluster, identity="other", seconds=3, every=0.3, renew_time=micro):
        self._cluster = cluster
        self._every = every
        self._renew_time = renew_time
        self._stop = threading.Event()
        hold(cluster, identity, seconds)
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        while not self._stop.wait(self._every):
            self._cluster.modify("Lease", NAME, NAMESPACE,
                                 change={"spec": {"renewTime": self._renew_time()}})

    def __enter__(self):
        self._thread.start()
        return self

    def stop(self):
        self._stop.set()
        self._thread.join()

    def __exit__(self, *exc):
        self.stop()


def writes(cluster, since=0):
    """The writes that have come, from the request with that number on."""
    return [r for r in cluster.log.all()
            if r.method in ("POST", "PUT", "PATCH", "DELETE") and r.n >= since]


def master(host):
    """leader_election_master_status of a host."""
    return host.metrics().value("leader_election_master_status", name=NAME)
