/* What is sent again, in which order calls leave, and which connection they take. */
#include "fixture.h"

#define BUSY(after) "{'status':429,'headers':{'Retry-After':'" after "'},'json':{}}"
static const char script[] =
    "{'routes':["
    "{'path':'/busy','answers':[" BUSY(
        "1") ",{'status':503,'headers':{'Retry-After':'1'},'json':{}},"
             "  {'text':'at last'}]},"
             "{'path':'/always','answers':[" BUSY(
                 "1") "]},"
                      "{'path':'/500','answers':[{'status':500,'json':{}}]},"
                      "{'path':'/list','answers':[" BUSY(
                          "1") "]},"
                               "{'path':'/late','answers':[" BUSY(
                                   "3000") "]},"
                                           "{'method':'POST','path':'/post','answers':[" BUSY(
                                               "1") "]},"
                                                    "{'path':'/"
                                                    "lost','answers':[{'framing':'raw','chunks':[],"
                                                    "'end':'close'},"
                                                    "  "
                                                    "{'framing':'raw','chunks':[],'end':'close'},{'"
                                                    "text':'found'}]},"
                                                    "{'path':'/ok','answers':[{'text':'fine'}]},"
                                                    "{'path':'/"
                                                    "watch','answers':[{'chunks':['x',{'gate':'"
                                                    "never'}]}]}"
                                                    "]}";

static struct wire wire;
static struct fixture fix;
static struct result result;

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
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    result_release(&result);
    fixture_close(&fix);
    return 0;
}

/* Starts a call and ends each of its waits at once, until it is done. Returns how many there were.
 */
static unsigned fetch_hurried(const char *path)
{
    unsigned waits = 0;
    result_init(&result);
    struct kd_call *call = start(&fix, path, 0, &result);
    for (;;) {
        AWAIT(&fix, result.done || call->state == KD_CALL_DELAYED);
        if (result.done) {
            return waits;
        }
        waits++;
        kd_timer_start(&call->delay, 0);
        AWAIT(&fix, result.done || call->state != KD_CALL_DELAYED);
    }
}

static void get_is_sent_again_after_the_servers_time(void **state)
{
    struct kd_buf page;
    (void)state;
    kd_buf_init(&page, KD_MIB);
    assert_int_equal(fetch_hurried("/busy"), 2);
    assert_int_equal(result.response.error, 0);
    assert_string_equal(result.data.ptr, "at last");
    assert_int_equal(result.n_done, 1);
    assert_int_equal(kd_metrics_write(fix.metrics, KD_METRICS_TEXT, &page), 0);
    assert_contains(page.ptr, "rest_client_request_retries_total{code=\"429\",verb=\"get\"");
    assert_contains(page.ptr, "rest_client_request_retries_total{code=\"503\",verb=\"get\"");
    kd_buf_release(&page);
}

static void retries_end(void **state)
{
    (void)state;
    assert_int_equal(fetch_hurried("/always"), 10);
    assert_int_equal(result.response.error, KD_EHTTP);
    assert_int_equal(result.response.http_code, 429);
    assert_true(wire_saw(&wire, "/always", 10));
    assert_false(wire_saw(&wire, "/always", 11));
}

static void lost_connection_is_tried_again(void **state)
{
    (void)state;
    assert_int_equal(fetch_hurried("/lost"), 2);
    assert_int_equal(result.response.error, 0);
    assert_string_equal(result.data.ptr, "found");
}

static void some_things_are_not_sent_again(void **state)
{
    (void)state;
    assert_int_equal(fetch_hurried("/500"), 0); /* no Retry-After */
    assert_int_equal(result.response.http_code, 500);
    result_release(&result);
    fetch(&fix, "/list", KD_REQUEST_LIST, &result);
    assert_int_equal(result.response.http_code, 429);
    assert_int_equal(result.response.status.retry_after_ns, KD_SEC_NS);
    result_release(&result);
    assert_int_equal(fetch_hurried("/late"), 0); /* beyond the call's own time */
    assert_int_equal(result.response.http_code, 429);
    result_release(&result);
    result_init(&result);
    const struct kd_request post = { .method = "POST",
                                     .path = "/post",
                                     .body = KD_STR("{}"),
                                     .sink = &result_sink,
                                     .arg = &result };
    (void)kd_client_start(fix.client, &post);
    AWAIT(&fix, result.done);
    assert_int_equal(result.response.http_code, 429);
    assert_false(wire_saw(&wire, "/post", 1));
}

static void rate_limit_keeps_the_order_and_lets_watches_pass(void **state)
{
    struct result calls[4];
    struct result watch;
    unsigned order = 0;
    (void)state;
    fix.client->clock = &fake_clock;
    kd_limiter_init(&fix.client->pace.limiter, 1000, 1, fake_now_ns);
    for (size_t i = 0; i < KD_ARRAY_LEN(calls); i++) {
        result_init(&calls[i]);
        calls[i].order = &order;
        (void)start(&fix, "/ok", i % 2 ? KD_REQUEST_LIST : 0, &calls[i]);
    }
    fetch(&fix, "/ok", KD_REQUEST_WATCH, &watch);
    assert_int_equal(watch.response.error, 0);
    for (size_t i = 0; i < KD_ARRAY_LEN(calls); i++) {
        AWAIT(&fix, calls[i].done);
        assert_int_equal(calls[i].place, i + 1);
        for (size_t j = i + 1; j < KD_ARRAY_LEN(calls); j++) {
            assert_false(calls[j].started);
        }
        fake_now_ns += KD_MS_NS;
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(calls); i++) {
        result_release(&calls[i]);
    }
    result_release(&watch);
}

static int connection_of(const char *path, size_t n)
{
    struct json_object *entry = wire_request(&wire, path, n);
    assert_non_null(entry);
    int number = json_object_get_int(json_object_object_get(entry, "conn"));
    json_object_put(entry);
    return number;
}

static void lists_do_not_wait_behind_watches(void **state)
{
    struct result watch;
    (void)state;
    result_init(&watch);
    struct kd_call *call = start(&fix, "/watch", KD_REQUEST_WATCH, &watch);
    AWAIT(&fix, watch.data.len == 1);
    fetch(&fix, "/list", KD_REQUEST_LIST, &result);
    result_release(&result);
    fetch(&fix, "/list", KD_REQUEST_LIST, &result);
    size_t last = 0;
    while (wire_saw(&wire, "/list", last + 1)) {
        last++;
    }
    assert_int_not_equal(connection_of("/watch", 0), connection_of("/list", last));
    assert_int_equal(connection_of("/list", last - 1), connection_of("/list", last));
    kd_call_cancel(call);
    result_release(&watch);
}

int main(void)
{
#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(get_is_sent_again_after_the_servers_time),
        CASE(retries_end),
        CASE(lost_connection_is_tried_again),
        CASE(some_things_are_not_sent_again),
        CASE(rate_limit_keeps_the_order_and_lets_watches_pass),
        CASE(lists_do_not_wait_behind_watches),
    };
#undef CASE
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
