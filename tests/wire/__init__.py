"""wire: a scripted API server (Server) and a small Kubernetes on top of it (FakeCluster)."""

from .answer import PASS, Answer, error, ok, watch
from .cluster import FakeCluster
from .generate import pod
from .kinds import KINDS, Kind
from .server import Server, free_port

__all__ = ["PASS", "Answer", "FakeCluster", "KINDS", "Kind", "Server", "error", "free_port", "ok",
           "pod", "watch"]
