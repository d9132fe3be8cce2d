"""The scripted server: routes, answers, framings, ends, gates, log."""

import gzip
import http.client
import json
import threading
import unittest

import wire
from wire.client_for_tests import Client, raw

GET = b"GET %b HTTP/1.1\r\nHost: t\r\n\r\n"


class Routing(unittest.TestCase):
    def setUp(self):
        self.server = wire.Server().start()
        self.addCleanup(self.server.stop)
        self.client = Client(self.server)
        self.addCleanup(self.client.close)

    def test_answers_come_in_order_and_the_last_repeats(self):
        self.server.route("GET", "/x", {"json": 1}, {"status": 503, "json": 2}, {"json": 3})
        self.assertEqual([self.client.json("/x") for _ in range(4)],
                         [(200, 1), (503, 2), (200, 3), (200, 3)])

    def test_keep_alive_uses_one_connection(self):
        self.server.route("GET", "/x", {"json": 1})
        for _ in range(3):
            self.client.get("/x")
        self.assertEqual({r.conn for r in self.server.log.all()}, {1})
        self.assertEqual(self.server.connections, 1)

    def test_no_route_is_a_404_status(self):
        status, body = self.client.json("/none")
        self.assertEqual((status, body["kind"], body["reason"]), (404, "Status", "NotFound"))

    def test_watch_query_and_patterns(self):
        self.server.route("GET", "/a/*", {"json": "watch"}, watch=True)
        self.server.route("GET", "/a/*", {"json": "limited"}, query={"limit": "5"})
        self.server.route("GET", "/a/*", {"json": "no version"}, query={"resourceVersion": None})
        self.server.route(None, "/a/*", {"json": "any"})
        self.assertEqual(self.client.json("/a/b?watch=1")[1], "watch")
        self.assertEqual(self.client.json("/a/b?limit=5")[1], "limited")
        self.assertEqual(self.client.json("/a/b")[1], "no version")
        self.assertEqual(self.client.json("/a/b?resourceVersion=0")[1], "any")

    def test_callable_and_pass(self):
        self.server.route("GET", "/x", wire.PASS, lambda r: {"json": r.query})
        self.server.route("GET", "/x", {"json": "second"})
        self.assertEqual(self.client.json("/x?a=1")[1], "second")
        self.assertEqual(self.client.json("/x?a=1")[1], {"a": "1"})

    def test_log_has_what_was_sent(self):
        self.server.route("POST", "/x", {"json": {}})
        self.client.begin("/x?b=%2F&a=1", "POST", b'{"q":1}', X_Odd="yes").read()
        seen = self.server.log.all()[0]
        self.assertEqual((seen.method, seen.path, seen.query), ("POST", "/x", {"b": "/", "a": "1"}))
        self.assertEqual((seen.headers["x-odd"], seen.json()), ("yes", {"q": 1}))

    def test_log_wait_gives_up(self):
        with self.assertRaisesRegex(AssertionError, "0 of 1"):
            self.server.log.wait(timeout=0.05, path="/never")

    def test_log_wait_wakes_up(self):
        threading.Thread(target=lambda: self.client.get("/later")).start()
        self.assertEqual(len(self.server.log.wait(path="/later")), 1)

    def test_bad_answers_are_refused(self):
        with self.assertRaisesRegex(ValueError, "stauts"):
            self.server.route("GET", "/x", {"stauts": 200})
        with self.assertRaisesRegex(ValueError, "bad end"):
            self.server.route("GET", "/x", {"end": "sometime"})


