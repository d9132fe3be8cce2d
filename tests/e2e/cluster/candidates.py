"""Candidates for one Lease of a real API server: kindred, and one that elects with client-go."""

import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import threading
import time
from datetime import datetime

from e2e.cluster.proxy import Proxy
from e2e.lib import env, leases
from e2e.lib.kindred import end_with_the_test

PROGRAM = os.path.join(env.SOURCE, "build", "cluster", "kindred-elect")
SERVER = re.compile(r"server: https://127\.0\.0\.1:(\d+)")
LEASE = f"{leases.PATH}/{leases.NAME}"


def stamp(text):
    """Seconds of an RFC 3339 text."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Api:
    """Requests of the test's own to the API server, on one connection."""

    def __init__(self, kubeconfig):
        with open(kubeconfig, encoding="utf-8") as file:
            text = file.read()
        self.port = int(SERVER.search(text)[1])
        self._token = re.search(r"token: (\S+)", text)[1]
        self._lock = threading.Lock()
        self._connection = None

    def request(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        with self._lock:
            try:
                return self._send(method, path, body, headers)
            except (OSError, http.client.HTTPException):
                self._connection = None
                return self._send(method, path, body, headers)

    def _send(self, method, path, body, headers):
        if self._connection is None:
            context = ssl._create_unverified_context()      # the server of this very test
            self._connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30,
                                                           context=context)
        self._connection.request(method, path, json.dumps(body) if body else None, headers)
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read() or b"{}")

    def close(self):
        if self._connection:
            self._connection.close()

    def lease(self):
        status, found = self.request("GET", LEASE)
        return found.get("spec", {}) if status == 200 else {}


class Theirs:
    """The candidate with client-go's election, behind a proxy of its own."""

    def __init__(self, folder, kubeconfig, port):
        self.proxy = Proxy("127.0.0.1", port)
        self._folder = folder
        self._n = 0
        self._process = None
        self._out = os.path.join(folder, "elect.out")
        self._kubeconfig = os.path.join(folder, "elect.kubeconfig")
        with open(kubeconfig, encoding="utf-8") as file:
            text = file.read()
        with open(self._kubeconfig, "w", encoding="utf-8") as file:
            file.write(SERVER.sub(f"server: https://127.0.0.1:{self.proxy.port}", text))

    def start(self):
        self._n += 1
        self.identity = f"client-go-{self._n}"
        with open(self._out, "ab") as out, open(self._out + ".err", "ab") as err:
            self._process = subprocess.Popen(
                [PROGRAM, "--kubeconfig", self._kubeconfig, "--identity", self.identity],
                stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=end_with_the_test)

    def owns(self, identity):
        return identity == self.identity

    def signal(self, number):
        self._process.send_signal(number)

    def wait(self):
        self._process.wait(30)

    def end(self):
        if self._process and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self.proxy.close()

    def spans(self):
        """What it believed: [(since, until)] of its leads, in seconds."""
        found, since = [], None
        with open(self._out, encoding="ascii") as file:
            for line in file:
                at, _, what = line.strip().partition(" ")
                if what == "leading":
                    since = int(at) / 1e9
                elif what in ("stopped", "started") and since:
                    found.append((since, int(at) / 1e9))
                    since = None
        return found + ([(since, time.time())] if since else [])


class Ours:
    """A kindred behind a proxy of its own, started again and again."""

    def __init__(self, host, port):
        self.host = host
        self.proxy = Proxy("127.0.0.1", port)
        path = os.path.join(host.folder, "kubeconfig")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(SERVER.sub(f"server: https://127.0.0.1:{self.proxy.port}", text))

    def start(self):
        self.host.start()

    def owns(self, identity):
        return "_" in identity and not identity.startswith("client-go")

    def signal(self, number):
        self.host.signal(number)

    def wait(self):
        self.host.process.wait(30)

    def end(self):
        self.proxy.stall(False)
        self.host.stop()
        self.proxy.close()


class History(threading.Thread):
    """What the Lease said, looked at all the time: [(holder, renewTime)], each once."""

    def __init__(self, api):
        super().__init__(daemon=True)
        self._api = api
        self._over = threading.Event()
        self.seen = []

    def run(self):
        while not self._over.wait(0.02):
            spec = self._api.lease()
            entry = (spec.get("holderIdentity", ""), spec.get("renewTime", ""))
            if spec and (not self.seen or self.seen[-1] != entry):
                self.seen.append(entry)

    def stop(self):
        self._over.set()
        self.join()

    def reigns(self, owns, renew):
        """[(first claim, end of the last one's time)] of a candidate."""
        found = []
        before = None
        for identity, renewed in self.seen:
            if identity and owns(identity):
                at = stamp(renewed)
                if before == identity:
                    found[-1] = (found[-1][0], at + renew)
                else:
                    found.append((at, at + renew))
            before = identity
        return found


WAYS = {
    "kill": lambda c: c.signal(signal.SIGKILL),
    "stop": lambda c: c.signal(signal.SIGTERM),
    "sleep": lambda c: c.signal(signal.SIGSTOP),
    "stall": lambda c: c.proxy.stall(),
}


def back(candidate, way):
    """Brings one that has lost the lead back as a follower."""
    if way in ("kill", "stop"):
        candidate.wait()
        candidate.start()
    elif way == "sleep":
        candidate.signal(signal.SIGCONT)
    else:
        candidate.proxy.stall(False)
