"""B62: numbers keep their digits from the server to the answer."""

import json

from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.objects import pod, service

INTEGERS = [0, -1, 1, 1000000, 2**31, 2**32, 9007199254740991, 9007199254740993,
            -9007199254740993, 2**63 - 1, -2**63, 100000000000000000000000]
QUANTITIES = ["500m", 1, "1Gi", 2, "128974848", 0.5, "1e3", "1.5Gi"]


def exact(text):
    """JSON with integers as they are written, so that 1e6 or 1.0 shows as a difference."""
    return json.loads(text, parse_float=lambda word: f"float {word}")


class Numbers(KindredTest):
    def begin(self, **over):
        cluster = self.fake()
        made = pod("numbers", terminationGracePeriodSeconds=9007199254740993,
                   activeDeadlineSeconds=1000000)
        container = made["spec"]["containers"][0]
        container["resources"] = {"limits": {"cpu": 2, "memory": "128974848"}}
        made["spec"]["odd"] = {f"i{n}": value for n, value in enumerate(INTEGERS)}
        made["spec"]["quantities"] = QUANTITIES
        self.made = cluster.add("Pod", made)
        self.service = cluster.add("Service", service("s", ports=[
            {"name": "a", "port": 80, "targetPort": 8080},
            {"name": "b", "port": 81, "targetPort": "http"}]))
        return self.ready(cluster, ["pod", "service"], defaults=PAGED, **over)

    def check(self, text):
        """`text` holds the pod as JSON somewhere."""
        data = find(exact(text), "numbers")
        spec = data["spec"]
        self.assertEqual(spec["terminationGracePeriodSeconds"], 9007199254740993)
        self.assertEqual(spec["activeDeadlineSeconds"], 1000000)
        self.assertEqual(spec["containers"][0]["resources"]["limits"],
                         {"cpu": 2, "memory": "128974848"})
        self.assertEqual(list(spec["odd"].values()), INTEGERS)
        self.assertEqual([type(v) for v in spec["odd"].values()], [int] * len(INTEGERS))
        self.assertEqual(spec["quantities"], ["float 0.5" if q == 0.5 else q for q in QUANTITIES])

    def test_in_the_api(self):
        host = self.begin()
        self.check(host.api.get("/api/v1/resources", kind="Pod").text)
        ports = host.resource("Service", "s")["data"]["spec"]["ports"]
        self.assertEqual([p["targetPort"] for p in ports], [8080, "http"])

    def test_in_kindredctl(self):
        host = self.begin()
        code, out, err = host.ctl("get", "pod", "numbers", "-n", "default", "-o", "json")
        self.assertEqual(code, 0, err)
        self.check(out)
        code, out, err = host.ctl("get", "pod", "numbers", "-n", "default", "-o", "yaml")
        self.assertEqual(code, 0, err)
        for word in ("9007199254740993", "1000000", "-9223372036854775808", "500m"):
            self.assertIn(word, out)
        self.assertRegex(out, r"memory: [\"']128974848[\"']")

    def test_after_a_restart_with_a_file(self):
        host = self.begin(store={"path": self.path("graph.db")})
        self.assertEqual(host.stop(), 0)
        host.start().wait_ready()
        self.check(host.api.get("/api/v1/resources", kind="Pod").text)

    def test_a_change_of_the_last_digit_is_a_change(self):
        cluster = self.fake()
        cluster.add("Pod", pod("p", terminationGracePeriodSeconds=9007199254740992))
        host = self.ready(cluster, defaults=PAGED)
        cluster.await_watch("Pod")
        cluster.modify("Pod", "p", change={"spec": {
            "terminationGracePeriodSeconds": 9007199254740993}})
        host.until(lambda: host.resource("Pod", "p")["data"]["spec"][
            "terminationGracePeriodSeconds"] == 9007199254740993, describe="the new digit")


def find(value, name):
    """The Kubernetes object of this name anywhere in an answer."""
    if isinstance(value, dict):
        if "spec" in value and value.get("metadata", {}).get("name") == name:
            return value
        value = list(value.values())
    for item in value if isinstance(value, list) else []:
        found = find(item, name)
        if found:
            return found
    return None


if __name__ == "__main__":
    main()
