"""The kinds that a fake cluster serves."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    group: str
    version: str
    kind: str
    resource: str
    namespaced: bool = True
    short: tuple = ()

    @property
    def api_version(self):
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def root(self):
        """/api/v1 or /apis/GROUP/VERSION."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    @property
    def path(self):
        """Where all namespaces are listed and watched."""
        return f"{self.root}/{self.resource}"

    @property
    def qualified(self):
        """pods, deployments.apps: as in the messages of an API server."""
        return f"{self.resource}.{self.group}" if self.group else self.resource


KINDS = (
    Kind("", "v1", "Pod", "pods", short=("po",)),
    Kind("", "v1", "Node", "nodes", namespaced=False, short=("no",)),
    Kind("", "v1", "Namespace", "namespaces", namespaced=False, short=("ns",)),
    Kind("", "v1", "Service", "services", short=("svc",)),
    Kind("", "v1", "Endpoints", "endpoints", short=("ep",)),
    Kind("", "v1", "ConfigMap", "configmaps", short=("cm",)),
    Kind("", "v1", "Secret", "secrets"),
    Kind("", "v1", "PersistentVolume", "persistentvolumes", namespaced=False, short=("pv",)),
    Kind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", short=("pvc",)),
    Kind("apps", "v1", "Deployment", "deployments", short=("deploy",)),
    Kind("apps", "v1", "ReplicaSet", "replicasets", short=("rs",)),
    Kind("apps", "v1", "StatefulSet", "statefulsets", short=("sts",)),
    Kind("apps", "v1", "DaemonSet", "daemonsets", short=("ds",)),
    Kind("batch", "v1", "Job", "jobs"),
    Kind("batch", "v1", "CronJob", "cronjobs", short=("cj",)),
    Kind("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices"),
    Kind("coordination.k8s.io", "v1", "Lease", "leases"),
    Kind("events.k8s.io", "v1", "Event", "events", short=("ev",)),
)
