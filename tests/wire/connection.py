"""One HTTP/1.1 connection: reads requests, writes answers, keeps alive."""

import socket
import ssl
import struct

from .gates import wait_readable

MAX_HEAD = 1 << 20


class Gone(Exception):
    """The client has closed, or the server is stopping."""


class Connection:
    def __init__(self, sock, number, stop_fd):
        self.sock = sock
        self.number = number
        self._stop_fd = stop_fd
        self._in = bytearray()
        sock.settimeout(60)

    # -- reading

    def _more(self):
        """Waits for bytes from the client; Gone on its end or on ours."""
        pending = isinstance(self.sock, ssl.SSLSocket) and self.sock.pending()
        if not pending:
            ready = wait_readable([self.sock.fileno(), self._stop_fd])
            if self._stop_fd in ready:
                raise Gone()
        try:
            data = self.sock.recv(1 << 16)
        except (OSError, ValueError) as error:
            raise Gone() from error
        if not data:
            raise Gone()
        self._in += data

    def _take(self, count):
        while len(self._in) < count:
            self._more()
        data = bytes(self._in[:count])
        del self._in[:count]
        return data

    def _line(self):
        while True:
            end = self._in.find(b"\r\n")
            if end >= 0:
                return self._take(end + 2)[:-2]
            if len(self._in) > MAX_HEAD:
                raise Gone()
            self._more()

    def read_request(self):
        """(method, target, headers, body), header names in lower case."""
        words = self._line().decode("latin-1").split(" ")
        if len(words) != 3:
            raise Gone()
        headers = {}
        while True:
            line = self._line().decode("latin-1")
            if not line:
                break
            name, _, value = line.partition(":")
            name, value = name.strip().lower(), value.strip()
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        if headers.get("expect", "").lower() == "100-continue":
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        return words[0], words[1], headers, self._read_body(headers)

    def _read_body(self, headers):
        if "chunked" in headers.get("transfer-encoding", ""):
            body = b""
            while True:
                size = int(self._line().split(b";")[0], 16)
                data = self._take(size + 2)[:-2]
                if size == 0:
                    return body
                body += data
        return self._take(int(headers.get("content-length", 0)))

    # -- waiting

    def wait_for(self, fds, timeout=None):
        """The ready ones of `fds`, empty after `timeout`; Gone when the client or server ends."""
        while True:
            watched = [*fds, self.sock.fileno(), self._stop_fd]
            ready = wait_readable(watched, timeout)
            if self._stop_fd in ready:
                raise Gone()
            hit = ready & set(fds)
            if hit or not ready:
                return hit
            self._more()      # the client has closed, or pipelines its next request

    # -- writing

    def send(self, data):
        try:
            self.sock.sendall(data)
        except (OSError, ValueError) as error:
            raise Gone() from error

    def say_goodbye(self):
        """TLS: announces that no more is coming, without waiting for the answer."""
        if isinstance(self.sock, ssl.SSLSocket):
            try:
                self.sock.settimeout(0)
                self.sock.unwrap()
            except (OSError, ValueError):
                pass

    def reset(self):
        """Closes with RST in place of FIN."""
        try:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        self.close()

    def close(self):
        try:
            self.sock.close()
        except OSError:
            pass


class Writer:
    """Writes the body of one answer in its framing; handed to streaming callables."""

    def __init__(self, conn, gates, framing):
        self.conn = conn
        self._gates = gates
        self._framing = framing

    def write(self, data):
        if not data:
            return
        if self._framing == "chunked":
            data = b"%x\r\n%b\r\n" % (len(data), data)
        self.conn.send(data)

    def gate(self, name):
        self.conn.wait_for([self._gates.get(name).fd])

    def finish(self):
        if self._framing == "chunked":
            self.conn.send(b"0\r\n\r\n")
