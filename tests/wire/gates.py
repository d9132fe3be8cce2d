"""Named gates: what a scripted answer waits on instead of sleeping.

A gate is an eventfd that nobody reads: once opened it stays readable, so a
connection can wait for "gate, client gone, or server stopped" in one poll.
"""

import os
import select
import threading


class Gate:
    """Closed at first; open() is for good and wakes everyone who waits."""

    def __init__(self, name=""):
        self.name = name
        self.fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._lock = threading.Lock()
        self._open = False

    def open(self):
        with self._lock:
            if self._open or self.fd < 0:
                return
            self._open = True
            os.eventfd_write(self.fd, 1)

    @property
    def is_open(self):
        return self._open

    def wait(self, timeout):
        """True when open within `timeout` seconds."""
        if self._open:
            return True
        return bool(wait_readable([self.fd], timeout))

    def close(self):
        with self._lock:
            if self.fd >= 0:
                os.close(self.fd)
                self.fd = -1


class Gates:
    """All gates of a server, made on first use by either side."""

    def __init__(self):
        self._lock = threading.Lock()
        self._gates = {}

    def get(self, name):
        with self._lock:
            gate = self._gates.get(name)
            if gate is None:
                gate = self._gates[name] = Gate(name)
            return gate

    __getitem__ = get

    def open(self, name):
        self.get(name).open()

    def close(self):
        with self._lock:
            gates, self._gates = list(self._gates.values()), {}
        for gate in gates:
            gate.close()


def wait_readable(fds, timeout=None):
    """The set of `fds` that are readable (or hung up) within `timeout` seconds."""
    poll = select.poll()
    for fd in fds:
        if fd >= 0:
            poll.register(fd, select.POLLIN)
    wait_ms = None if timeout is None else max(0, int(timeout * 1000 + 0.999))
    return {fd for fd, _ in poll.poll(wait_ms)}
