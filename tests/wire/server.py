"""The scripted server: routes with ordered answers, a log, gates; HTTP or TLS."""

import contextlib
import http.client
import socket
import threading

from . import answer as answers
from . import tls as tls_files
from .connection import Connection, Gone, Writer
from .gates import Gate, Gates
from .log import Request, RequestLog
from .routes import Routes


class Server:
    """Use as a context manager, or start() and stop()."""

    def __init__(self, *, host="127.0.0.1", port=0, tls=False, client_ca=False, cert_dir=None,
                 log_path=None, fallback=None, control=None):
        self.host = host
        self.log = RequestLog(log_path)
        self.gates = Gates()
        self.routes = Routes()
        self.fallback = fallback        # callable(request) -> answer, when no route matches
        self.control = control          # callable(request) -> answer, for /_wire/ (not logged)
        self.connections = 0            # accepted so far
        self.tls = tls_files.Files(cert_dir) if tls else None
        self._context = self.tls.server_context(client_ca) if tls else None
        self._stop = Gate("stop")
        self._lock = threading.Lock()
        self._live = set()
        self._threads = set()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.socket(family, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((host, port))
        self._listener.listen(128)
        self.port = self._listener.getsockname()[1]
        self._acceptor = threading.Thread(target=self._accept, name="wire-accept", daemon=True)

    @property
    def url(self):
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}"

    def route(self, method, path, *script, **match):
        """Adds a route; see Routes.add."""
        return self.routes.add(method, path, *script, **match)

    # -- life

    def start(self):
        self._acceptor.start()
        return self

    def stop(self):
        self._stop.open()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        if self._acceptor.ident:
            self._acceptor.join(10)
        self.drop_connections()
        with self._lock:
            threads = list(self._threads)
        for thread in threads:
            thread.join(10)
        self.log.close()
        if not any(thread.is_alive() for thread in threads):
            self.gates.close()
            self._stop.close()
        if self.tls:
            self.tls.remove()

    def drop_connections(self):
        """Cuts every open connection, as a dying server does."""
        with self._lock:
            live = list(self._live)
        for conn in live:
            with contextlib.suppress(OSError):
                conn.sock.shutdown(socket.SHUT_RDWR)

    def __enter__(self):
        return self.start()

    def __exit__(self, *exc):
        self.stop()

    # -- connections

    def _accept(self):
        while not self._stop.is_open:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            thread = threading.Thread(target=self._serve, args=(sock,), daemon=True)
            with self._lock:
                self.connections += 1
                self._threads = {t for t in self._threads if t.is_alive() or not t.ident}
                self._threads.add(thread)
            thread.start()

    def _serve(self, sock):
        if self._context:
            try:
                sock.settimeout(30)
                sock = self._context.wrap_socket(sock, server_side=True)
            except OSError:
                sock.close()
                return
        with self._lock:
            conn = Connection(sock, self.connections, self._stop.fd)
            self._live.add(conn)
        try:
            while self._exchange(conn):
                pass
        except Gone:
            pass
        finally:
            with self._lock:
                self._live.discard(conn)
            conn.close()

    def _exchange(self, conn):
        """One request and its answer; False when the connection has ended."""
        method, target, headers, body = conn.read_request()
        if self.control and target.startswith("/_wire/"):
            request = Request(0, 0.0, conn.number, method, target, headers, body)
            chosen = answers.of(self.control(request))
        else:
            request = self.log.add(conn.number, method, target, headers, body)
            chosen = self._choose(request)
        for name in chosen.opens:
            self.gates.open(name)
        if chosen.gate:
            conn.wait_for([self.gates.get(chosen.gate).fd])
        return self._send(conn, request, chosen) and headers.get("connection", "") != "close"

    def _choose(self, request):
        chosen = self.routes.choose(request)
        if chosen is None and self.fallback:
            chosen = self.fallback(request)
        if chosen is None:
            chosen = answers.error(404, "NotFound", "the server could not find the requested "
                                   f"resource ({request.method} {request.path})")
        return answers.of(chosen)

    def _send(self, conn, request, chosen):
        framing = chosen.framing
        if framing == "auto":
            framing = "chunked" if chosen.streamed or chosen.stream else "length"
        if framing != "raw":
            conn.send(head(chosen, framing))
        if request.method == "HEAD":
            return True
        writer = Writer(conn, self.gates, framing)
        end, then = chosen.end, chosen.then
        if chosen.stream:
            end = chosen.stream(writer, request) or end
        for piece in chosen.chunks:
            if isinstance(piece, str):
                writer.gate(piece)
            else:
                writer.write(piece)
        if end == "hang":
            conn.wait_for([self.gates.get(chosen.release).fd] if chosen.release else [])
            end = then
        return finish(conn, writer, end, framing)


def head(chosen, framing):
    reason = chosen.reason or http.client.responses.get(chosen.status, "Status")
    lines = [f"HTTP/1.1 {chosen.status} {reason}"]
    lines += [f"{k}: {v}" for k, v in chosen.headers.items()]
    if framing == "length" and not any(k.lower() == "content-length" for k in chosen.headers):
        lines.append(f"Content-Length: {len(chosen.body)}")
    elif framing == "chunked":
        lines.append("Transfer-Encoding: chunked")
    elif framing == "close":
        lines.append("Connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8")


def finish(conn, writer, end, framing):
    """Ends an answer; True when the connection goes on."""
    if end == "reset":
        conn.reset()
        return False
    if end == "cut":
        return False
    writer.finish()
    if end == "keep" and framing not in ("close", "raw"):
        return True
    conn.say_goodbye()
    return False


def free_port(host="127.0.0.1"):
    """A port that nobody listens on just now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as sock:
        sock.bind((host, 0))
        return sock.getsockname()[1]
