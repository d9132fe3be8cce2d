"""A program of tests/bench/peers that is told what to do by lines."""

import os
import subprocess
import time

from e2e.lib.kindred import end_with_the_test


class Talking:
    """Reads a program's lines, writes orders; ends it by closing its input."""

    def __init__(self, command, kubeconfig, environ=None):
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL, preexec_fn=end_with_the_test,
            env={**os.environ, "KUBECONFIG": kubeconfig, **(environ or {})})

    @property
    def pid(self):
        return self.process.pid

    def line(self, start):
        """The next line that begins so, and those before it."""
        before = []
        for text in self.process.stdout:
            text = text.rstrip("\n")
            if text.startswith(start):
                return text, before
            before.append(text)
        raise RuntimeError(f"{self.process.args[0]} ended; waited for {start!r}, got {before[-3:]}")

    def order(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def stop(self):
        try:
            self.process.stdin.close()
            self.process.wait(10)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Peer(Talking):
    """A peer under measurement."""

    title = ""

    def wait_synced(self):
        line, before = self.line("synced")
        self.title = next((b[5:] for b in before if b.startswith("peer ")), "")
        return int(line.partition("objects=")[2])

    def settle(self):
        self.order("settle")
        self.line("settled")

    def arrivals(self):
        """{number: nanoseconds}; stops the program."""
        self.order("latency")
        found = numbered(self.line("end")[1])
        self.stop()
        return found


def numbered(lines):
    return {int(number): int(at) for number, at in (line.split() for line in lines)}
