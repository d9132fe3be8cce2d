/* The life of an answer, step by step. */
#include "stage.h"

#include <time.h>

static unsigned count(struct kd_answer *answer)
{
    struct steps *steps = answer->state;
    return steps->n++;
}

static int step_fails(struct kd_answer *answer)
{
    (void)kd_buf_puts(&answer->piece, "half of it"); /* never sent */
    return KD_EIO;
}

static int step_says_no(struct kd_answer *answer)
{
    return kd_answer_fail(answer, 404, "no %s", "\"thing\"");
}

static int step_breaks_off(struct kd_answer *answer)
{
    (void)kd_buf_puts(&answer->piece, "begun ");
    return count(answer) < 2 ? KD_STEP_MORE : KD_EIO;
}

/* Pieces without a byte, at the start, in the middle and at the end. */
static int step_empty(struct kd_answer *answer)
{
    unsigned n = count(answer);
    if (n == 3) {
        (void)kd_buf_puts(&answer->piece, "text");
    }
    return n < 6 ? KD_STEP_MORE : KD_STEP_DONE;
}

static int step_gate_first(struct kd_answer *answer)
{
    stage_gate();
    (void)kd_buf_puts(&answer->piece, "through");
    return KD_STEP_DONE;
}

static int step_gate_later(struct kd_answer *answer)
{
    if (count(answer) > 0) {
        stage_gate();
    }
    (void)kd_buf_puts(&answer->piece, "through");
    return count(answer) < 3 ? KD_STEP_MORE : KD_STEP_DONE;
}

static int step_waits(struct kd_answer *answer)
{
    (void)kd_buf_printf(&answer->piece, "turn %u\n", count(answer));
    return KD_STEP_WAIT;
}

static const struct script scripts[] = {
    { "/fails", step_fails }, { "/no", step_says_no },       { "/breaks", step_breaks_off },
    { "/empty", step_empty }, { "/first", step_gate_first }, { "/later", step_gate_later },
    { "/waits", step_waits },
};

static int setup(void **state)
{
    (void)state;
    return stage_setup(scripts, KD_ARRAY_LEN(scripts));
}

static void expect(const char *target, int status, const char *body)
{
    struct reply reply = ask(stage->path, "GET", target);
    assert_int_equal(reply.status, status);
    assert_true(reply.complete);
    assert_string_equal(reply.body.ptr, body);
    reply_release(&reply);
}

static void test_errors_of_the_first_step(void **state)
{
    (void)state;
    expect("/fails", 500, "{\"error\":\"the query failed: input or output failed\"}\n");
    expect("/no", 404, "{\"error\":\"no \\\"thing\\\"\"}\n");
    expect("/refuse", 410, "{\"error\":\"refused \\\"at\\\" once\"}\n");
}

static void test_an_error_in_mid_answer_cuts(void **state)
{
    struct reply reply = ask(stage->path, "GET", "/breaks");
    (void)state;
    assert_int_equal(reply.status, 200);
    assert_true(reply.chunked);
    assert_false(reply.complete);
    assert_string_equal(reply.body.ptr, "begun begun ");
    reply_release(&reply);
}

static void test_empty_pieces(void **state)
{
    (void)state;
    expect("/empty", 200, "text");
}

static void test_head_of_an_answer_in_pieces(void **state)
{
    static const char *const targets[] = { "/empty", "/breaks", "/waits", "/later" };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(targets); i++) {
        struct peer peer;
        struct reply reply;
        peer_open(&peer, stage->path);
        peer_request(&peer, "HEAD", targets[i]);
        (void)peer_head(&peer, &reply);
        assert_int_equal(reply.status, 200);
        assert_false(reply.chunked);
        reply_release(&reply);
        peer_request(&peer, "GET", "/empty"); /* the connection goes on */
        peer_read(&peer, &reply);
        assert_string_equal(reply.body.ptr, "text");
        reply_release(&reply);
        peer_close(&peer);
    }
}

static void wake(void *arg)
{
    (void)arg;
    kd_answers_wake(&stage->context);
}

