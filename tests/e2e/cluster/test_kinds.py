"""Every kind of this project on a real cluster: the graph is what kubectl says, and no more."""

import base64
import contextlib
import ctypes
import json
import os
import sqlite3

from e2e.cluster import kinds_model, model
from e2e.cluster.real import GraphTest
from e2e.lib.case import main

WORKLOAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kinds.yaml")
WAIT = ("--wait=true", "--timeout=60s")
HIDDEN = (b"hidden-secret-text", b"hidden-map-text", b"later-secret-text", b"later-map-text")
SEEN = (b"seen-secret-note", b"seen-map-note")
ZSTD = b"\x28\xb5\x2f\xfd"
LARGEST = 1 << 20
LIBZSTD = ctypes.CDLL("libzstd.so.1")
LIBZSTD.ZSTD_decompress.restype = ctypes.c_size_t


class Kinds(GraphTest):
    def setUp(self):
        super().setUp()
        self.kubectl = self.real.kubectl
        self.inner = lambda *words, **options: self.kubectl("-n", "kinds", *words, **options)

    def settle(self):
        self.real.rollout("deployment/web", "statefulset/db", "daemonset/agent", namespace="kinds")

    def assert_same_kinds(self, host, when):
        found = []

        def same():
            wanted = kinds_model.of_cluster(self.real.items(*kinds_model.RESOURCES))
            found[:] = model.differences(wanted, kinds_model.of_host(host))
            return not found
        try:
            host.until(same, 40, f"the same graph {when}")
        except AssertionError as fault:
            raise AssertionError(f"{when}: {len(found)} differences between kubectl (-) and the "
                                 f"graph (+)\n" + "\n".join(found[:60])) from fault

    def test_the_graph_of_every_kind(self):
        self.kubectl("apply", "-f", WORKLOAD)
        self.inner("create", "job", "by-hand", "--from=cronjob/nightly")
        self.inner("wait", "--for=condition=Ready", "pod/single", "--timeout=60s")
        self.settle()
        host = self.watcher(kinds_model.PLUGINS, store={"path": self.path("graph.db")},
                            log={"level": "debug"})
        host.start().wait_ready()
        self.assert_same_kinds(host, "after the first sync")
        self.assert_all_there(host)

        self.edit_references()
        self.assert_same_kinds(host, "after references were changed")
        self.edit_data(host)
        self.delete_and_make_again()
        self.assert_same_kinds(host, "after objects were made again under their names")
        self.assert_not_said(host)
        self.assert_not_stored()

        self.kubectl("delete", "-f", WORKLOAD, "--wait=false")
        self.kubectl("wait", "--for=delete", "namespace/kinds", "--timeout=60s")
        self.assert_same_kinds(host, "after all was deleted")
        self.assertEqual(host.stop(), 0)
        self.assert_hidden(host.log_text().encode(), "the log", seen=(b"Secret", b"ConfigMap"))

    def assert_all_there(self, host):
        """The comparison is worth something: each kind and relation occurs in it."""
        graph = kinds_model.of_host(host)
        for kind in kinds_model.KINDS:
            self.assertTrue([key for key in graph if key[1] == kind], kind)
        said = {(k[0], k[2][1]) for k in graph if k[0] in kinds_model.PLAIN}
        self.assertEqual(said, {
            ("VolumeMount", "PersistentVolumeClaim"), ("VolumeBinding", "PersistentVolume"),
            ("VolumeClass", "StorageClass"), ("ConfigReference", "ConfigMap"),
            ("ConfigReference", "Secret"), ("ServiceAccountBinding", "ServiceAccount"),
            ("IngressBackend", "Service"), ("IngressBackend", "Bucket"),
            ("ScaleTarget", "Deployment")})
        pod = ("", "Pod", "kinds", "single")
        claim = ("", "PersistentVolumeClaim", "kinds", "single-cache")
        self.assertIs(graph["VolumeMount", pod, claim, ()], True)
        self.assertIs(graph["IngressBackend", ("networking.k8s.io", "Ingress", "kinds", "front"),
                            ("", "Service", "kinds", "fallback"), ()], False)

    def edit_references(self):
        spec = self.write("debug.json", json.dumps(
            {"envFrom": [{"secretRef": {"name": "for-debug", "optional": True}}]}))
        self.inner("debug", "pod/single", "--image=example.org/kinds/debug:1",
                   "--container=look", "--profile=general", f"--custom={spec}")
        self.inner("create", "service", "clusterip", "fallback", "--tcp=80")
        self.inner("create", "configmap", "extra", "--from-literal=a=b")
        self.inner("set", "env", "deployment/web", "GREETING-", "OTHER=1")
        self.inner("set", "serviceaccount", "deployment/web", "default")
        self.patch("ingress", "front", [
            {"op": "remove", "path": "/spec/rules/0/http/paths/2"},
            {"op": "replace", "path": "/spec/rules/0/http/paths/1/backend/service/name",
             "value": "db"}])
        self.patch("hpa", "web", [
            {"op": "replace", "path": "/spec/scaleTargetRef",
             "value": {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db"}},
            {"op": "replace", "path": "/spec/minReplicas", "value": 1}])
        self.inner("label", "pdb/web", "netpol/web", "sa/runner", "cronjob/nightly", "edited=yes")
        self.settle()

    def patch(self, kind, name, steps):
        self.inner("patch", kind, name, "--type=json", "-p", json.dumps(steps))

    def edit_data(self, host):
        """What they hold is no part of the graph: no change comes of it."""
        seq = host.seq()
        self.inner("patch", "secret", "keys", "-p", '{"stringData":{"token":"later-secret-text"}}')
        self.inner("patch", "cm", "settings", "-p", '{"data":{"greeting":"later-map-text"}}')
        self.inner("label", "secret/keys", "cm/settings", "turn=2")
        for kind, name in (("Secret", "keys"), ("ConfigMap", "settings")):
            host.until(lambda k=kind, n=name: host.resource(k, n, "kinds")["labels"] ==
                       {"turn": "2"}, 20, f"the new label of {kind} {name}")
            self.assertEqual(set(host.resource(kind, name, "kinds")["data"]),
                             {"apiVersion", "kind", "metadata"})
            said = [change for change in host.changes(seq)
                    if change.get("resource", {}).get("kind") == kind
                    and change["resource"]["name"] == name]
            self.assertEqual(len(said), 1, said)

    def delete_and_make_again(self):
        self.inner("delete", "secret/hub", "cm/settings", "sa/runner", "ingress/front",
                   "job/by-hand", "pod/single", *WAIT)
        self.kubectl("apply", "-f", WORKLOAD)
        self.settle()

    # -- what must not be anywhere

    def assert_not_said(self, host):
        said = host.api.get("/api/v1/changes", since=0).text
        for kind in kinds_model.KINDS:
            said += json.dumps(host.resources(kind))
        code, out, err = host.ctl("get", "secret", "-n", "kinds", "-o", "yaml")
        self.assertEqual(code, 0, err)
        self.assert_hidden((said + out).encode(), "the API")

    def assert_not_stored(self):
        """The bytes of the store's files, and its records taken out of their compression."""
        files = records = b""
        for name in os.listdir(self.folder):
            if name.startswith("graph.db"):
                with open(self.path(name), "rb") as file:
                    files += file.read()
        self.assert_hidden(files, "a file of the store")
        with contextlib.closing(sqlite3.connect(self.path("graph.db"))) as store:
            tables = store.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
            for (table,) in tables:
                for row in store.execute(f"SELECT * FROM {table}"):
                    records += b"".join(unpacked(v) for v in row if isinstance(v, bytes))
        self.assert_hidden(records, "a record of the store")

    def assert_hidden(self, text, where, seen=SEEN):
        for word in seen:
            self.assertIn(word, text, f"{where} does not hold what it should")
        for word in HIDDEN:
            for form in (word, base64.b64encode(word).rstrip(b"=")[:-2]):
                self.assertNotIn(form, text, f"{where} holds {form}")


def unpacked(blob):
    """What a record's bytes say; they are as they are where no zstd frame begins."""
    if blob[:4] != ZSTD:
        return blob
    room = ctypes.create_string_buffer(LARGEST)
    size = LIBZSTD.ZSTD_decompress(room, ctypes.c_size_t(LARGEST), blob,
                                   ctypes.c_size_t(len(blob)))
    return b"" if LIBZSTD.ZSTD_isError(ctypes.c_size_t(size)) else room.raw[:size]


if __name__ == "__main__":
    main()
