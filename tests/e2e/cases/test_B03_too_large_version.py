"""B03: a version that the server does not have yet is given up, not asked for again and again."""

from e2e.cases.pace import HANG, PODS, expired, pods
from e2e.lib.case import PAGED, KindredTest, main

MESSAGE = "Too large resource version: 363, current: 120"
CAUSE = {"causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]}


def refusal(message, **details):
    return {"status_object": {"code": 504, "reason": "Timeout", "message": message,
                              "details": details}}


class TooLargeVersion(KindredTest):
    def check(self, refused, defaults=None):
        """Synced at 363, then the server is set back to 120."""
        cluster = self.fake()
        cluster.override("GET", PODS, refused, watch=False, query={"resourceVersion": "363"})
        cluster.override("GET", PODS, pods(363, "old"), pods(120, "new"), watch=False)
        cluster.override("GET", PODS, {"lines": [expired()]}, HANG, watch=True)
        host = self.started(cluster, defaults=PAGED)
        host.until(lambda: host.names("Pod") == ["new"], 30, "the server's state")
        asked = cluster.log.all(path=PODS, verb="list", query={"resourceVersion": "363"})
        self.assertTrue(1 <= len(asked) <= 2, cluster.log.text())
        last = cluster.log.lists(PODS)[-1]
        self.assertEqual(last.query.get("resourceVersion", ""), "")
        watch = cluster.log.wait(2, path=PODS, verb="watch")[-1]
        self.assertEqual(watch.query["resourceVersion"], "120")
        host.wait_ready()
        self.assertEqual(host.stop(), 0)

    def test_known_by_its_message(self):
        self.check(refusal(MESSAGE, retryAfterSeconds=1))

    def test_known_by_its_cause(self):
        self.check(refusal("the server could not do it in time", **CAUSE))

    def test_known_by_both_and_with_a_wait(self):
        self.check(refusal(MESSAGE, retryAfterSeconds=1, **CAUSE))

    def test_as_a_watch_event(self):
        cluster = self.fake()
        event = {"type": "ERROR", "object": {
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Timeout",
            "message": MESSAGE, "code": 504}}
        cluster.override("GET", PODS, refusal(MESSAGE), watch=False,
                         query={"resourceVersion": "363"})
        cluster.override("GET", PODS, pods(363, "old"), pods(120, "new"), watch=False)
        cluster.override("GET", PODS, {"lines": [event]}, HANG, watch=True)
        host = self.started(cluster, defaults=PAGED)
        host.until(lambda: host.names("Pod") == ["new"], 30, "the server's state")
        asked = cluster.log.all(path=PODS, query={"resourceVersion": "363"})
        self.assertLessEqual(len(asked), 2 + 1, cluster.log.text())    # the first watch is valid

    def test_a_streaming_list(self):
        """The first request that carries the version is the watch that is told so."""
        cluster = self.fake()
        cluster.override("GET", PODS, refusal(MESSAGE), watch=True,
                         query={"sendInitialEvents": "true", "resourceVersion": "363"})
        end = {"type": "BOOKMARK", "object": {"kind": "Pod", "apiVersion": "v1", "metadata": {
            "resourceVersion": "363", "annotations": {"k8s.io/initial-events-end": "true"}}}}
        later = {"type": "BOOKMARK", "object": {"kind": "Pod", "apiVersion": "v1", "metadata": {
            "resourceVersion": "120", "annotations": {"k8s.io/initial-events-end": "true"}}}}
        new = {"type": "ADDED", "object": {"kind": "Pod", "apiVersion": "v1", "metadata": {
            "name": "new", "namespace": "default", "uid": "u", "resourceVersion": "100"}}}
        cluster.override("GET", PODS, {"lines": [end, expired()]},
                         {"lines": [new, later], "end": "hang"}, watch=True)
        host = self.started(cluster)
        host.until(lambda: host.names("Pod") == ["new"], 30, "the server's state")
        asked = cluster.log.all(path=PODS, query={"resourceVersion": "363"})
        self.assertLessEqual(len(asked), 2, cluster.log.text())


if __name__ == "__main__":
    main()
