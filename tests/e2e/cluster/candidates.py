"""Candidates for one Lease of a real API server: kindred, and one that elects with client-go."""

import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import threading
import time
from datetime import datetime

from e2e.cluster.proxy import Proxy
from e2e.lib import env, leases
from e2e.lib.kindred import end_with_the_test
from e2e.lib.waiting import wait_until

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
        self._watching = None

    def _headers(self):
        return {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}

    def _connect(self):
        context = ssl._create_unverified_context()      # the server of this very test
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30, context=context)

    def request(self, method, path, body=None):
        headers = self._headers()
        with self._lock:
            try:
                return self._send(method, path, body, headers)
            except (OSError, http.client.HTTPException):
                self._connection = None
                return self._send(method, path, body, headers)

    def _send(self, method, path, body, headers):
        if self._connection is None:
            self._connection = self._connect()
        self._connection.request(method, path, json.dumps(body) if body else None, headers)
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read() or b"{}")

    def watch_lease(self, version):
        """Events of the Lease behind a version ("": all from now on), until the server ends."""
        path = (f"{leases.PATH}?watch=1&fieldSelector=metadata.name%3D{leases.NAME}"
                f"&resourceVersion={version}")
        self._watching = self._connect()
        self._watching.request("GET", path, headers=self._headers())
        for line in self._watching.getresponse():
            yield json.loads(line)

    def unwatch(self):
        """Ends the watch, which another thread reads."""
        if self._watching and self._watching.sock:
            self._watching.sock.shutdown(socket.SHUT_RDWR)

    def close(self):
        for connection in (self._connection, self._watching):
            if connection:
                connection.close()

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
    """What the Lease said, every version of it: [(holder, renewTime)], by a watch."""

    def __init__(self, api):
        super().__init__(daemon=True)
        self._api = api
        self._over = threading.Event()
        self.seen = []
        self.fault = None

    def run(self):
        version = ""
        while not self._over.is_set():
            try:
                for event in self._api.watch_lease(version):
                    if event["type"] not in ("ADDED", "MODIFIED"):
                        raise AssertionError(f"the Lease's watch says {event}")
                    version = event["object"]["metadata"]["resourceVersion"]
                    spec = event["object"]["spec"]
                    self.seen.append((spec.get("holderIdentity", ""), spec.get("renewTime", "")))
            except (OSError, http.client.HTTPException, AssertionError) as fault:
                self.fault = None if self._over.is_set() else fault
                return

    def stop(self):
        """Once it has seen what the Lease says now."""
        last = self._api.lease().get("renewTime", "")
        wait_until(lambda: self.fault or (self.seen and self.seen[-1][1] >= last), 30,
                   "the Lease's last version in its history")
        self._over.set()
        self._api.unwatch()
        self.join()
        if self.fault:
            raise AssertionError(f"the Lease's history has a gap: {self.fault}")

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
