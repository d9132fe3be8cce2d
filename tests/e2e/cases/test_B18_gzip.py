"""B18: watches ask for identity; lists may ask for gzip and take it at any growth."""

from e2e.cases.pace import HANG, PODS
from e2e.lib.case import PAGED, KindredTest, main

MIB = 1 << 20


class Gzip(KindredTest):
    def begin(self, listed, *watches, **over):
        self.cluster = self.fake()
        self.cluster.override("GET", PODS, listed, watch=False)
        self.cluster.override("GET", PODS, *watches, HANG, watch=True)
        return self.started(self.cluster, **{"defaults": PAGED, **over})

    def encoding(self, verb):
        request = self.cluster.log.wait(1, path=PODS, verb=verb)[0]
        return request.headers.get("accept-encoding", "")

    def test_a_list_of_2_mib_that_came_compressed(self):
        host = self.begin({"list": {"pods": 2000, "size": 1000}, "gzip": True})
        host.wait_stored("Pod", 2000)
        host.wait_ready()
        self.assertIn("gzip", self.encoding("list"))
        self.assertIn(self.encoding("watch"), ("", "identity"))
        shown = host.resource("Pod", "p01999")
        self.assertEqual(shown["data"]["spec"]["containers"][0]["env"][0]["value"], "x" * 1000)
        self.assert_lists(self.cluster, PODS, 1)

    def test_a_body_that_grows_a_hundredfold(self):
        host = self.begin({"list": {"pods": 40, "size": MIB}, "gzip": True},
                          cluster={"max_object_bytes": 4 * MIB})
        host.wait_stored("Pod", 40, timeout=60)
        self.assertEqual(host.kind("Pod")["state"], "synced")

    def test_cut_anywhere(self):
        for every in (1, 1000):
            with self.subTest(every=every):
                host = self.begin({"list": {"pods": 100}, "gzip": True, "every": every})
                host.wait_stored("Pod", 100)
                self.assertEqual(host.stop(), 0)

    def test_a_body_that_is_broken_is_tried_again(self):
        """Wrong bytes, and a stream that ends in the middle: neither is a list."""
        for broken in ({"chunks": ["this is no gzip"], "headers": {"Content-Encoding": "gzip"}},
                       {"list": {"pods": 400}, "gzip": True, "every": 500, "end": "cut"}):
            with self.subTest(list(broken)):
                self.cluster = self.fake()
                self.cluster.override("GET", PODS, broken, {"list": {"pods": 7}, "gzip": True},
                                      watch=False)
                self.cluster.override("GET", PODS, HANG, watch=True)
                host = self.started(self.cluster, defaults=PAGED)
                if "list" in broken:
                    self.cluster.log.wait(1, path=PODS, verb="list")
                host.wait_stored("Pod", 7)
                host.wait_ready()
                self.assertEqual(host.stop(), 0)

    def test_lists_ask_for_none_when_the_settings_say_so(self):
        host = self.begin({"list": {"pods": 3}}, cluster={"compress_lists": False})
        host.wait_stored("Pod", 3)
        self.assertNotIn("gzip", self.encoding("list"))
        self.assertIn(self.encoding("watch"), ("", "identity"))

    def test_a_streaming_list_is_a_watch(self):
        cluster = self.cluster = self.fake(pods=3)
        host = self.ready(cluster)
        host.wait_stored("Pod", 3)
        self.assertIn(self.encoding("watch"), ("", "identity"))


if __name__ == "__main__":
    main()
