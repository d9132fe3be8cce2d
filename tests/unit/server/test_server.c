/* Every route of a running server. */
#include "serving.h"

/* Two nodes of which n1 is there, pods a/one on n1 and b/two on n2. */
static int setup(void **state)
{
    int rc = serving_setup(state);
    struct serving *serving = *state;
    serving_put_node(serving, "n1");
    serving_put_pod(serving, "a", "one", 0, 0);
    serving_put_pod(serving, "b", "two", 1, 0);
    assert_int_equal(kd_store_flush(serving->store), 0);
    return rc;
}

static void assert_body(struct serving *serving, const char *target, int status, const char *type,
                        const char *body)
{
    struct reply reply = api_get(serving, target, status);
    assert_string_equal(reply.type, type);
    assert_string_equal(reply.body.ptr, body);
    reply_release(&reply);
}

#define JSON "application/json"

static void test_kinds(void **state)
{
    struct reply reply = api_get(*state, "/api/v1/kinds", 200);
    assert_string_equal(reply.type, JSON);
    assert_false(reply.chunked);
    assert_has(
        reply.body.ptr,
        "{\"items\":[{\"kind\":\"Pod\",\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\","
        "\"plugin\":\"pod\",\"pluginVersion\":\"1.0.0\",\"state\":\"synced\",\"objects\":3,"
        "\"stored\":2,\"resourceVersion\":\"77\",\"queue\":{\"depth\":1,\"delayed\":4},"
        "\"lastError\":\"said \\\"no\\\"\"},{\"kind\":\"ReplicaSet\"");
    assert_int_equal(count_of(&reply.body, "\"kind\":"), KD_ARRAY_LEN(source_kinds));
    reply_release(&reply);
}

static void test_plugins(void **state)
{
    assert_body(*state, "/api/v1/plugins", 200, JSON,
                "{\"items\":[{\"name\":\"pod\",\"file\":\"/p/pod.so\",\"version\":\"1.0.0\","
                "\"abi\":\"1.0\",\"state\":\"loaded\",\"error\":\"\",\"expected\":\"\","
                "\"found\":\"\"},{\"name\":\"bad\",\"file\":\"\",\"version\":\"\",\"abi\":\"\","
                "\"state\":\"refused\",\"error\":\"no such file\",\"expected\":\"bad.so\","
                "\"found\":\"nothing\"}]}\n");
}

struct question {
    const char *target;
    int status;
    const char *has, *has_not;
};

static void ask_all(struct serving *serving, const struct question *questions, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct question *q = &questions[i];
        struct reply reply = api_get(serving, q->target, q->status);
        assert_has(reply.body.ptr, q->has);
        if (q->has_not && strstr(reply.body.ptr, q->has_not)) {
            fail_msg("%s: \"%s\" is in \"%s\"", q->target, q->has_not, reply.body.ptr);
        }
        reply_release(&reply);
    }
}

static void test_resources(void **state)
{
    static const struct question questions[] = {
        { "/api/v1/resources", 200, "\"name\":\"n1\"", NULL },
        { "/api/v1/resources?kind=Pod", 200, "\"name\":\"two\"", "\"kind\":\"Node\"" },
        { "/api/v1/resources?kind=po&namespace=b", 200, "\"name\":\"two\"", "\"name\":\"one\"" },
        { "/api/v1/resources?kind=pods&name=one", 200, "\"name\":\"one\"", "\"name\":\"two\"" },
        { "/api/v1/resources?kind=pod&labelSelector=n%3D1", 200, "\"two\"", "\"name\":\"one\"" },
        { "/api/v1/resources?kind=pod&fieldSelector=spec.nodeName%3Dn1", 200, "\"one\"",
          "\"two\"" },
        { "/api/v1/resources?kind=pod&name=none", 200,
          "{\"items\":[],\"continue\":\"\",\"seq\":", "{\"ref" },
        { "/api/v1/resources?kind=Nonesuch", 404, "no kind \\\"Nonesuch\\\" is kept", NULL },
        { "/api/v1/resources?kind=Pod&limit=x", 400, "limit must be", NULL },
        { "/api/v1/resources?kind=Pod&limit=100001", 400, "limit must be", NULL },
        { "/api/v1/resources?kind=Pod&continue=zz", 400, "continue", NULL },
        { "/api/v1/resources?kind=Pod&continue=50.5.6", 400, "continue", NULL },
        { "/api/v1/resources?kind=Pod&continue=506f64...6.", 400, "continue", NULL },
        { "/api/v1/resources?kind=Pod&continue=...", 400, "continue", NULL },
        { "/api/v1/resources?kind=Pod&labelSelector=a%20in", 400, "selector", NULL },
        { "/api/v1/resources?kind=Pod&fieldSelector=a", 400, "selector", NULL },
        { "/api/v1/resources?kind=Pod&name=%", 400, "percent", NULL },
    };
    ask_all(*state, questions, KD_ARRAY_LEN(questions));
}

