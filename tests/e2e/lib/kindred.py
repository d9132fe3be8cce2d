"""One kindred process: configuration in; API, metrics, health and log out."""

import ctypes
import json
import os
import re
import signal
import subprocess

from . import conf, env
from .api import Http
from .prom import Metrics
from .waiting import wait_until

REPORT = re.compile(r"(?:ERROR|WARNING): (?:Address|Leak|Thread|Memory)Sanitizer|"
                    r"^.*: runtime error: .*$", re.M)
LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1
STOPPED = "kindred has ended by itself"


def end_with_the_test():
    """In the child: it is killed when a time limit kills the test itself."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Ended(AssertionError):
    """The process ended while a test waited for it."""


class Kindred:
    """`folder` is the test's own; `config` a whole configuration, or the text of one."""

    def __init__(self, folder, config, ports=None, environ=None):
        self.folder = folder
        self.config_path = os.path.join(folder, "kindred.conf")
        self.socket = os.path.join(folder, "api.sock")
        self.ports = ports or {}
        self.environ = environ or {}
        self.process = None
        self.tail = ""
        self.write_config(config)
        self.api = Http(self.socket)
        self.health = Http(("127.0.0.1", self.ports["health"])) if self.ports else None
        self._metrics = Http(("127.0.0.1", self.ports["metrics"])) if self.ports else None

    def write_config(self, config):
        with open(self.config_path, "w", encoding="utf-8") as file:
            file.write(config if isinstance(config, str) else conf.text(config))

    # -- the process

    def command(self, *words):
        return [env.program("kindred"), *words, "--config", self.config_path]

    def environment(self):
        clean = {k: v for k, v in os.environ.items()
                 if not k.startswith(("KINDRED_", "KUBERNETES_")) and k != "KUBECONFIG"
                 and not k.lower().endswith("_proxy")}
        return {**clean, **self.environ}

    def start(self):
        with open(self._file("stdout"), "ab") as out, open(self._file("stderr"), "ab") as err:
            self.process = subprocess.Popen(self.command("run"), stdin=subprocess.DEVNULL,
                                            stdout=out, stderr=err, cwd=self.folder,
                                            env=self.environment(),
                                            preexec_fn=end_with_the_test)
        return self

    def once(self, *words, timeout=30.0):
        """Runs a kindred command to its end: (exit code, stdout, stderr)."""
        done = subprocess.run(self.command(*words), stdin=subprocess.DEVNULL, capture_output=True,
                              cwd=self.folder, env=self.environment(), text=True,
                              errors="replace", timeout=env.scaled(timeout))
        self.tail = done.stdout + done.stderr
        return done.returncode, done.stdout, done.stderr

    def ctl(self, *words, timeout=30.0):
        """Runs kindredctl against this process: (exit code, stdout, stderr)."""
        done = subprocess.run(
            [env.program("kindredctl"), "--server", f"unix:{self.socket}", *words],
            stdin=subprocess.DEVNULL, capture_output=True, env=self.environment(), text=True,
            timeout=env.scaled(timeout))
        return done.returncode, done.stdout, done.stderr

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def running(self):
        return self.process is not None and self.process.poll() is None

    def wait_exit(self, timeout=45.0):
        """The exit code; kills the process and fails after `timeout`."""
        try:
            return self.process.wait(env.scaled(timeout))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"kindred did not end within {env.scaled(timeout)} s") from None

    def stop(self, timeout=45.0):
        """SIGTERM and the exit code; None when it was never started."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.signal()
        return self.wait_exit(timeout)

    def collect(self):
        """Ends what still runs; keeps the log's tail; fails on sanitizer reports."""
        try:
            if self.running():
                self.stop()
        finally:
            self.tail = self.log_text()[-6000:] or self.tail
        report = REPORT.search(self.log_text() + self.tail)
        if report:
            raise AssertionError(f"sanitizer report: {report.group()}")

    def memory_kb(self, field="VmRSS"):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(field + ":"))

    # -- the log

    def _file(self, name):
        return os.path.join(self.folder, name)

    def log_text(self):
        text = ""
        for name in ("stdout", "stderr"):
            if os.path.exists(self._file(name)):
                with open(self._file(name), encoding="utf-8", errors="replace") as file:
                    text += file.read()
        return text

    def log_lines(self):
        """The log's JSON objects; lines that are none are left out."""
        found = []
        for line in self.log_text().splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict):
                found.append(entry)
        return found

    def logged(self, *words):
        """Lines of the log that hold all these words, case set aside."""
        return [line for line in self.log_text().splitlines()
                if all(w.lower() in line.lower() for w in words)]

    # -- waiting

    def until(self, predicate, timeout=20.0, describe="the condition"):
        """As wait_until, but ends at once when the process has ended."""
        def checked():
            if not self.running():
                raise Ended(f"{STOPPED} (exit code {self.process.poll()}) before {describe}")
            return predicate()
        return wait_until(checked, timeout, describe)

    def wait_api(self, timeout=20.0):
        self.until(lambda: self.api.get("/api/v1/kinds").status == 200, timeout, "the API")
        return self

    def wait_ready(self, timeout=30.0):
        self.until(lambda: self.health.get("/readyz").status == 200, timeout, "/readyz")
        return self

    def wait_stored(self, kind, count, timeout=30.0):
        self.until(lambda: self.kind(kind)["stored"] == count, timeout,
                   f"{count} stored of {kind}")
        return self

    def wait_state(self, kind, state, timeout=20.0):
        self.until(lambda: self.kind(kind)["state"] == state, timeout, f"{kind} {state}")
        return self

    # -- the API

    def kinds(self):
        """kind -> its item of /api/v1/kinds."""
        return {item["kind"]: item for item in self.api.json("/api/v1/kinds")["items"]}

    def kind(self, name):
        return self.kinds().get(name) or {"state": "missing", "stored": -1, "objects": -1}

    def plugins(self):
        return {item["name"]: item for item in self.api.json("/api/v1/plugins")["items"]}

    def _pages(self, path, query):
        items, token = [], ""
        while True:
            page = self.api.json(path, **query, **({"continue": token} if token else {}))
            items += page["items"]
            token = page.get("continue", "")
            if not token:
                return items

    def resources(self, kind="Pod", **query):
        """All pages of /api/v1/resources."""
        return self._pages("/api/v1/resources", {"kind": kind, **query})

    def resource(self, kind, name, namespace="default"):
        """One resource, or None."""
        query = {"name": name, **({"namespace": namespace} if namespace else {})}
        found = self.resources(kind, **query)
        return found[0] if found else None

    def names(self, kind="Pod", **query):
        return sorted(item["ref"]["name"] for item in self.resources(kind, **query))

    def relationships(self, **query):
        """All pages of /api/v1/relationships; subject, object, predicate may be open."""
        return self._pages("/api/v1/relationships", query)

    def relations(self, **query):
        """{(type, subject, object)} with ends as Kind/namespace/name."""
        return {(r["predicate"]["type"], ref(r["subject"]), ref(r["object"]))
                for r in self.relationships(**query)}

    def graph(self, root, **query):
        return self.api.json("/api/v1/graph", root=root, **query)

    def changes(self, since=0):
        reply = self.api.get("/api/v1/changes", since=since)
        assert reply.status == 200, reply.text
        return [json.loads(line) for line in reply.text.splitlines() if line.strip()]

    def seq(self):
        """The sequence number that the last list answer is true for."""
        return self.api.json("/api/v1/resources", kind="Pod", limit=1)["seq"]

    def metrics(self):
        return Metrics(self._metrics.get("/metrics").text)


def ref(reference):
    return f"{reference['kind']}/{reference['namespace']}/{reference['name']}"
