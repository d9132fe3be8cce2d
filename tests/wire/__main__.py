"""python3 -m wire --script FILE.json --port-file F --log F [--tls]: see README.md."""

import argparse
import ctypes
import os
import signal
import sys
import threading

from . import script as scripts
from .cluster import FakeCluster
from .control import Control
from .server import Server

PR_SET_PDEATHSIG = 1


def options():
    parser = argparse.ArgumentParser(prog="wire")
    parser.add_argument("--script", required=True)
    parser.add_argument("--port-file", required=True)
    parser.add_argument("--log")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--client-cert", action="store_true", help="TLS clients must show one")
    parser.add_argument("--cert-dir", help="folder for ca.crt, client.crt, ...")
    return parser.parse_args()


def write_port(path, port):
    """In one step, so that a reader never sees half of it."""
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(f"{port}\n")
    os.rename(path + ".new", path)


def main():
    opts = options()
    parent = os.getppid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        return 1
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    try:
        script = scripts.load(opts.script)
        server = Server(host=opts.host, port=opts.port, tls=opts.tls, client_ca=opts.client_cert,
                        cert_dir=opts.cert_dir, log_path=opts.log)
        scripts.apply(server, script)
        cluster = None
        if "cluster" in script:
            cluster = FakeCluster(server=server, **script["cluster"])
        server.control = Control(server, cluster)
    except (OSError, ValueError, TypeError) as error:
        print(f"wire: {error}", file=sys.stderr)
        return 2
    with server:
        write_port(opts.port_file, server.port)
        ended.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
