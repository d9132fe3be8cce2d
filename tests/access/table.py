"""Kubeconfigs and environments, good and bad.

A row is (name, files, options). Options: `env` (HOME is the folder unless set), `kubeconfig` and
`context` as given by flags, and `differs`: why kindred means something else than client-go, a
sentence in bold of docs/decisions/*-access.md. @ stands for the case's folder.
"""

import base64
import json

EXEC = "client.authentication.k8s.io/v1"


def config(cluster=None, user=None, context=None, **top):
    """A whole kubeconfig: cluster c, user u, context x, which is the current one."""
    cluster = {"server": "https://h:6443", **(cluster or {})}
    document = {"apiVersion": "v1", "kind": "Config", "current-context": "x",
                "clusters": [{"name": "c", "cluster": cluster}],
                "users": [{"name": "u", "user": user or {}}],
                "contexts": [{"name": "x", "context": context or {"cluster": "c", "user": "u"}}]}
    document.update(top)
    return json.dumps({k: v for k, v in document.items() if v is not None})


def data(text):
    return base64.b64encode(text.encode()).decode()


def rows(pem):
    """pem: texts ca, ca2, cert, key, cert2, key2."""
    tok = {"tok": "#!/bin/sh\nprintf '%s' '" + json.dumps(
        {"apiVersion": EXEC, "kind": "ExecCredential", "status": {"token": "by-program"}}) + "'\n"}
    pair = {"tok": "#!/bin/sh\ncat @/answer\n", "answer": json.dumps(
        {"apiVersion": EXEC, "kind": "ExecCredential", "status": {
            "clientCertificateData": pem["cert"], "clientKeyData": pem["key"]}})}

    def program(command="@/tok", version=EXEC, mode="Never", **more):
        return {"exec": {"command": command, "apiVersion": version,
                         **({"interactiveMode": mode} if mode else {}), **more}}

    def one(name, cluster=None, user=None, files=None, **options):
        return (name, {"k": config(cluster, user), **(files or {})},
                {"kubeconfig": "@/k", **options})

    def text(name, body, files=None, **options):
        return (name, {"k": body, **(files or {})}, {"kubeconfig": "@/k", **options})

    def bad(name, user, files=None, **options):
        return one(name, None, user, files, **options)

    certs = {"client-certificate-data": data(pem["cert"]), "client-key-data": data(pem["key"])}
    proxied = {"HTTPS_PROXY": "http://p:3128", "HTTP_PROXY": "http://plain:3128"}
    listed = {**proxied, "NO_PROXY": ".svc,10.0.0.0/8,::1,name.example:6443,*.star.example"}

    def through(server, env=None, proxy="", **options):
        return one(f"proxy of {server} {proxy or env or 'with a list'}",
                   {"server": server, **({"proxy-url": proxy} if proxy else {})},
                   env=env if env is not None else listed, **options)

    return [
        # -- servers
        one("plain"),
        one("a slash at the end", {"server": "https://h:6443/"}),
        one("a path", {"server": "https://h/k8s/clusters/c1"}),
        one("http", {"server": "http://h:8080"}),
        one("B54 IPv6", {"server": "https://[::1]:6443"}),
        one("no scheme", {"server": "h:6443"}, differs="A server has a scheme"),
        one("no server", {"server": ""}),
        one("a server with a user name", {"server": "https://me:pw@h"},
            differs="A server URL is an address"),
        one("B55 server name", {"tls-server-name": "other.example"}),
        one("disable-compression", {"disable-compression": True}),
        one("disable-compression as text", {"disable-compression": "yes"}),
        # -- trust
        one("CA data", {"certificate-authority-data": data(pem["ca"])}),
        one("CA file", {"certificate-authority": "ca.pem"}, files={"ca.pem": pem["ca"]}),
        one("CA file, absolute", {"certificate-authority": "@/d/ca.pem"},
            files={"d/ca.pem": pem["ca"]}),
        one("B53 two roots", {"certificate-authority-data": data(pem["ca"] + pem["ca2"])}),
        one("B53 two roots in a file", {"certificate-authority": "ca.pem"},
            files={"ca.pem": pem["ca2"] + pem["ca"]}),
        one("CA data and file", {"certificate-authority-data": data(pem["ca"]),
                                 "certificate-authority": "ca2.pem"},
            files={"ca2.pem": pem["ca2"]}, differs="Data beats files"),
        one("CA file is missing", {"certificate-authority": "none.pem"}),
        one("CA is no base64", {"certificate-authority-data": "%%%"}),
        one("CA is no PEM", {"certificate-authority-data": data("hello")}),
        one("CA file is empty", {"certificate-authority": "ca.pem"}, files={"ca.pem": ""},
            differs="A CA that is named is there"),
        one("CA is rubbish PEM", {"certificate-authority-data": data(
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")}),
        one("insecure", {"insecure-skip-tls-verify": True}),
        one("insecure with a CA", {"insecure-skip-tls-verify": True,
                                   "certificate-authority-data": data(pem["ca"])}),
        # -- tokens and passwords
        one("token", user={"token": "t1"}),
        one("token over http", {"server": "http://h"}, {"token": "t1"}),
        one("B46 white space around a token file", user={"tokenFile": "t"},
            files={"t": "  tok-A\r\n"}),
        one("B46 a line break inside", user={"tokenFile": "t"}, files={"t": "tok\nX-Evil: 1"},
            differs="A token is one line"),
        one("B47 a long token file", user={"tokenFile": "t"}, files={"t": "x" * 12 * 1024}),
        one("token file is missing", user={"tokenFile": "none"}),
        one("token and token file", user={"token": "t1", "tokenFile": "t"}, files={"t": "t2"}),
        one("token and a missing token file", user={"token": "t1", "tokenFile": "none"}),
        one("basic", user={"username": "me", "password": " p:w "}),
        one("user name alone", user={"username": "me"}),
        one("password alone", user={"password": "pw"}),
        one("token and basic", user={"token": "t", "username": "me", "password": "pw"}),
        one("token file and basic", user={"tokenFile": "t", "username": "me", "password": "p"},
            files={"t": "t2"}),
        # -- client certificates
        one("certificate data", user=certs),
        one("certificate files", user={"client-certificate": "c.pem", "client-key": "k.pem"},
            files={"c.pem": pem["cert"], "k.pem": pem["key"]}),
        one("certificate data, key file", user={
            "client-certificate-data": data(pem["cert"]), "client-key": "k.pem"},
            files={"k.pem": pem["key"]}),
        one("certificate and token", user={**certs, "token": "t1"}),
        one("certificate over http", {"server": "http://h"}, certs),
        bad("certificate without key", {"client-certificate-data": data(pem["cert"])}),
        bad("key without certificate", {"client-key-data": data(pem["key"])},
            differs="A key has a certificate"),
        bad("certificate and another key", {"client-certificate-data": data(pem["cert"]),
                                            "client-key-data": data(pem["key2"])}),
        bad("certificate file is missing", {"client-certificate": "no", "client-key": "no"}),
        # -- programs
        one("program", user=program(), files=tok),
        one("program of v1beta1 by a program of v1", user=program(
            version="client.authentication.k8s.io/v1beta1", mode=None), files=tok),
        one("B50 program beside the kubeconfig", user=program("./tok"), files=tok),
        one("B50 program below the kubeconfig", user=program("bin/tok"),
            files={"bin/tok": tok["tok"]}),
        one("B50 program in PATH", user=program("tok"), files={"bin/tok": tok["tok"]},
            env={"PATH": "@/bin:/usr/bin:/bin"}),
        one("program gives a certificate", user=program(), files=pair),
        one("program and token", user={**program(), "token": "t1"}, files=tok),
        one("program and certificate", user={**program(), **certs}, files=tok),
        one("program over http", {"server": "http://h"}, program(), tok),
        one("program with arguments and variables", user=program(
            "/bin/sh", args=["-c", "cat \"$F\""], env=[{"name": "F", "value": "@/answer"}]),
            files=pair),
        bad("program fails", program("/bin/false")),
        bad("program is missing", program("@/none")),
        bad("program prints rubbish", program("/bin/echo")),
        bad("program without command", program("")),
        bad("program without version", program(version="")),
        bad("program of v1alpha1", program(version="client.authentication.k8s.io/v1alpha1"), tok),
        bad("program without mode", program(mode=None), tok),
        bad("program of an unknown mode", program(mode="Sometimes"), tok),
        bad("program that must have a terminal", program(mode="Always"), tok),
        bad("program beside a provider", {**program(), "auth-provider": {"name": "oidc"}}, tok),
        bad("program with a nameless variable", program(env=[{"value": "x"}]), tok),
        # -- providers
        one("oidc with a token that holds", user={"auth-provider": {"name": "oidc", "config": {
            "idp-issuer-url": "https://i", "client-id": "id", "id-token":
            "e30.eyJleHAiOjk5OTk5OTk5OTl9.s"}}}),
        bad("oidc with nothing to refresh", {"auth-provider": {"name": "oidc", "config": {
            "idp-issuer-url": "https://i3", "client-id": "id"}}}),
        bad("oidc with an old token", {"auth-provider": {"name": "oidc", "config": {
            "idp-issuer-url": "https://i2", "client-id": "id", "id-token":
            "e30.eyJleHAiOjF9.s"}}}),
        bad("oidc without issuer", {"auth-provider": {"name": "oidc", "config": {
            "client-id": "id"}}}),
        bad("another provider", {"auth-provider": {"name": "gcp"}}),
        bad("an unknown provider and a token", {"auth-provider": {"name": "own"}, "token": "t"}),
        # -- impersonation
        one("impersonation", user={"token": "t", "as": "me", "as-uid": "u1",
                                   "as-groups": ["g1", "g 2"],
                                   "as-user-extra": {"Scopes": ["a", "b"], "x/y%z": ["c"]}}),
        one("impersonation over http", {"server": "http://h"}, {"as": "me"}),
        bad("groups without a user", {"token": "t", "as-groups": ["g"]}),
        bad("uid without a user", {"token": "t", "as-uid": "g"}),
        # -- proxies
        through("https://h:6443", proxied),
        through("http://h:6443", proxied),
        through("https://h:6443", {"https_proxy": "p:1", "HTTPS_PROXY": "http://q:2"}),
        through("https://h:6443", {"https_proxy": "p:1"}),
        through("https://10.1.2.3:6443"), through("https://[::1]:6443"),
        through("https://11.1.2.3:6443"), through("https://kubernetes.default.svc"),
        through("https://name.example:6443"), through("https://name.example"),
        through("https://a.star.example"), through("https://star.example"),
        through("https://localhost:6443"), through("https://127.0.0.2:6443"),
        through("https://10.1.2.3:6443", proxy="http://own:1"),
        through("https://h", {}, "https://own:1"), through("https://h", {}, "socks5://own:1"),
        through("https://h", {}, "http://me:pw@own:1"),
        through("https://h", {}, "ftp://own:1"), through("https://h", {}, "own:1"),
        through("https://h", {"HTTPS_PROXY": "http://p", "NO_PROXY": "*"}),
        through("https://h", {"HTTPS_PROXY": "ftp://p"}, differs="A proxy that cannot be used"),
        # -- contexts, lists of files, odd files
        text("B52 users: null", config(users=None, context={"cluster": "c"})[:-1] +
             ', "users": null}'),
        text("B52 a context without user", config(context={"cluster": "c"})),
        text("B52 an empty file", ""),
        text("B52 null fields", config({"certificate-authority": None}, {"token": None})),
        text("B52 UTF-16", "\ufeff" + config(), encoding="utf-16-le",
             differs="Files are UTF-8"),
        text("no YAML", "a: [b"), text("a list", "[]"),
        text("a context that is not there", config(), context="none"),
        text("another context", json.dumps({**json.loads(config()), "contexts": [
            {"name": "x", "context": {"cluster": "none", "user": "u"}},
            {"name": "y", "context": {"cluster": "c", "user": "u"}}]}), context="y"),
        text("a context of no cluster", config(context={"cluster": "none", "user": "u"})),
        text("a context of no user", config(context={"cluster": "c", "user": "none"}),
             differs="A user that is named is there"),
        text("no current context", config(**{"current-context": None})),
        text("a name twice", json.dumps({**json.loads(config()), "users": [
            {"name": "u", "user": {"token": "a"}}, {"name": "u", "user": {"token": "b"}}]})),
        ("the kubeconfig is missing", {}, {"kubeconfig": "@/none"}),
        ("B51 two files", {
            "one/k": config({"certificate-authority": "ca.pem"}, users=None, contexts=None,
                            **{"current-context": None}), "one/ca.pem": pem["ca"],
            "two/k": config({"server": "https://second", "certificate-authority": "ca.pem"},
                            {"token": "t2"}), "two/ca.pem": pem["ca2"]},
         {"env": {"KUBECONFIG": "@/one/k:@/none/k::@/two/k:@/one/k"}}),
        ("B51 two files in the other order", {
            "one/k": config({"certificate-authority": "ca.pem"}, {"tokenFile": "t"}),
            "one/ca.pem": pem["ca"], "one/t": "by-file",
            "two/k": config({"server": "https://second"}, {"token": "t2"})},
         {"env": {"KUBECONFIG": "@/two/k:@/one/k"}}),
        ("KUBECONFIG beats the home's", {"k": config(user={"token": "a"}), ".kube/config":
                                         config(user={"token": "b"})},
         {"env": {"KUBECONFIG": "@/k"}}),
        ("the home's", {".kube/config": config(user={"token": "b"})}, {}),
        ("only missing files", {".kube/config": config()}, {"env": {"KUBECONFIG": "@/none"}},),
        ("nothing at all", {}, {}),
        ("a relative KUBECONFIG", {"k": config(user={"tokenFile": "t"}), "t": "rel"},
         {"env": {"KUBECONFIG": "k"}}),
    ]
