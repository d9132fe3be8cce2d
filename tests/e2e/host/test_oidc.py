"""OpenID Connect: an id token that has ended is replaced by the refresh token, again and again."""

import base64
import json
import os
import time
import urllib.parse

import wire
from e2e.lib.access import kubeconfig
from e2e.lib.case import KindredTest, main


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def id_token(name, ends):
    return f"{part({'alg': 'none'})}.{part({'sub': name, 'exp': int(ends)})}.signature-{name}"


class Provider:
    """A provider whose refresh tokens hold once: r0 gives the token t1 and r1, and so on."""

    def __init__(self, header=True, status=200):
        self.header = header        # takes the client's secret from a header, else from the body
        self.status = status
        self.asked = []             # the forms of what was granted
        self.server = wire.Server(tls=True)
        self.server.route("GET", "/.well-known/openid-configuration",
                          lambda _: {"json": {"token_endpoint": self.server.url + "/token"}})
        self.server.route("POST", "/token", self._token)
        self.server.start()

    def _token(self, request):
        body = request.body if isinstance(request.body, str) else request.body.decode()
        form = dict(urllib.parse.parse_qsl(body))
        basic = "Basic " + base64.b64encode(b"client:s3cret").decode()
        by_header = request.headers.get("authorization") == basic
        by_body = (form.get("client_id"), form.get("client_secret")) == ("client", "s3cret")
        if not (by_header if self.header else by_body):
            return {"status": 401, "json": {"error": "invalid_client"}}
        if self.status != 200:
            return {"status": self.status, "json": {"error": "private-words"}}
        if form["refresh_token"] != f"refresh-{len(self.asked)}":
            return {"status": 400, "json": {"error": "invalid_grant"}}
        self.asked.append(form)
        number = len(self.asked)
        return {"json": {"id_token": id_token(f"t{number}", time.time() + 3600),
                         "refresh_token": f"refresh-{number}"}}


class Oidc(KindredTest):
    def begin(self, **options):
        self.cluster = self.fake(tls=True, pods=2)
        self.provider = Provider(**options)
        self.addCleanup(self.provider.server.stop)
        self.seen = []
        self.accepted = "t1"

        def check(request):
            self.seen.append(request.headers.get("authorization", ""))
            if self.seen[-1].endswith("-" + self.accepted):
                return wire.PASS
            return {"status_object": {"code": 401, "reason": "Unauthorized"}}
        self.cluster.override("GET", "*", check)
        host = self.host(self.cluster)
        kubeconfig(os.path.join(host.folder, "kubeconfig"), self.cluster.url,
                   {"certificate-authority": self.cluster.server.tls.ca},
                   {"auth-provider": {"name": "oidc", "config": {
                       "idp-issuer-url": self.provider.server.url, "client-id": "client",
                       "client-secret": "s3cret", "refresh-token": "refresh-0",
                       "idp-certificate-authority": self.provider.server.tls.ca,
                       "id-token": id_token("t0", time.time() - 60)}}})
        return host.start()

    def assert_no_secret(self, host):
        for secret in ("s3cret", "refresh-", "signature-", "private-words"):
            self.assertNotIn(secret, host.log_text())
            self.assertNotIn(secret, json.dumps(host.kinds()))

    def test_an_ended_token_is_replaced_and_the_refresh_token_rotates(self):
        host = self.begin().wait_ready()
        self.assertEqual([f["refresh_token"] for f in self.provider.asked], ["refresh-0"])
        self.assertEqual({text.rsplit("-", 1)[1] for text in self.seen}, {"t1"},
                         "the ended one is never sent")
        self.accepted = "t2"        # the server takes t1 no more: a 401, another refresh
        self.cluster.server.drop_connections()
        self.cluster.add("Pod", {"metadata": {"name": "after"}})
        host.until(lambda: "after" in host.names("Pod"), 40, "the watch with t2")
        self.assertEqual([f["refresh_token"] for f in self.provider.asked],
                         ["refresh-0", "refresh-1"])
        self.assert_no_secret(host)

    def test_a_provider_that_wants_the_secret_in_the_body(self):
        host = self.begin(header=False).wait_ready()
        self.assertEqual(len(self.provider.asked), 1)
        self.assert_no_secret(host)

    def test_a_provider_that_fails_is_named_and_asked_again(self):
        host = self.begin(status=500).wait_api()
        host.until(lambda: host.logged("no credentials", "it answered 500"), 30, "the warning")
        self.assertTrue(host.logged("OpenID Connect provider " + self.provider.server.url))
        self.provider.status = 200
        host.wait_ready(60)
        self.assert_no_secret(host)


if __name__ == "__main__":
    main()
