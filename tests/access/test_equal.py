"""kindred's loader means what client-go's means: both go through one table."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

from access import table
from e2e.lib import env
from wire.tls import Files

PEER = os.environ.get("KINDRED_PEER") or os.path.join(env.SOURCE, "build", "cluster",
                                                      "kindred-cluster")
SHOW = os.path.join(env.BUILD, "tests", "access", "access_show")
DECISION = os.path.join(env.SOURCE, "docs", "decisions")
FIELDS = ("server", "ca", "insecure", "serverName", "cert", "proxy", "headers", "compression")


def certificates(folder):
    """Two of each, as text."""
    texts = {}
    for end in ("", "2"):
        made = Files(os.path.join(folder, f"pem{end}"))
        for name, file in (("ca", "ca.crt"), ("cert", "client.crt"), ("key", "client.key")):
            with open(made.path(file), encoding="ascii") as stream:
                texts[name + end] = stream.read()
    return texts


def write(folder, files, encoding):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text.replace("@/", folder + "/").encode(encoding))
        os.chmod(path, 0o755)


def case(folder, options):
    def placed(text):
        return text.replace("@/", folder + "/")
    variables = {"PATH": "/usr/bin:/bin", "HOME": folder,
                 **{k: placed(v) for k, v in options.get("env", {}).items()}}
    return {"dir": folder, "env": variables, "kubeconfig": placed(options.get("kubeconfig", "")),
            "context": options.get("context", "")}


def show(one):
    done = subprocess.run([SHOW, one["kubeconfig"], one["context"]], capture_output=True,
                          text=True, timeout=env.scaled(60), cwd=one["dir"], check=False,
                          env={**one["env"], **sanitizer()})
    if done.returncode != 0:
        raise AssertionError(f"{one}: {done.stderr[-3000:]}")
    return json.loads(done.stdout)


def sanitizer():
    return {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}


def shown(result):
    """What is compared: that there is an error, or every field."""
    if result["error"]:
        return "an error"
    return {field: result.get(field) for field in FIELDS}


class Equal(unittest.TestCase):
    def setUp(self):
        self.maxDiff = None
        self.folder = tempfile.mkdtemp(prefix="kd-access-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.rows = table.rows(certificates(self.folder))
        self.cases = []
        for number, (_, files, options) in enumerate(self.rows):
            folder = os.path.join(self.folder, f"case{number}")
            os.makedirs(folder)
            write(folder, files, options.get("encoding", "utf-8"))
            self.cases.append(case(folder, options))

    def test_the_table_is_large_and_its_names_differ(self):
        names = [name for name, _, _ in self.rows]
        self.assertGreaterEqual(len(names), 100)
        self.assertEqual(sorted(set(names)), sorted(names))

    def test_every_difference_is_a_decision(self):
        text = ""
        for name in os.listdir(DECISION):
            if name.endswith("-access.md"):
                with open(os.path.join(DECISION, name), encoding="utf-8") as file:
                    text += file.read()
        for name, _, options in self.rows:
            if "differs" in options:
                self.assertIn(f"**{options['differs']}", text, name)

    def test_errors_tell_no_secrets(self):
        for (name, _, _), one in zip(self.rows, self.cases):
            error = show(one)["error"]
            for secret in ("by-program", "tok-A", "X-Evil", "me:pw", "PRIVATE"):
                self.assertNotIn(secret, error, name)

    def test_equal_to_client_go(self):
        if not os.access(PEER, os.X_OK):
            self.skipTest("the control plane is not built: run tests/cluster/build")
        done = subprocess.run([PEER, "access"], input=json.dumps(self.cases), text=True,
                              capture_output=True, timeout=env.scaled(300), check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        for (name, _, options), one, theirs in zip(self.rows, self.cases,
                                                   json.loads(done.stdout)):
            ours = show(one)
            with self.subTest(name):
                said = f"{name}\nkindred: {ours['error']}\nclient-go: {theirs['error']}"
                if "differs" in options:
                    self.assertNotEqual(shown(ours), shown(theirs), said)
                else:
                    self.assertEqual(shown(ours), shown(theirs), said)


if __name__ == "__main__":
    unittest.main(module="__main__")
