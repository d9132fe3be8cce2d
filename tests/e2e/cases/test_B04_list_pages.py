"""B04: every page of the first list is followed before the watch starts."""

from e2e.lib.case import PAGED, KindredTest, main
from e2e.lib.waiting import stays

PODS = "/api/v1/pods"


def page(first, count, token="", rv="40", **answer):
    return {"list": {"pods": count, "first": first, "resourceVersion": rv, "continue": token},
            **answer}


class ListPages(KindredTest):
    def begin(self, *pages, **options):
        """A host against a server with these LIST answers; watches stay quiet."""
        self.cluster = self.fake()
        self.cluster.override("GET", PODS, *pages, watch=False)
        self.cluster.override("GET", PODS, {"chunks": [], "end": "hang"}, watch=True)
        return self.started(self.cluster, defaults=PAGED, **options)

    def check_complete(self, host, names=5, rv="40"):
        host.wait_ready()
        self.assertEqual(len(host.names("Pod")), names)
        watch = self.cluster.log.wait(1, path=PODS, verb="watch")[0]
        self.assertEqual(watch.query.get("resourceVersion"), rv)
        return watch

    def test_watch_and_sync_wait_for_the_last_page(self):
        host = self.begin(page(0, 2, "t1"), page(2, 2, "t2"), page(4, 1, gate="last"))
        self.cluster.log.wait(3, path=PODS, verb="list")
        host.wait_api()
        stays(lambda: not self.cluster.log.watches(PODS), 0.5, "no watch before the last page")
        self.assertEqual(host.kind("Pod")["state"], "syncing")
        self.assertNotEqual(host.health.get("/readyz").status, 200)
        self.cluster.server.gates.open("last")
        watch = self.check_complete(host)
        lists = self.cluster.log.lists(PODS)
        self.assertEqual([r.query.get("continue") for r in lists], [None, "t1", "t2"])
        self.assertTrue(all(r.t < watch.t for r in lists))

    def test_continuations_carry_no_version_but_the_same_limit(self):
        host = self.begin(page(0, 2, "t1"), page(2, 2, "t2"), page(4, 1))
        self.check_complete(host)
        first, *later = self.cluster.log.lists(PODS)
        self.assertIn("limit", first.query)
        for request in later:
            self.assertNotIn("resourceVersion", request.query)
            self.assertEqual(request.query.get("limit"), first.query["limit"])

    def test_a_token_is_sent_back_as_it_came(self):
        token = "a+b/c==&d e%2F?#"
        host = self.begin(page(0, 2, token), page(2, 3))
        self.check_complete(host)
        self.assertEqual(self.cluster.log.lists(PODS)[1].query["continue"], token)

    def test_an_empty_page_with_a_token_is_not_the_end(self):
        host = self.begin(page(0, 2, "t1"), page(0, 0, "t2"), page(2, 3))
        self.check_complete(host)

    def test_pages_cut_at_any_byte(self):
        host = self.begin(page(0, 2, "t1", every=7), page(2, 2, "t2", every=1),
                          page(4, 1, every=3))
        self.check_complete(host)

    def test_an_expired_token_leads_to_one_whole_list(self):
        host = self.begin(page(0, 2, "t1"), {"status_object": {"code": 410, "reason": "Expired"}},
                          page(0, 5, rv="55"))
        self.check_complete(host, rv="55")
        whole = self.cluster.log.lists(PODS)[2]
        self.assertNotIn("continue", whole.query)
        self.assertIn(whole.query.get("resourceVersion", ""), ("",))

    def check_broken_page(self, broken):
        """A page that fails is asked again, or the list from its start; nothing is lost."""
        self.cluster = self.fake()
        self.cluster.override("GET", PODS, broken, page(2, 3), watch=False,
                              query={"continue": "t1"})
        self.cluster.override("GET", PODS, page(0, 2, "t1"), watch=False)
        self.cluster.override("GET", PODS, {"chunks": [], "end": "hang"}, watch=True)
        host = self.started(self.cluster, defaults=PAGED)
        watch = self.check_complete(host)
        last = self.cluster.log.all(query={"continue": "t1"})[-1]
        self.assertLess(last.t, watch.t)

    def test_a_page_that_answers_503(self):
        self.check_broken_page({"status_object": {"code": 503, "reason": "ServiceUnavailable"}})

    def test_a_page_that_breaks_off(self):
        self.check_broken_page({"chunks": ['{"kind":"PodList","apiVersion":"v1","items":[{"me'],
                                "end": "reset"})

    def test_a_page_that_ends_early_and_clean(self):
        self.check_broken_page({"chunks": ['{"kind":"PodList","apiVersion":"v1","items":[{"me']})

    def test_the_page_size_is_the_setting(self):
        self.cluster = self.fake(pods=7)
        host = self.ready(self.cluster, defaults={**PAGED, "list_page": 3})
        self.assertEqual(len(host.names("Pod")), 7)
        self.assertEqual([r.query.get("limit") for r in self.cluster.log.lists(PODS)], ["3"] * 3)


if __name__ == "__main__":
    main()
