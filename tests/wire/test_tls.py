"""TLS: certificates, trust, client certificates, close notices."""

import os
import ssl
import unittest

import wire
from wire.client_for_tests import Client


class Tls(unittest.TestCase):
    def test_trusted_by_its_ca_only(self):
        with wire.Server(tls=True) as server:
            server.route("GET", "/x", {"json": 1})
            with Client(server) as client:
                self.assertEqual(client.json("/x"), (200, 1))
            with Client(server, ssl.create_default_context()) as client:
                with self.assertRaises(ssl.SSLCertVerificationError):
                    client.get("/x")

    def test_client_certificate(self):
        with wire.Server(tls=True, client_ca=True) as server:
            server.route("GET", "/x", {"json": 1})
            with Client(server, server.tls.client_context(with_cert=True)) as client:
                self.assertEqual(client.json("/x"), (200, 1))
            with Client(server) as client, self.assertRaises(OSError):
                client.get("/x")

    def test_a_body_until_close_ends_well(self):
        with wire.Server(tls=True) as server:
            server.route("GET", "/x", {"text": "all of it", "framing": "close"})
            with Client(server) as client:
                self.assertEqual(client.get("/x"), (200, b"all of it"))

    def test_a_stream_and_its_gate(self):
        with wire.Server(tls=True) as server:
            server.route("GET", "/x", wire.watch(("ADDED", 1), {"gate": "go"}, ("ADDED", 2)))
            with Client(server) as client:
                answer = client.begin("/x")
                self.assertIn(b'"object":1', answer.readline())
                server.gates.open("go")
                self.assertIn(b'"object":2', answer.readline())

    def test_own_folder_is_removed(self):
        with wire.Server(tls=True) as server:
            folder = server.tls.folder
        self.assertFalse(os.path.exists(folder))


if __name__ == "__main__":
    unittest.main()
