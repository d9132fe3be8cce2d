"""A small HTTP client for the tests of wire itself."""

import http.client
import json
import socket


class Client:
    """One connection to a server."""

    def __init__(self, server, context=None, timeout=20):
        if server.tls:
            self.http = http.client.HTTPSConnection(
                server.host, server.port, timeout=timeout,
                context=context or server.tls.client_context())
        else:
            self.http = http.client.HTTPConnection(server.host, server.port, timeout=timeout)

    def begin(self, target, method="GET", body=None, **headers):
        names = {k.replace("_", "-"): v for k, v in headers.items()}
        self.http.request(method, target, body, names)
        return self.http.getresponse()

    def get(self, target, **headers):
        """(status, body bytes)"""
        answer = self.begin(target, **headers)
        return answer.status, answer.read()

    def json(self, target, **headers):
        status, body = self.get(target, **headers)
        return status, json.loads(body)

    def close(self):
        self.http.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def raw(server, data, timeout=20):
    """All bytes that come back for `data` until the server closes; raises on a reset."""
    with socket.create_connection((server.host, server.port), timeout=timeout) as sock:
        sock.sendall(data)
        got = b""
        while True:
            piece = sock.recv(65536)
            if not piece:
                return got
            got += piece


def events(answer, count):
    """The next `count` watch events of an open answer."""
    return [json.loads(answer.readline()) for _ in range(count)]