class Bodies(unittest.TestCase):
    def setUp(self):
        self.server = wire.Server().start()
        self.addCleanup(self.server.stop)

    def get(self, target="/x"):
        with Client(self.server) as client:
            return client.get(target)

    def test_fill_list_base64_status(self):
        self.server.route("GET", "/fill", {"fill": {"bytes": 3 << 20, "before": "<"}})
        self.server.route("GET", "/list", {"list": {"pods": 3, "resourceVersion": "7"}})
        self.server.route("GET", "/b64", {"base64": "AAH/"})
        self.server.route("GET", "/st", {"status_object": {"code": 410, "reason": "Expired"}})
        self.assertEqual(len(self.get("/fill")[1]), (3 << 20) + 1)
        listed = json.loads(self.get("/list")[1])
        self.assertEqual(listed["metadata"]["resourceVersion"], "7")
        self.assertEqual([i["metadata"]["name"] for i in listed["items"]],
                         ["p00000", "p00001", "p00002"])
        self.assertEqual(self.get("/b64")[1], b"\x00\x01\xff")
        self.assertEqual(self.get("/st")[0], 410)

    def test_chunks_go_out_as_cut(self):
        self.server.route("GET", "/x", {"chunks": ["{\"a\"", {"text": ":1}"}], "end": "close"})
        self.assertTrue(raw(self.server, GET % b"/x").endswith(
            b"\r\n\r\n4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n"))

    def test_every_cuts_anew(self):
        self.server.route("GET", "/x", {"json": {"k": "vvv"}, "every": 1, "end": "close"})
        body = raw(self.server, GET % b"/x").partition(b"\r\n\r\n")[2]
        self.assertEqual(body.count(b"1\r\n"), len('{"k":"vvv"}'))
        self.assertEqual(self.get()[1], b'{"k":"vvv"}')

    def test_gzip(self):
        self.server.route("GET", "/x", {"json": ["a"] * 1000, "gzip": True})
        with Client(self.server) as client:
            answer = client.begin("/x")
            self.assertEqual(answer.getheader("Content-Encoding"), "gzip")
            self.assertEqual(json.loads(gzip.decompress(answer.read())), ["a"] * 1000)

    def test_framings(self):
        self.server.route("GET", "/close", {"json": 1, "framing": "close"})
        self.server.route("GET", "/raw", {"chunks": ["HTTP/1.1 299 Odd\r\n\r\nx"],
                                          "framing": "raw"})
        self.assertTrue(raw(self.server, GET % b"/close").endswith(b"close\r\n\r\n1"))
        self.assertEqual(raw(self.server, GET % b"/raw"), b"HTTP/1.1 299 Odd\r\n\r\nx")

    def test_cut_and_reset(self):
        self.server.route("GET", "/cut", {"chunks": ["abc"], "end": "cut"})
        self.server.route("GET", "/rst", {"chunks": ["abc"], "end": "reset", "gate": "go"})
        with self.assertRaises(http.client.IncompleteRead):
            self.get("/cut")
        self.server.gates.open("go")
        with self.assertRaises((ConnectionResetError, http.client.IncompleteRead)):
            self.get("/rst")

    def test_ipv6(self):
        with wire.Server(host="::1") as server, Client(server) as client:
            server.route("GET", "/x", {"json": 6})
            self.assertEqual(client.json("/x"), (200, 6))
            self.assertIn("[::1]", server.url)


class Waiting(unittest.TestCase):
    def setUp(self):
        self.server = wire.Server().start()
        self.addCleanup(self.server.stop)
        self.client = Client(self.server)
        self.addCleanup(self.client.close)

    def test_a_chunk_waits_for_its_gate(self):
        self.server.route("GET", "/x", wire.watch(("ADDED", 1), {"gate": "go"}, ("ADDED", 2)))
        answer = self.client.begin("/x")
        self.assertEqual(json.loads(answer.readline())["object"], 1)
        self.server.gates.open("go")
        self.assertEqual(json.loads(answer.readline())["object"], 2)

    def test_hang_then_release(self):
        self.server.route("GET", "/x", {"chunks": ["a"], "end": "hang", "release": "r",
                                        "then": "close"})
        answer = self.client.begin("/x")
        self.assertEqual(answer.read(1), b"a")
        self.server.gates.open("r")
        self.assertEqual(answer.read(), b"")

    def test_one_answer_opens_the_gate_of_another(self):
        self.server.route("GET", "/x", {"json": 1, "gate": "go"})
        self.server.route("GET", "/y", {"json": 2, "opens": ["go"]})
        self.client.http.request("GET", "/x")
        with Client(self.server) as other:
            self.assertEqual(other.json("/y"), (200, 2))
        self.assertEqual(self.client.http.getresponse().status, 200)

    def test_stop_ends_hanging_answers(self):
        server = wire.Server().start()
        server.route("GET", "/x", {"chunks": ["a"], "end": "hang"})
        client = Client(server)
        answer = client.begin("/x")
        self.assertEqual(answer.read(1), b"a")
        server.stop()
        self.assertFalse(any(t.is_alive() for t in server._threads))
        client.close()

    def test_a_client_that_goes_ends_its_thread(self):
        self.server.route("GET", "/x", {"chunks": ["a"], "end": "hang"})
        with Client(self.server) as client:
            answer = client.begin("/x")
            answer.read(1)
            answer.close()
        thread = next(iter(self.server._threads))
        thread.join(10)
        self.assertFalse(thread.is_alive())


if __name__ == "__main__":
    unittest.main()
