/* A call may be canceled at any moment; done is then never called. */
#include "fixture.h"

static const char script[] = "{'routes':["
                             "{'path':'/ok','answers':[{'text':'fine'}]},"
                             "{'path':'/hang','answers':[{'gate':'never'}]},"
                             "{'path':'/half','answers':[{'chunks':['half',{'gate':'never'}]}]},"
                             "{'path':'/busy','answers':[{'status':429,"
                             "'headers':{'Retry-After':'3000'},'json':{}}]}]}";

static struct wire wire;
static struct fixture fix;
static struct result first;
static struct result second;

static int group_setup(void **state)
{
    (void)state;
    wire_start(&wire, script, (struct wire_options){ 0 });
    return 0;
}

static int group_teardown(void **state)
{
    (void)state;
    wire_stop(&wire);
    return 0;
}

static int setup(void **state)
{
    (void)state;
    plain_open(&fix, &wire);
    fix.settings.request_timeout_ns = 24 * 3600 * KD_SEC_NS;
    result_init(&first);
    result_init(&second);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fixture_close(&fix);
    result_release(&first);
    result_release(&second);
    return 0;
}

/* Another whole call shows that the client still works, and gives a canceled one time to err. */
static void assert_still_works(void)
{
    struct result result;
    fetch(&fix, "/ok", 0, &result);
    assert_int_equal(result.response.error, 0);
    assert_string_equal(result.data.ptr, "fine");
    result_release(&result);
}

static void null_is_accepted(void **state)
{
    (void)state;
    kd_call_cancel(NULL);
    assert_still_works();
}

static void before_it_runs(void **state)
{
    (void)state;
    struct kd_call *call = start(&fix, "/ok", 0, &first);
    assert_int_equal(call->state, KD_CALL_READY);
    kd_call_cancel(call);
    assert_still_works();
    assert_false(first.started);
    assert_false(first.done);
}

static void while_the_rate_limit_holds_it(void **state)
{
    (void)state;
    kd_limiter_init(&fix.client->pace.limiter, 0.0001, 1, kd_client_now(fix.client));
    fetch(&fix, "/ok", 0, &first);
    struct kd_call *call = start(&fix, "/ok", 0, &second);
    kd_loop_run_once(fix.loop, KD_SEC_NS);
    assert_int_equal(call->state, KD_CALL_LIMITED);
    kd_call_cancel(call);
    fix.client->pace.limiter.qps = -1;
    assert_still_works();
    assert_false(second.done);
}

static void while_others_wait_for_its_connection(void **state)
{
    (void)state;
    struct kd_call *call = start(&fix, "/ok", 0, &first);
    (void)start(&fix, "/ok", 0, &second);
    AWAIT(&fix, fix.client->others.opener == call);
    kd_call_cancel(call);
    AWAIT(&fix, second.done);
    assert_int_equal(second.response.error, 0);
    assert_false(first.done);
}

static void while_it_waits_for_an_answer(void **state)
{
    (void)state;
    struct kd_call *call = start(&fix, "/hang", 0, &first);
    AWAIT(&fix, wire_saw(&wire, "/hang", 0));
    assert_int_equal(call->state, KD_CALL_RUNNING);
    kd_call_cancel(call);
    assert_still_works();
    assert_false(first.done);
}

static void between_chunks(void **state)
{
    (void)state;
    struct kd_call *call = start(&fix, "/half", KD_REQUEST_WATCH, &first);
    AWAIT(&fix, first.data.len == 4);
    kd_call_cancel(call);
    assert_still_works();
    assert_false(first.done);
}

static void itself_from_started(void **state)
{
    (void)state;
    first.cancel_on_started = start(&fix, "/ok", 0, &first);
    AWAIT(&fix, first.started);
    assert_still_works();
    assert_int_equal(first.data.len, 0);
    assert_false(first.done);
    assert_true(TAILQ_EMPTY(&fix.client->all));
}