static void test_relationships(void **state)
{
    static const struct question questions[] = {
        { "/api/v1/relationships", 200, "\"resolved\":false", NULL },
        { "/api/v1/relationships?subject=Pod/a/one", 200,
          "{\"items\":[{\"predicate\":{\"type\":\"PodNodeBinding\",\"nodeName\":\"n1\"},"
          "\"subject\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\",\"namespace\":\"a\","
          "\"name\":\"one\",\"uid\":\"one\"},\"object\":{",
          "\"name\":\"two\"" },
        { "/api/v1/relationships?object=Node//n2", 200, "\"two\"", "\"name\":\"one\"" },
        { "/api/v1/relationships?object=Node//n1&predicate=PodNodeBinding", 200,
          "\"resolved\":true", "\"two\"" },
        { "/api/v1/relationships?predicate=None", 200,
          "{\"items\":[],\"continue\":\"\",\"seq\":", NULL },
        { "/api/v1/relationships?limit=1", 200, "\"continue\":\"1\"", NULL },
        { "/api/v1/relationships?limit=2", 200, "\"continue\":\"\"", NULL },
        { "/api/v1/relationships?limit=1&continue=1", 200, "\"two\"", "\"name\":\"one\"" },
        { "/api/v1/relationships?subject=Pod", 400, "Kind/namespace/name", NULL },
        { "/api/v1/relationships?object=a/b/c/d", 400, "Kind/namespace/name", NULL },
        { "/api/v1/relationships?continue=x", 400, "continue must be", NULL },
    };
    ask_all(*state, questions, KD_ARRAY_LEN(questions));
}

static void test_graph(void **state)
{
    static const struct question questions[] = {
        { "/api/v1/graph?root=Node//n1", 200, "\"name\":\"one\"", "\"two\"" },
        { "/api/v1/graph?root=Node//n1&direction=in&depth=1", 200, "\"depth\":1,\"present\":true",
          NULL },
        { "/api/v1/graph?root=Node//n1&direction=out", 200, "\"relationships\":[]", "\"one\"" },
        { "/api/v1/graph?root=Node//n1&depth=0", 200, "\"relationships\":[]", "\"one\"" },
        { "/api/v1/graph?root=Pod/b/two", 200, "\"depth\":1,\"present\":false", "\"one\"" },
        { "/api/v1/graph?root=Pod/b/two&predicate=None", 200, "\"relationships\":[]", "\"n2\"" },
        { "/api/v1/graph?root=Pod/a/one&direction=up", 400, "direction must be", NULL },
        { "/api/v1/graph?root=Pod/a/one&format=png", 400, "format must be", NULL },
        { "/api/v1/graph?root=Pod/a/one&depth=65", 400, "depth must be", NULL },
        { "/api/v1/graph?root=Pod", 400, "Kind/namespace/name", NULL },
        { "/api/v1/graph", 400, "Kind/namespace/name", NULL },
        { "/api/v1/graph?root=Pod/a/none", 404, "is not in the graph", NULL },
    };
    ask_all(*state, questions, KD_ARRAY_LEN(questions));
    assert_body(*state, "/api/v1/graph?root=Pod/b/two&format=dot", 200, "text/vnd.graphviz",
                "digraph kindred {\n  node [shape=box];\n  n0 [label=\"Pod/b/two\"];\n"
                "  n1 [label=\"Node//n2\", style=dashed];\n"
                "  n0 -> n1 [label=\"PodNodeBinding\"];\n}\n");
}

