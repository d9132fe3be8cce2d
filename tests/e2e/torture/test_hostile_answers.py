"""Answers that break HTTP itself: each is a failure with words, a back-off, and nothing more."""

from e2e.lib.case import main
from e2e.torture.attack import HANG, Attack

OK = "HTTP/1.1 200 OK\r\n"
END = "\r\n\r\n"

RAW = {
    "a header of 1 MB": [OK, "X: " + "y" * (1 << 20) + END],
    "headers without end": [OK, *["X: " + "y" * 1000 + "\r\n"] * 1000],
    "100 Continue without end": ["HTTP/1.1 100 Continue" + END] * 20000,
    "a redirect": ["HTTP/1.1 302 Found\r\nLocation: /api/v1/pods\r\nContent-Length: 0" + END],
    "no HTTP": ["\x00\x01\x02 garbage" + END],
    "a bad chunk": [OK + "Transfer-Encoding: chunked" + END + "zzz\r\n"],
    "a length below zero": [OK + "Content-Length: -5" + END + "{}"],
    "a length beyond numbers": [OK + "Content-Length: 99999999999999999999" + END + "{}"],
    "nothing": ["HTTP/1.1 204 No Content" + END],
    "an unknown status": ["HTTP/1.1 999 Foo\r\nContent-Length: 2" + END + "{}"],
    "an unknown encoding": [OK + "Content-Encoding: br\r\nContent-Length: 2" + END + "{}"],
    "what is no gzip": [OK + "Content-Encoding: gzip\r\nContent-Length: 2" + END + "{}"],
    "an error without end": ["HTTP/1.1 500 Oh\r\n\r\n", *["x" * (1 << 20)] * 20],
    "a deep error": ["HTTP/1.1 500 Oh\r\nContent-Length: 60000" + END + "[" * 60000],
}
RESET = {
    "at once": [], "in the head": ["HTTP/1.1 200 O"], "after the head": [OK + "\r\n"],
    "in the list": [OK + 'Content-Length: 2000' + END + '{"items":[{"metadata":{"name":"a",'],
}


class HostileAnswers(Attack):
    def attack(self, chunks, end):
        host = self.begin([{"chunks": list(chunks), "framing": "raw", "end": end}], [HANG])
        host.wait_state("Pod", "failing")
        self.assertTrue(host.logged("out of reach", "pods"), host.log_text())
        self.assert_calm(seconds=1.0)
        self.assert_unharmed()
        self.assertEqual(host.stop(), 0)

    def test_broken_http(self):
        for name, chunks in RAW.items():
            with self.subTest(name):
                self.attack(chunks, "close")

    def test_resets_at_each_phase(self):
        for name, chunks in RESET.items():
            with self.subTest(name):
                self.attack(chunks, "reset")


if __name__ == "__main__":
    main()
