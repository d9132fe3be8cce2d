/* Connections: how many, and how long a request may take to be whole. */
#include "serving.h"

#include <poll.h>

#define SOON_MS 300

static int start(struct serving *serving, unsigned max, int64_t unfinished_ns)
{
    serving->max_connections = max;
    serving->unfinished_ns = unfinished_ns;
    serving_open_store(serving);
    serving_start(serving);
    return 0;
}

static int setup_hasty(void **state)
{
    *state = serving_new();
    return start(*state, 100, 1500 * KD_MS_NS);
}

static int setup_few(void **state)
{
    *state = serving_new();
    return start(*state, 3, 0);
}

static void ask_once(struct peer *peer)
{
    struct reply reply;
    peer_request(peer, "GET", "/api/v1/kinds");
    peer_read(peer, &reply);
    assert_int_equal(reply.status, 200);
    reply_release(&reply);
}

static bool has_come(const struct peer *peer)
{
    struct pollfd poll_fd = { .fd = peer->fd, .events = POLLIN };
    return poll(&poll_fd, 1, SOON_MS) > 0;
}

/* Sends a byte now and then until the server has had enough, however long that takes. */
static void trickle_to_the_end(struct peer *peer)
{
    while (send(peer->fd, "a", 1, MSG_NOSIGNAL) == 1) {
        (void)poll(NULL, 0, 20); /* only the pace */
    }
}

static void a_trickling_peer_is_closed_and_others_are_not(void **state)
{
    struct serving *serving = *state;
    struct peer idle, follower, slow, silent, again;
    peer_open(&idle, serving->api);
    ask_once(&idle);
    peer_open(&follower, serving->api);
    peer_request(&follower, "GET", "/api/v1/changes?since=0&follow=1");
    peer_open(&again, serving->api);
    ask_once(&again);
    peer_send(&again, "GET /api/v1/kinds HTTP/1.1\r\nX-");

    peer_open(&silent, serving->api); /* says nothing at all */
    peer_open(&slow, serving->api);
    peer_send(&slow, "GET /api/v1/kinds HTTP/1.1\r\nX-");
    trickle_to_the_end(&slow);
    trickle_to_the_end(&again);
    assert_false(peer_fill(&silent));

    ask_once(&idle);
    serving_put_node(serving, "n1");
    assert_true(peer_fill(&follower));
    peer_close(&idle);
    peer_close(&follower);
    peer_close(&slow);
    peer_close(&again);
    peer_close(&silent);
}

static void those_that_are_too_many_wait(void **state)
{
    struct serving *serving = *state;
    struct peer peers[3], waiting, other;
    for (size_t i = 0; i < KD_ARRAY_LEN(peers); i++) {
        peer_open(&peers[i], serving->api);
        ask_once(&peers[i]);
    }
    peer_open(&waiting, serving->api);
    peer_request(&waiting, "GET", "/api/v1/kinds");
    assert_false(has_come(&waiting));
    ask_once(&peers[0]);
    peer_open(&other, serving->health); /* counted by itself */
    peer_request(&other, "GET", "/healthz");
    assert_true(peer_fill(&other));
    assert_false(has_come(&waiting));

    peer_close(&peers[1]);
    struct reply reply;
    peer_read(&waiting, &reply);
    assert_int_equal(reply.status, 200);
    reply_release(&reply);
    peer_close(&peers[0]);
    peer_close(&peers[2]);
    peer_close(&waiting);
    peer_close(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_trickling_peer_is_closed_and_others_are_not, setup_hasty,
                                        serving_teardown),
        cmocka_unit_test_setup_teardown(those_that_are_too_many_wait, setup_few, serving_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