static void test_an_answer_waits_until_it_is_woken(void **state)
{
    struct peer peer;
    struct reply reply;
    struct kd_buf seen;
    (void)state;
    peer_open(&peer, stage->path);
    peer_request(&peer, "GET", "/waits");
    (void)peer_head(&peer, &reply);
    reply_release(&reply);
    kd_buf_init(&seen, KD_MIB);
    for (unsigned turn = 0; turn < 20; turn++) {
        char line[32];
        (void)snprintf(line, sizeof(line), "turn %u\n", turn);
        kd_buf_clear(&seen, 0);
        assert_int_equal(peer_chunk(&peer, &seen), 1);
        assert_string_equal(seen.ptr, line);
        /* Whether it waits by now or is just sending: the wake is not lost. */
        kd_loop_post(stage->context.loop, wake, NULL);
    }
    kd_buf_release(&seen);
    peer_close(&peer);
}

struct look {
    bool dropped;
    bool any;
};

static void look_at_first(void *arg)
{
    struct look *look = arg;
    const struct kd_answer *answer = stage->context.first;
    *look = (struct look){ answer && answer->dropped, answer != NULL };
}

/* The loop has seen that the peer is gone. */
static void await_dropped(void)
{
    const struct timespec moment = { 0, 1000000 };
    struct look look;
    do {
        (void)nanosleep(&moment, NULL); /* only spares the processor */
        kd_loop_call(stage->context.loop, look_at_first, &look);
        assert_true(look.any); /* its step is under way: it must not be freed */
    } while (!look.dropped);
}

static void await_none(void)
{
    const struct timespec moment = { 0, 1000000 };
    struct look look;
    do {
        (void)nanosleep(&moment, NULL); /* only spares the processor */
        kd_loop_call(stage->context.loop, look_at_first, &look);
    } while (look.any);
}

static void test_a_peer_that_closes_during_a_step(void **state)
{
    struct peer peer;
    (void)state;
    stage_hold(true);
    peer_open(&peer, stage->path);
    peer_request(&peer, "GET", "/later");
    stage_await_in_gate(1);
    peer_close(&peer);
    await_dropped();
    stage_hold(false);
    await_none();
    assert_int_equal(atomic_load(&stage->released), 1);
}

static void test_a_peer_that_closes_during_the_first_step(void **state)
{
    struct peer peer;
    (void)state;
    stage_hold(true);
    peer_open(&peer, stage->path);
    peer_request(&peer, "GET", "/first");
    stage_await_in_gate(1);
    peer_close(&peer);
    stage_hold(false);
    await_none();
    assert_int_equal(atomic_load(&stage->released), 1);
}

static void test_a_peer_that_closes_while_its_answer_waits(void **state)
{
    struct peer peer;
    struct reply reply;
    struct kd_buf seen;
    (void)state;
    kd_buf_init(&seen, KD_MIB);
    peer_open(&peer, stage->path);
    peer_request(&peer, "GET", "/waits");
    (void)peer_head(&peer, &reply);
    assert_int_equal(peer_chunk(&peer, &seen), 1);
    reply_release(&reply);
    kd_buf_release(&seen);
    peer_close(&peer);
    await_none();
}

static void test_the_drop_comes_during_steps(void **state)
{
    struct peer peers[6];
    (void)state;
    stage_hold(true);
    for (size_t i = 0; i < KD_ARRAY_LEN(peers); i++) { /* two run, the others stand behind them */
        peer_open(&peers[i], stage->path);
        peer_request(&peers[i], "GET", i % 2 ? "/first" : "/later");
    }
    stage_await_in_gate(2);
    for (size_t i = 0; i < KD_ARRAY_LEN(peers); i++) {
        peer_close(&peers[i]);
    } /* the rest is teardown's */
}

#define STAGE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, stage_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGE_TEST(test_errors_of_the_first_step),
        STAGE_TEST(test_an_error_in_mid_answer_cuts),
        STAGE_TEST(test_empty_pieces),
        STAGE_TEST(test_head_of_an_answer_in_pieces),
        STAGE_TEST(test_an_answer_waits_until_it_is_woken),
        STAGE_TEST(test_a_peer_that_closes_during_a_step),
        STAGE_TEST(test_a_peer_that_closes_during_the_first_step),
        STAGE_TEST(test_a_peer_that_closes_while_its_answer_waits),
        STAGE_TEST(test_the_drop_comes_during_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