static void test_changes(void **state)
{
    struct serving *serving = *state;
    struct reply reply = api_get(serving, "/api/v1/changes", 200);
    assert_string_equal(reply.type, "application/x-ndjson");
    assert_int_equal(count_of(&reply.body, "\"type\":\"put\""), 3);
    assert_int_equal(count_of(&reply.body, "\"type\":\"relate\""), 2);
    assert_int_equal(count_of(&reply.body, "\n"), kd_store_seq(serving->store));
    reply_release(&reply);
    char *at_end =
        kd_asprintf("/api/v1/changes?since=%llu", (unsigned long long)kd_store_seq(serving->store));
    assert_body(serving, at_end, 200, "application/x-ndjson", "");
    kd_free(at_end);
    reply = api_get(serving, "/api/v1/changes?since=999999", 410);
    assert_has(reply.body.ptr, "take the lists again");
    reply_release(&reply);
    reply = api_get(serving, "/api/v1/changes?since=now", 400);
    reply_release(&reply);
}

/* A list is true for the seq that it states: nothing changed since. */
static void test_lists_state_their_seq(void **state)
{
    static const char *const lists[] = { "/api/v1/resources", "/api/v1/relationships",
                                         "/api/v1/graph?root=Node//n1" };
    struct serving *serving = *state;
    char *seq = kd_asprintf("\"seq\":%llu}\n", (unsigned long long)kd_store_seq(serving->store));
    for (size_t i = 0; i < KD_ARRAY_LEN(lists); i++) {
        struct reply reply = api_get(serving, lists[i], 200);
        assert_has(reply.body.ptr, seq);
        reply_release(&reply);
    }
    kd_free(seq);
}

static void test_other_paths_and_methods(void **state)
{
    static const struct {
        const char *method, *target;
        int status;
    } rows[] = {
        { "GET", "/", 404 },
        { "GET", "/api/v1", 404 },
        { "GET", "/api/v1/kinds/", 404 },
        { "GET", "/api/v1/nonesuch", 404 },
        { "GET", "*", 404 },
        { "GET", "/api/v1/path?from=a&to=b", 400 },
        { "GET", "/api/v1/impact", 400 },
        { "GET", "/api/v1/orphans?limit=x", 400 },
        { "GET", "/api/v1/unresolved?limit=x", 400 },
        { "POST", "/api/v1/kinds", 405 },
        { "DELETE", "/api/v1/resources", 405 },
        { "PUT", "/api/v1/graph", 405 },
        { "GET", "/api/v1/log?level=info", 405 },
        { "PUT", "/api/v1/log", 400 },
        { "PUT", "/api/v1/log?level=loud", 400 },
        { "PUT", "/api/v1/log?level=%zz", 400 },
    };
    struct serving *serving = *state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        struct reply reply = ask(serving->api, rows[i].method, rows[i].target);
        if (reply.status != rows[i].status) {
            fail_msg("%s %s: %d", rows[i].method, rows[i].target, reply.status);
        }
        assert_string_equal(reply.type, JSON);
        assert_has(reply.body.ptr, "{\"error\":\"");
        reply_release(&reply);
    }
}

static void test_the_log_level(void **state)
{
    struct serving *serving = *state;
    struct reply reply = ask(serving->api, "PUT", "/api/v1/log?level=error");
    assert_int_equal(reply.status, 200);
    assert_int_equal(kd_log_level(), KD_LOG_ERROR);
    reply_release(&reply);
}

static void assert_page(const char *path, const char *method, const char *target, int status,
                        const char *has)
{
    struct reply reply = ask(path, method, target);
    assert_int_equal(reply.status, status);
    assert_has(reply.type, "text/plain");
    assert_has(reply.body.ptr, has);
    reply_release(&reply);
}

static void test_health_and_metrics(void **state)
{
    struct serving *serving = *state;
    kd_metrics_add_process(serving->metrics, "1.2.3");
    assert_page(serving->health, "GET", "/healthz", 200, "ok");
    assert_page(serving->health, "GET", "/readyz?verbose", 200, "readyz check passed\n");
    assert_page(serving->health, "GET", "/readyz/store", 200, "ok");
    assert_page(serving->health, "GET", "/readyz?%zz", 400, "percent");
    assert_page(serving->health, "GET", "/metrics", 404, "/healthz and /readyz are here");
    assert_page(serving->health, "PUT", "/healthz", 405, "only GET");
    assert_page(serving->metrics_path, "GET", "/metrics", 200, "# TYPE ");
    assert_page(serving->metrics_path, "GET", "/healthz", 404, "/metrics is here");
    assert_page(serving->metrics_path, "POST", "/metrics", 405, "only GET");
}

