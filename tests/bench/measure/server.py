"""The server of ours that makes pods on the fly."""

import urllib.request

from .ground import program
from .peer import Talking


class Server(Talking):
    """A running peers/replay."""

    def __init__(self, pods, seed):
        super().__init__([program("replay"), "--pods", str(pods), "--seed", str(seed)], "")
        self.url = self.line("http://")[0]

    def numbers(self, path, data=None):
        with urllib.request.urlopen(self.url + path, data, timeout=600) as answer:
            return [int(n) for n in answer.read().split()]

    def stop(self):
        self.process.terminate()
        super().stop()
