/* Answers of many pieces: walks, pages, peers that go in the middle, and the stop. */
#include "serving.h"

#define MANY 3000

static int setup_many(void **state)
{
    int rc = serving_setup(state);
    serving_put_many(*state, MANY);
    return rc;
}

/* How many names of six characters follow `before`; in_order: each is above the last. */
static size_t count_names(const struct kd_buf *body, const char *before, bool in_order)
{
    size_t n = 0;
    char last[8] = "";
    for (const char *at = body->ptr; (at = strstr(at, before)); at += strlen(before)) {
        char name[8] = "";
        memcpy(name, at + strlen(before), 6);
        if (in_order) {
            assert_true(strcmp(last, name) < 0);
        }
        memcpy(last, name, sizeof(last));
        n++;
    }
    return n;
}

#define POD_NAME "\"namespace\":\"many\",\"name\":\""

static void test_a_long_list_comes_in_pieces(void **state)
{
    struct reply reply = api_get(*state, "/api/v1/resources?kind=Pod", 200);
    assert_true(reply.chunked);
    assert_true(reply.body.len > 10 * 64 * KD_KIB);
    assert_int_equal(count_names(&reply.body,
                                 "{\"ref\":{\"group\":\"\",\"version\":\"v1\","
                                 "\"kind\":\"Pod\"," POD_NAME,
                                 true),
                     MANY);
    assert_has(reply.body.ptr + reply.body.len - 40, "],\"continue\":\"\",\"seq\":");
    reply_release(&reply);
    reply = api_get(*state, "/api/v1/relationships", 200);
    assert_true(reply.chunked);
    assert_int_equal(count_of(&reply.body, "\"PodNodeBinding\""), MANY);
    reply_release(&reply);
    reply = api_get(*state, "/api/v1/changes", 200);
    assert_true(reply.chunked);
    assert_int_equal(count_of(&reply.body, "\"type\":\"put\""), MANY);
    assert_int_equal(count_of(&reply.body, "\"type\":\"relate\""), MANY);
    reply_release(&reply);
    reply = api_get(*state, "/api/v1/graph?root=Node//n1&depth=1", 404);
    reply_release(&reply);
    serving_put_node(*state, "n1");
    assert_int_equal(kd_store_flush(((struct serving *)*state)->store), 0);
    reply = api_get(*state, "/api/v1/graph?root=Node//n1&depth=1", 200);
    assert_int_equal(count_of(&reply.body, "\"present\":true"), 1 + MANY / 2);
    reply_release(&reply);
}

/* Pieces without a row still go on: the selected ones are far apart. */
static void test_a_sparse_selector(void **state)
{
    struct reply reply =
        api_get(*state, "/api/v1/resources?kind=Pod&labelSelector=n+in+(1,2999)", 200);
    assert_int_equal(count_names(&reply.body, "\"kind\":\"Pod\"," POD_NAME, true), 2);
    reply_release(&reply);
    reply = api_get(*state, "/api/v1/resources?kind=Pod&labelSelector=n%3Dnone", 200);
    assert_has(reply.body.ptr, "{\"items\":[],\"continue\":\"\"");
    reply_release(&reply);
}

static char *take_token(const struct kd_buf *body)
{
    const char *at = strstr(body->ptr, "],\"continue\":\"");
    assert_non_null(at);
    at += strlen("],\"continue\":\"");
    return kd_str_dup((struct kd_str){ at, strcspn(at, "\"") });
}

static size_t walk_pages(struct serving *serving, const char *path, const char *mark, size_t limit)
{
    char *token = kd_strdup("");
    size_t n = 0;
    do {
        char *target = kd_asprintf("%s&limit=%zu&continue=%s", path, limit, token);
        struct reply reply = api_get(serving, target, 200);
        size_t here = count_of(&reply.body, mark);
        kd_free(target);
        kd_free(token);
        token = take_token(&reply.body);
        assert_true(here == limit || !*token);
        n += here;
        reply_release(&reply);
    } while (*token);
    kd_free(token);
    return n;
}

static void test_pages(void **state)
{
    struct serving *serving = *state;
    assert_int_equal(walk_pages(serving, "/api/v1/resources?kind=Pod", "{\"ref\":", 700), MANY);
    assert_int_equal(walk_pages(serving, "/api/v1/resources?kind=Pod", "{\"ref\":", 1000), MANY);
    assert_int_equal(walk_pages(serving, "/api/v1/relationships?x=", "\"resolved\":", 999), MANY);
    assert_int_equal(
        walk_pages(serving, "/api/v1/resources?labelSelector=n+in+(1,9,99,2999)", "{\"ref\":", 1),
        4);
}