static void test_a_failed_check(void **state)
{
    struct serving *serving = *state;
    serving_stop(serving);
    serving->ready_less = 0;
    serving_start(serving);
    assert_page(serving->health, "GET", "/readyz", 500, "[-]kind-node failed: Node: forbidden 403");
    assert_page(serving->health, "GET", "/readyz?exclude=kind-node", 200, "ok");
    assert_page(serving->health, "GET", "/healthz", 200, "ok");
}

/* Bytes behind an answer to HEAD would be taken for the next answer. */
static void test_head_has_no_body(void **state)
{
    static const char *const targets[] = { "/api/v1/kinds", "/api/v1/resources", "/api/v1/none",
                                           "/api/v1/changes?since=0" };
    struct serving *serving = *state;
    struct peer peer;
    peer_open(&peer, serving->api);
    for (size_t i = 0; i < KD_ARRAY_LEN(targets); i++) {
        struct reply reply;
        peer_request(&peer, "HEAD", targets[i]);
        peer_request(&peer, "GET", "/api/v1/plugins");
        (void)peer_head(&peer, &reply);
        assert_int_equal(reply.status, i == 2 ? 404 : 200);
        assert_false(reply.chunked);
        reply_release(&reply);
        peer_read(&peer, &reply);
        assert_int_equal(reply.status, 200);
        assert_has(reply.body.ptr, "/p/pod.so");
        reply_release(&reply);
    }
    peer_close(&peer);
}

static void test_pipelined_requests(void **state)
{
    struct serving *serving = *state;
    struct peer peer;
    peer_open(&peer, serving->api);
    for (size_t i = 0; i < 50; i++) {
        peer_request(&peer, "GET", i % 2 ? "/api/v1/plugins" : "/api/v1/resources?kind=Pod");
    }
    for (size_t i = 0; i < 50; i++) {
        struct reply reply;
        peer_read(&peer, &reply);
        assert_int_equal(reply.status, 200);
        assert_has(reply.body.ptr, i % 2 ? "/p/pod.so" : "\"name\":\"two\"");
        reply_release(&reply);
    }
    peer_close(&peer);
}

static void test_http_1_0(void **state)
{
    struct serving *serving = *state;
    struct peer peer;
    const char *line;
    const char *last = "";
    peer_open(&peer, serving->api);
    peer_send(&peer, "GET /api/v1/plugins HTTP/1.0\r\n\r\n");
    while ((line = peer_line(&peer))) {
        last = line;
    }
    assert_has(last, "/p/pod.so"); /* and the connection was closed behind it */
    peer_close(&peer);
}

static void test_nonsense(void **state)
{
    static const char *const texts[] = {
        "\r\n\r\n",
        "nonsense\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "POST /api/v1/kinds HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\nx",
    };
    struct serving *serving = *state;
    for (size_t i = 0; i < KD_ARRAY_LEN(texts); i++) {
        struct peer peer;
        struct reply reply;
        peer_open(&peer, serving->api);
        peer_send(&peer, texts[i]);
        assert_int_equal(shutdown(peer.fd, SHUT_WR), 0);
        peer_read(&peer, &reply);
        assert_int_not_equal(reply.status, 200);
        reply_release(&reply);
        peer_close(&peer);
    }
    struct reply reply = api_get(serving, "/api/v1/kinds", 200);
    reply_release(&reply);
}

#define ROUTE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, serving_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROUTE_TEST(test_kinds),
        ROUTE_TEST(test_plugins),
        ROUTE_TEST(test_resources),
        ROUTE_TEST(test_relationships),
        ROUTE_TEST(test_graph),
        ROUTE_TEST(test_changes),
        ROUTE_TEST(test_lists_state_their_seq),
        ROUTE_TEST(test_other_paths_and_methods),
        ROUTE_TEST(test_the_log_level),
        ROUTE_TEST(test_health_and_metrics),
        ROUTE_TEST(test_a_failed_check),
        ROUTE_TEST(test_head_has_no_body),
        ROUTE_TEST(test_pipelined_requests),
        ROUTE_TEST(test_http_1_0),
        ROUTE_TEST(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
