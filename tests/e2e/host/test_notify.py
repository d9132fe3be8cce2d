"""What a service manager is told through NOTIFY_SOCKET."""

import os
import signal
import socket
import uuid

from e2e.host.reloading import ReloadTest
from e2e.lib import env
from e2e.lib.case import main
from e2e.lib.waiting import wait_until


class Manager:
    """The other end: collects datagrams."""

    def __init__(self, address):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(address)
        self._socket.settimeout(0.05)
        self.seen = []

    def take(self):
        """Everything that has come so far, as dicts."""
        try:
            while True:
                lines = self._socket.recv(4096).decode().splitlines()
                self.seen.append(dict(line.split("=", 1) for line in lines))
        except TimeoutError:
            return self.seen

    def wait(self, key, value=None, count=1, timeout=20):
        def found():
            return [m for m in self.take()
                    if key in m and (value is None or m[key] == value)]
        wait_until(lambda: len(found()) >= count, timeout, f"{key} {value} x {count}")
        return found()

    def close(self):
        self._socket.close()


class Notify(ReloadTest):
    def manager(self, name=None, **environ):
        address = name if name else self.path("notify.sock")
        made = Manager("\0" + address[1:] if address.startswith("@") else address)
        self.addCleanup(made.close)
        self.environ = {"NOTIFY_SOCKET": address, **environ}
        return made

    def begin_with(self, *kinds, **over):
        def place(box):
            box.environ.update(self.environ)
        return self.begin(kinds or ("pod", "node"), place=place, **over)

    def test_start_reload_and_stop(self):
        manager = self.manager()
        host = self.begin_with()
        manager.wait("READY", "1")
        manager.wait("STATUS", "2 of 2 kinds ready")
        self.kinds("pod")
        self.reload()
        manager.wait("READY", "1", 2)
        begun = [m for m in manager.seen if m.get("RELOADING") == "1"]
        self.assertEqual(len(begun), 1)
        self.assertGreater(int(begun[0]["MONOTONIC_USEC"]), 0)
        after = manager.seen[manager.seen.index(begun[0]) + 1:]
        self.assertIn({"READY": "1"}, after)
        manager.wait("STATUS", "1 of 1 kinds ready")
        self.settings["typo"] = 1
        self.reload("refused")
        manager.wait("READY", "1", 3)
        self.assertEqual(host.stop(), 0)
        manager.wait("STOPPING", "1")
        self.assertNotIn("WATCHDOG", {key for m in manager.seen for key in m})

    def test_an_abstract_socket(self):
        manager = self.manager("@kindred-test-" + uuid.uuid4().hex)
        self.begin_with()
        manager.wait("READY", "1")

    def test_signs_of_life(self):
        manager = self.manager(WATCHDOG_USEC="400000")
        host = self.begin_with()
        manager.wait("WATCHDOG", "1", 4)
        host.signal(signal.SIGSTOP)
        try:
            manager.take()
            count = len(manager.wait("WATCHDOG", "1"))
        finally:
            host.signal(signal.SIGCONT)
        manager.wait("WATCHDOG", "1", count + 2)

    def test_another_process_is_watched(self):
        manager = self.manager(WATCHDOG_USEC="200000", WATCHDOG_PID="1")
        self.begin_with()
        manager.wait("STATUS", "2 of 2 kinds ready")
        self.assertEqual([m for m in manager.take() if "WATCHDOG" in m], [])

    def test_nobody_listens(self):
        self.environ = {"NOTIFY_SOCKET": self.path("nobody.sock"), "WATCHDOG_USEC": "100000"}
        host = self.begin_with()
        self.assertEqual(host.stop(), 0)

    def test_a_stuck_io_thread_gives_no_sign_of_life(self):
        """stuck.so's filter waits for a file; it runs on the I/O thread."""
        gate = self.path("gate")
        manager = self.manager(WATCHDOG_USEC="200000", STUCK_GATE=gate)
        self.begin_with("node", "stuck")
        manager.wait("WATCHDOG", "1", 3)
        self.cluster.modify("Pod", "a", change={"metadata": {"labels": {"stuck": "yes"}}})
        wait_until(lambda: os.path.exists(gate + ".waiting"), describe="the filter waits")
        wait_until(lambda: self.is_silent(manager), 30, "no more signs of life")
        count = len(manager.wait("WATCHDOG", "1"))
        with open(gate, "w", encoding="ascii"):
            pass
        manager.wait("WATCHDOG", "1", count + 2)

    @staticmethod
    def is_silent(manager):
        """Nothing came for as long as ten of them would have taken."""
        before = len(manager.take())
        manager._socket.settimeout(env.scaled(1.0))
        try:
            return len(manager.take()) == before
        finally:
            manager._socket.settimeout(0.05)


if __name__ == "__main__":
    main()
