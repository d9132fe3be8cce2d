"""Kubeconfigs of every form, credential programs, and proxies of ours."""

import json
import os
import select
import socket
import threading

V1 = "client.authentication.k8s.io/v1"

PROGRAM = """#!/bin/sh
# Prints the next of the answers 0, 1, 2 ... (the last one repeats) and notes each run.
cd '{folder}' || exit 1
echo "$KUBERNETES_EXEC_INFO" >>runs
n=$(wc -l <runs)
while [ "$n" -gt 1 ] && [ ! -e "answer$((n - 1))" ]; do n=$((n - 1)); done
exec cat "answer$((n - 1))"
"""


def kubeconfig(path, server, cluster=None, user=None, **context):
    """Writes a kubeconfig (JSON is YAML) with one context."""
    document = {
        "apiVersion": "v1", "kind": "Config", "current-context": "x",
        "clusters": [{"name": "c", "cluster": {"server": server, **(cluster or {})}}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", **context}}],
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    return path


class Program:
    """A credential program in a folder of its own."""

    def __init__(self, folder, *answers, version=V1):
        os.makedirs(folder)
        self.folder = folder
        self.path = os.path.join(folder, "tok")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(folder=folder))
        os.chmod(self.path, 0o755)
        self.version = version
        for number, status in enumerate(answers):
            self.answer(number, status)

    def answer(self, number, status):
        """Sets answer NUMBER, whole at once."""
        name = os.path.join(self.folder, f"answer{number}")
        with open(name + ".new", "w", encoding="utf-8") as file:
            json.dump({"apiVersion": self.version, "kind": "ExecCredential", "status": status},
                      file)
        os.rename(name + ".new", name)

    def runs(self):
        """What each run so far was told, in order."""
        try:
            with open(os.path.join(self.folder, "runs"), encoding="utf-8") as file:
                return [json.loads(line) for line in file]
        except FileNotFoundError:
            return []

    def user(self, command=None, **over):
        return {"exec": {"command": command or self.path, "apiVersion": self.version,
                         "interactiveMode": "Never", **over}}


class Proxy:
    """A proxy on 127.0.0.1: HTTP CONNECT (also over TLS) and SOCKS5. Notes whom it was asked for.

    `to`: (host, port) that every connection goes to, whatever name was asked for.
    """

    def __init__(self, to, context=None):
        self.to = to
        self.context = context
        self.asked = []         # ("connect" or "socks5", host, port, headers)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads = []
        self._sockets = []
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    def _accept(self):
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self._sockets.append(sock)
            thread = threading.Thread(target=self._serve, args=(sock,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def _serve(self, sock):
        try:
            if self.context:
                sock = self.context.wrap_socket(sock, server_side=True)
                self._sockets.append(sock)
            first = sock.recv(1)
            self._socks(sock) if first == b"\x05" else self._connect(sock, first)
            with socket.create_connection(self.to) as other:
                self._sockets.append(other)
                relay(sock, other)
        except OSError:
            pass
        finally:
            sock.close()

    def _connect(self, sock, head):
        while not head.endswith(b"\r\n\r\n"):
            piece = sock.recv(1)
            if not piece:
                raise OSError("closed")
            head += piece
        lines = head.decode("ascii").split("\r\n")
        host, _, port = lines[0].split()[1].rpartition(":")
        headers = {name.lower(): value for name, _, value in
                   (line.partition(": ") for line in lines[1:] if line)}
        self.asked.append(("connect", host, int(port), headers))
        sock.sendall(b"HTTP/1.1 200 Connection established\r\nX-Proxy: ours\r\n\r\n")

    def _socks(self, sock):
        sock.recv(sock.recv(1)[0])
        sock.sendall(b"\x05\x00")
        form = sock.recv(4)[3]
        host = (sock.recv(sock.recv(1)[0]).decode("ascii") if form == 3 else
                socket.inet_ntop({1: socket.AF_INET, 4: socket.AF_INET6}[form],
                                 sock.recv(4 if form == 1 else 16)))
        port = int.from_bytes(sock.recv(2), "big")
        self.asked.append(("socks5", host, port, {}))
        sock.sendall(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for sock in self._sockets:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self._acceptor.join(10)
        for thread in self._threads:
            thread.join(10)


class Terminator:
    """Speaks TLS as the server of `context` and hands all on to an API server at `to`.

    `context` may be replaced: what connects from then on sees the new certificate.
    """

    def __init__(self, to, context, upstream, host="127.0.0.1"):
        self.to = to
        self.context = context
        self.upstream = upstream
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, 0), family=family)
        self.port = self._listener.getsockname()[1]
        self._sockets = []
        self._threads = []
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    def _accept(self):
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(sock,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def _serve(self, sock):
        try:
            sock = self.context.wrap_socket(sock, server_side=True)
            self._sockets.append(sock)
            with socket.create_connection(self.to) as plain, self.upstream.wrap_socket(
                    plain, server_hostname=self.to[0]) as other:
                self._sockets.append(other)
                relay(sock, other)
        except OSError:
            pass
        finally:
            sock.close()

    def drop(self):
        """Cuts what is open."""
        for sock in self._sockets:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._acceptor.join(10)
        self.drop()
        for thread in self._threads:
            thread.join(10)


def relay(one, other):
    """Copies both ways until one side ends. Both may be TLS sockets."""
    while True:
        ready = [sock for sock in (one, other) if getattr(sock, "pending", lambda: 0)()]
        ready = ready or select.select([one, other], [], [])[0]
        for sock in ready:
            data = sock.recv(65536)
            if not data:
                return
            (other if sock is one else one).sendall(data)