static void itself_from_data(void **state)
{
    (void)state;
    first.cancel_on_data = start(&fix, "/ok", 0, &first);
    AWAIT(&fix, first.data.len == 4);
    assert_still_works();
    assert_false(first.done);
    assert_true(TAILQ_EMPTY(&fix.client->all));
}

static void another_from_data(void **state)
{
    (void)state;
    first.cancel_on_data = start(&fix, "/half", KD_REQUEST_WATCH, &second);
    AWAIT(&fix, second.data.len == 4);
    (void)start(&fix, "/ok", 0, &first);
    AWAIT(&fix, first.done);
    assert_int_equal(first.response.error, 0);
    assert_still_works();
    assert_false(second.done);
    assert_true(TAILQ_EMPTY(&fix.client->all));
}

static void another_and_itself_from_done(void **state)
{
    (void)state;
    first.cancel_on_done = start(&fix, "/half", 0, &second);
    AWAIT(&fix, second.data.len == 4);
    (void)start(&fix, "/ok", 0, &first);
    AWAIT(&fix, first.done);
    assert_false(second.done);
    result_release(&first);
    result_init(&first);
    first.cancel_on_done = start(&fix, "/ok", 0, &first);
    AWAIT(&fix, first.done);
    assert_still_works();
    assert_int_equal(first.n_done, 1);
    assert_true(TAILQ_EMPTY(&fix.client->all));
}

static void while_it_waits_to_retry(void **state)
{
    (void)state;
    struct kd_call *call = start(&fix, "/busy", 0, &first);
    AWAIT(&fix, call->state == KD_CALL_DELAYED);
    kd_call_cancel(call);
    assert_still_works();
    assert_false(first.done);
}

/* Starts a new call from inside curl. */
static int start_on_data(void *arg, const char *ptr, size_t len)
{
    (void)arg;
    (void)ptr;
    (void)len;
    if (fix.client->in_curl && second.place == 0) {
        second.place = 1;
        (void)start(&fix, "/ok", 0, &second);
    }
    return 0;
}

static void started_from_inside_of_curl(void **state)
{
    static const struct kd_response_sink sink = { .data = start_on_data, .done = on_done };
    const struct kd_request request = {
        .method = "GET", .path = "/ok", .sink = &sink, .arg = &first
    };
    (void)state;
    (void)kd_client_start(fix.client, &request);
    AWAIT(&fix, first.done && second.done);
    assert_int_equal(second.response.error, 0);
    assert_string_equal(second.data.ptr, "fine");
}

static void free_ends_calls_in_every_state(void **state)
{
    struct result results[5];
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(results); i++) {
        result_init(&results[i]);
    }
    (void)start(&fix, "/half", KD_REQUEST_WATCH, &results[0]);
    (void)start(&fix, "/hang", 0, &results[1]);
    struct kd_call *delayed = start(&fix, "/busy", 0, &results[2]);
    AWAIT(&fix, results[0].data.len == 4 && delayed->state == KD_CALL_DELAYED);
    kd_limiter_init(&fix.client->pace.limiter, 0.0001, 1, kd_client_now(fix.client));
    (void)start(&fix, "/ok", 0, &results[3]);
    (void)start(&fix, "/ok", KD_REQUEST_WATCH, &results[4]);
    kd_client_free(kd_steal(fix.client));
    for (size_t i = 0; i < KD_ARRAY_LEN(results); i++) {
        assert_false(results[i].done);
        result_release(&results[i]);
    }
}

int main(void)
{
#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(null_is_accepted),
        CASE(before_it_runs),
        CASE(while_the_rate_limit_holds_it),
        CASE(while_others_wait_for_its_connection),
        CASE(while_it_waits_for_an_answer),
        CASE(between_chunks),
        CASE(itself_from_started),
        CASE(itself_from_data),
        CASE(another_from_data),
        CASE(another_and_itself_from_done),
        CASE(while_it_waits_to_retry),
        CASE(started_from_inside_of_curl),
        CASE(free_ends_calls_in_every_state),
    };
#undef CASE
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