static void test_a_peer_that_closes_in_mid_answer(void **state)
{
    static const char *const targets[] = { "/api/v1/resources", "/api/v1/relationships",
                                           "/api/v1/changes?follow=1", "/api/v1/kinds" };
    struct serving *serving = *state;
    for (size_t i = 0; i < 80; i++) {
        struct peer peer;
        char byte;
        peer_open(&peer, serving->api);
        peer_request(&peer, "GET", targets[i % 4]);
        if (i % 3 != 0) { /* every third goes without having read anything */
            assert_int_equal(recv(peer.fd, &byte, 1, 0), 1);
        }
        peer_close(&peer);
    }
    struct reply reply = api_get(serving, "/api/v1/resources?kind=Pod", 200);
    assert_int_equal(count_of(&reply.body, "{\"ref\":"), MANY);
    reply_release(&reply);
}

static void test_stop_with_answers_under_way(void **state)
{
    struct serving *serving = *state;
    struct peer peers[24];
    for (unsigned round = 0; round < 5; round++) {
        for (size_t i = 0; i < KD_ARRAY_LEN(peers); i++) {
            static const char *const targets[] = { "/api/v1/resources", "/api/v1/changes?follow=1",
                                                   "/api/v1/relationships" };
            peer_open(&peers[i], serving->api);
            peer_request(&peers[i], "GET", targets[i % 3]);
        }
        for (size_t i = 0; i < round * 6; i++) { /* some have begun, some have not */
            char byte;
            assert_int_equal(recv(peers[i].fd, &byte, 1, 0), 1);
        }
        serving_stop(serving);
        assert_int_equal(access(serving->api, F_OK), -1);
        for (size_t i = 0; i < KD_ARRAY_LEN(peers); i++) {
            while (peer_fill(&peers[i])) { /* to the end of the stream */
            }
            peer_close(&peers[i]);
        }
        serving_start(serving);
    }
    struct reply reply = api_get(serving, "/api/v1/kinds", 200);
    reply_release(&reply);
}

static void test_stop_while_the_store_writes(void **state)
{
    struct serving *serving = *state;
    for (unsigned round = 0; round < 5; round++) {
        struct peer peer;
        follow(&peer, serving, kd_store_seq(serving->store));
        assert_follows(&peer);
        for (unsigned i = 0; i < 300; i++) {
            char name[24];
            (void)snprintf(name, sizeof(name), "w%u-%u", round, i);
            serving_put_pod(serving, "new", name, i, 0);
        }
        serving_stop(serving);
        peer_close(&peer);
        serving_start(serving);
    }
}

static void test_a_bind_that_fails_leaves_nothing(void **state)
{
    struct serving *serving = *state;
    struct kd_health_settings health = { .bind = kd_asprintf("unix:%s/other", serving->folder) };
    struct kd_http_settings off = { .bind = kd_strdup("0") };
    struct kd_http_settings taken = { .bind = kd_asprintf("unix:%s", serving->api) };
    const struct kd_server_settings settings = {
        .health = &health, .metrics = &off, .api = &taken
    };
    struct kd_server *server = NULL;
    struct kd_error error = { 0 };
    assert_int_equal(
        kd_server_start(&settings, &source_all, serving->metrics, serving->store, &server, &error),
        KD_EBUSY);
    assert_null(server);
    assert_has(error.text, "api.bind");
    assert_int_equal(access(health.bind + strlen("unix:"), F_OK), -1);
    assert_int_equal(access(serving->api, F_OK), 0);
    struct reply reply = api_get(serving, "/api/v1/kinds", 200);
    reply_release(&reply);
    kd_free(health.bind);
    kd_free(off.bind);
    kd_free(taken.bind);
}

#define MANY_TEST(name) cmocka_unit_test_setup_teardown(name, setup_many, serving_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MANY_TEST(test_a_long_list_comes_in_pieces),
        MANY_TEST(test_a_sparse_selector),
        MANY_TEST(test_pages),
        MANY_TEST(test_a_peer_that_closes_in_mid_answer),
        MANY_TEST(test_stop_with_answers_under_way),
        SERVING_TEST(test_stop_while_the_store_writes),
        SERVING_TEST(test_a_bind_that_fails_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
