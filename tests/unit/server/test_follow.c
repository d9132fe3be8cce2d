/* Followers of the change feed: none misses a commit, none holds up another. */
#include "serving.h"

#include <poll.h>

#define MANY 3000

static int setup_many(void **state)
{
    int rc = serving_setup(state);
    serving_put_many(*state, MANY);
    return rc;
}

static void test_followers_see_each_commit(void **state)
{
    struct serving *serving = *state;
    struct peer peers[20];
    uint64_t seq = kd_store_seq(serving->store);
    for (size_t i = 0; i < KD_ARRAY_LEN(peers); i++) {
        follow(&peers[i], serving, seq);
        assert_follows(&peers[i]);
    }
    for (unsigned round = 0; round < 10; round++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "r%u-end", round);
        put_now(serving, name);
        for (size_t i = 0; i < KD_ARRAY_LEN(peers); i++) {
            await_change(&peers[i], name);
        }
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(peers); i++) {
        peer_close(&peers[i]);
    }
}

/* A commit between the query and the wait must not be slept through. */
static void test_no_commit_is_missed(void **state)
{
    struct serving *serving = *state;
    struct peer peer;
    follow(&peer, serving, kd_store_seq(serving->store));
    for (unsigned i = 0; i < 200; i++) { /* no waiting for the follower in between */
        char name[16];
        (void)snprintf(name, sizeof(name), "c%u", i);
        put_now(serving, name);
    }
    put_now(serving, "the-end");
    assert_follows(&peer);
    await_change(&peer, "the-end");
    peer_close(&peer);
}

static void test_a_follower_that_never_reads_stops_nobody(void **state)
{
    struct serving *serving = *state;
    struct peer peers[8];
    for (size_t i = 0; i < KD_ARRAY_LEN(peers); i++) {
        follow(&peers[i], serving, 0);
    }
    for (unsigned i = 0; i < 10; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "s%u", i);
        put_now(serving, name);
        struct reply reply = api_get(serving, "/api/v1/resources?kind=Pod&namespace=new", 200);
        assert_has(reply.body.ptr, name);
        reply_release(&reply);
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(peers); i++) { /* what it is late for is all there */
        if (i % 2) {
            assert_follows(&peers[i]);
            await_change(&peers[i], "\"s9\"");
        }
        peer_close(&peers[i]);
    }
}

static void test_a_slow_follower_of_a_short_feed_is_cut(void **state)
{
    struct serving *serving = serving_new();
    struct peer peer;
    struct reply reply;
    (void)state;
    serving->feed_keep = 4000;
    serving_open_store(serving);
    serving_start(serving);
    serving_put_many(serving, 1500);
    follow(&peer, serving, 0);
    assert_follows(&peer); /* it has begun, and then takes nothing more */
    serving_put_many(serving, 1500);
    for (unsigned i = 0; i < 20; i++) {
        for (unsigned j = 0; j < 1500; j++) {
            char name[16];
            (void)snprintf(name, sizeof(name), "q%05u", j);
            serving_put_pod(serving, "later", name, i, 0);
        }
        assert_int_equal(kd_store_flush(serving->store), 0);
    }
    reply = api_get(serving, "/api/v1/changes?since=1", 410);
    reply_release(&reply);
    struct kd_buf seen;
    int more;
    kd_buf_init(&seen, KD_GIB);
    while ((more = peer_chunk(&peer, &seen)) > 0) {
    }
    assert_int_equal(more, -1); /* cut, and not ended as if it were complete */
    assert_null(strstr(seen.ptr, "\"error\""));
    kd_buf_release(&seen);
    peer_close(&peer);
    assert_int_equal(serving_teardown((void **)&serving), 0);
}

/* The time-out is for peers between requests: a silent follower outlives it. */
static void test_a_silent_follower_outlives_the_idle_time(void **state)
{
    struct serving *serving = *state;
    struct peer follower;
    struct peer idle;
    struct reply reply;
    serving_stop(serving);
    serving->idle_seconds = 1;
    serving_start(serving);
    follow(&follower, serving, kd_store_seq(serving->store));
    assert_follows(&follower);
    peer_open(&idle, serving->api);
    peer_request(&idle, "GET", "/api/v1/kinds");
    peer_read(&idle, &reply);
    assert_int_equal(reply.status, 200);
    reply_release(&reply);
    assert_null(peer_line(&idle)); /* closed for its silence, which began after the follower's */
    peer_close(&idle);
    put_now(serving, "still-here");
    await_change(&follower, "still-here");
    peer_close(&follower);
}

/* What a follower sends is not piled up: its socket fills. */
static void test_a_peer_that_sends_without_end(void **state)
{
    static const char junk[65536];
    struct serving *serving = *state;
    struct peer peer;
    size_t sent = 0;
    follow(&peer, serving, kd_store_seq(serving->store));
    assert_follows(&peer);
    for (;;) {
        struct pollfd ready = { .fd = peer.fd, .events = POLLOUT };
        if (poll(&ready, 1, 1000) == 0) {
            break;
        }
        ssize_t n = send(peer.fd, junk, sizeof(junk), MSG_DONTWAIT | MSG_NOSIGNAL);
        assert_true(n > 0 || errno == EAGAIN);
        sent += n > 0 ? (size_t)n : 0;
        assert_true(sent < 16 * KD_MIB);
    }
    put_now(serving, "answered");
    await_change(&peer, "answered");
    peer_close(&peer);
}

#define MANY_TEST(name) cmocka_unit_test_setup_teardown(name, setup_many, serving_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVING_TEST(test_followers_see_each_commit),
        SERVING_TEST(test_no_commit_is_missed),
        MANY_TEST(test_a_follower_that_never_reads_stops_nobody),
        cmocka_unit_test(test_a_slow_follower_of_a_short_feed_is_cut),
        SERVING_TEST(test_a_silent_follower_outlives_the_idle_time),
        SERVING_TEST(test_a_peer_that_sends_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
