"""Names, types, labels and buckets: those of the contract, and those of docs/metrics.md."""

import gzip
import os
import re
import shutil
import subprocess
import unittest

from e2e.host import contract
from e2e.lib import env, openmetrics, prom
from e2e.lib.access import Program, kubeconfig
from e2e.lib.case import PAGED, KindredTest, main

ROW = re.compile(r"^\| `(\w+)` \| (\w+) \| (.*?) \| (.*) \|$", re.M)
BUCKETS = re.compile(r"^\| `(\w+)` \| ([0-9e. -]+) \|$", re.M)
FAMILIES = ("kindred", "rest_client", "controller_runtime", "leader_election", "informer",
            "certwatcher", "antimetal", "process")
NO_METRIC = {"kindred_data", "kindred_plugin", "kindred_add_plugin"}


def documented():
    with open(os.path.join(env.SOURCE, "docs", "metrics.md"), encoding="utf-8") as file:
        text = file.read()
    buckets = {name: [float(b) for b in bounds.split()] for name, bounds in BUCKETS.findall(text)}
    return {name: (kind, re.findall(r"`(\w+)`", labels), buckets.get(name, []), meaning)
            for name, kind, labels, meaning in ROW.findall(text)}


def in_the_source():
    """Every name of a family in core/, those that never show in a healthy process too."""
    found = set()
    quoted = re.compile(rf'"((?:{"|".join(FAMILIES)})_[a-z_0-9]+)"')
    for folder, _, names in os.walk(os.path.join(env.SOURCE, "core")):
        for name in names:
            if not name.endswith(".c"):
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            found |= set(quoted.findall(text))
            if folder.endswith("queue") and name == "meter.c":
                found |= {f"workqueue_{end}" for end in
                          re.findall(r'FAMILY\((?:KD_\w+, )?"(\w+)"', text)} | {"workqueue_depth"}
    return found - NO_METRIC


def shape(family):
    """(type, labels, buckets, help) of a family with samples; labels in their order."""
    labels = list(dict.fromkeys(k for _, found, _ in family.samples for k in found if k != "le"))
    bounds = [float(found["le"]) for name, found, _ in family.samples if "le" in found]
    bounds = sorted({b for b in bounds if b != float("inf")})
    return family.type, labels, bounds, family.help.strip()


class Names(KindredTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.maxDiff = None

    def shown(self):
        """Families of processes in which as much as possible happened."""
        cluster = self.fake(tls=True, pods=30)
        host = self.host(None, ["pod", "node"], defaults=PAGED, leader={"enabled": True})
        program = Program(self.path("p"), {"token": "t"})
        kubeconfig(os.path.join(host.folder, "kubeconfig"), cluster.url,
                   {"certificate-authority": cluster.server.tls.ca}, program.user())
        host.start().wait_ready()
        cluster.forbid("Pod")
        cluster.close_watches("Pod")
        host.wait_state("Pod", "forbidden")
        return host.metrics().families

    def test_the_page_is_as_documented_and_as_the_contract_wants_it(self):
        docs, wanted = documented(), contract.rows()
        for name, family in self.shown().items():
            with self.subTest(metric=name):
                kind, labels, bounds, meaning = shape(family)
                self.assertIn(name, docs)
                self.assertEqual((kind, labels, bounds, meaning), docs[name])
        for name, row in wanted.items():
            self.assertEqual(docs[name][:3], row, name)

    def test_no_name_is_missing_and_none_is_invented(self):
        self.assertEqual(sorted(documented()), sorted(in_the_source()))


class Formats(KindredTest):
    def setUp(self):
        super().setUp()
        self.host_ = self.ready(self.fake(pods=5), ["pod"])

    def page(self, **headers):
        return self.host_._metrics.request("GET", "/metrics", headers=headers)

    def test_open_metrics_by_accept(self):
        prometheus = ("application/openmetrics-text;version=1.0.0,"
                      "application/openmetrics-text;version=0.0.1;q=0.75,"
                      "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
        reply = self.page(Accept=prometheus)
        self.assertEqual(reply.headers["content-type"],
                         "application/openmetrics-text; version=1.0.0; charset=utf-8")
        opened = openmetrics.metrics(reply.text)
        plain = prom.Metrics(self.page(Accept="text/plain").text)
        self.assertEqual(set(opened.families), set(plain.families))
        for name in opened.families:
            self.assertEqual(shape(opened.families[name]), shape(plain.families[name]))
        for other in ("text/plain", "*/*", "application/openmetrics-text;q=0, text/plain",
                      "application/openmetrics-text;version=2.0.0",
                      "application/openmetrics-text;q=0.1, text/plain;q=0.2"):
            self.assertTrue(self.page(Accept=other).headers["content-type"].startswith(
                "text/plain; version=0.0.4"), other)

    def test_gzip_by_accept_encoding(self):
        plain = self.page().body
        for coding in ("gzip", "deflate, GZIP;q=0.5"):
            reply = self.page(**{"Accept-Encoding": coding})
            self.assertEqual(reply.headers["content-encoding"], "gzip")
            self.assertLess(len(reply.body), len(plain) / 4)
            self.assertIn(b"workqueue_depth", gzip.decompress(reply.body))
        for coding in ("identity", "gzip;q=0", "br"):
            self.assertNotIn("content-encoding",
                             self.page(**{"Accept-Encoding": coding}).headers)

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
    def test_promtool(self):
        done = subprocess.run(["promtool", "check", "metrics"], input=self.page().text,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


if __name__ == "__main__":
    main()
