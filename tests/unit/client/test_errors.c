/* How calls fail: error answers, broken connections, bounds and time-outs. */
#include "fixture.h"

static const char script[] =
    "{'routes':["
    "{'path':'/404','answers':[{'status_object':{'code':404,'reason':'NotFound','message':'no "
    "x'}}]},"
    "{'path':'/403','answers':[{'status_object':{'code':403,'reason':'Forbidden','message':'not "
    "you'}}]},"
    "{'path':'/410','answers':[{'status_object':{'code':410,'reason':'Expired','message':'too "
    "old'}}]},"
    "{'path':'/504','answers':[{'status_object':{'code':504,'reason':'Timeout',"
    "  'message':'Too large resource version: 363, current: "
    "120','details':{'retryAfterSeconds':1}}}]},"
    "{'path':'/429','answers':[{'status_object':{'code':429,'reason':'TooManyRequests'},"
    "  'headers':{'Retry-After':'7'}}]},"
    "{'path':'/302','answers':[{'status':302,'headers':{'Location':'/404'},'text':''}]},"
    "{'path':'/502','answers':[{'status':502,'text':'bad gateway'}]},"
    "{'path':'/"
    "huge-error','answers':[{'status':500,'chunks':[{'fill':{'bytes':300000}},{'gate':'never'}]}]},"
    "{'path':'/two-mib','answers':[{'fill':{'bytes':2097152}}]},"
    "{'path':'/reset','answers':[{'chunks':['half'],'end':'reset'}]},"
    "{'path':'/cut','answers':[{'chunks':['half'],'end':'cut'}]},"
    "{'path':'/hang','answers':[{'gate':'never'}]},"
    "{'path':'/half','answers':[{'chunks':['half',{'gate':'never'}]}]}"
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

static void error_answers_become_a_status(void **state)
{
    static const struct {
        const char *path;
        int code;
        enum kd_reason reason;
        int64_t retry_after_ns;
        const char *text;
    } rows[] = {
        { "/404", 404, KD_REASON_NOT_FOUND, 0, "404 notFound: no x" },
        { "/403", 403, KD_REASON_FORBIDDEN, 0, "403 forbidden: not you" },
        { "/410", 410, KD_REASON_EXPIRED, 0, "410 expired: too old" },
        { "/504", 504, KD_REASON_TOO_LARGE_VERSION, KD_SEC_NS, "Too large resource version" },
        { "/429", 429, KD_REASON_TOO_MANY_REQUESTS, 7 * KD_SEC_NS, "429 tooManyRequests" },
        { "/302", 302, KD_REASON_UNKNOWN, 0, "302 unknown" },
        { "/502", 502, KD_REASON_UNKNOWN, 0, "502 unknown: bad gateway" },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        result_release(&result);
        fetch(&fix, rows[i].path, KD_REQUEST_LIST, &result);
        assert_int_equal(result.response.error, KD_EHTTP);
        assert_int_equal(result.response.http_code, rows[i].code);
        assert_int_equal(result.response.status.code, rows[i].code);
        assert_int_equal(result.response.status.reason, rows[i].reason);
        assert_int_equal(result.response.status.retry_after_ns, rows[i].retry_after_ns);
        assert_contains(result.response.text, rows[i].text);
        assert_contains(result.response.text, fix.client->target.authority);
        assert_false(result.started);
        assert_int_equal(result.data.len, 0);
    }
    assert_true(wire_saw(&wire, "/404", 0));
    assert_false(wire_saw(&wire, "/404", 1)); /* the redirect was not followed */
}

static void texts_leave_the_query_out(void **state)
{
    (void)state;
    fetch(&fix, "/404?continue=abc", KD_REQUEST_LIST, &result);
    assert_contains(result.response.text, "GET /404 at ");
    assert_null(strstr(result.response.text, "abc"));
}

static void huge_error_body_is_cut_and_not_waited_for_b21(void **state)
{
    (void)state;
    fetch(&fix, "/huge-error", KD_REQUEST_LIST, &result);
    assert_int_equal(result.response.error, KD_EHTTP);
    assert_int_equal(result.response.http_code, 500);
    assert_int_equal(result.response.status.reason, KD_REASON_INTERNAL);
    assert_int_equal(result.n_done, 1);
}

static void body_over_the_bound_is_an_error_b21(void **state)
{
    (void)state;
    fetch(&fix, "/two-mib", 0, &result);
    assert_int_equal(result.response.error, KD_ETOOBIG);
    assert_contains(result.response.text, "max_body_bytes (1048576)");
    assert_true(result.data.len <= 1048576);
    result_release(&result);
    fetch(&fix, "/two-mib", KD_REQUEST_LIST, &result); /* lists have no such bound */
    assert_int_equal(result.response.error, 0);
    assert_int_equal(result.data.len, 2097152);
}

static void sink_can_give_up(void **state)
{
    (void)state;
    result_init(&result);
    result.data_returns = KD_EPARSE;
    (void)start(&fix, "/two-mib", KD_REQUEST_LIST, &result);
    AWAIT(&fix, result.done);
    assert_int_equal(result.response.error, KD_EPARSE);
    assert_int_equal(result.response.http_code, 200);
    assert_contains(result.response.text, "given up");
}

static void broken_streams_are_network_errors(void **state)
{
    static const char *const paths[] = { "/reset", "/cut" };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(paths); i++) {
        result_release(&result);
        fetch(&fix, paths[i], KD_REQUEST_WATCH, &result);
        assert_int_equal(result.response.error, KD_ENET);
        assert_int_equal(result.response.http_code, 200);
        assert_string_equal(result.data.ptr, "half");
    }
}

static void begun_body_is_never_fetched_again(void **state)
{
    (void)state;
    fetch(&fix, "/reset", 0, &result);
    assert_int_equal(result.response.error, KD_ENET);
    assert_string_equal(result.data.ptr, "half");
}

static void refused_connection_names_the_host(void **state)
{
    struct wire gone;
    (void)state;
    wire_start(&gone, "{'routes':[]}", (struct wire_options){ 0 });
    wire_stop(&gone);
    fixture_close(&fix);
    plain_open(&fix, &gone);
    fetch(&fix, "/a", KD_REQUEST_WATCH, &result);
    assert_int_equal(result.response.error, KD_ENET);
    assert_int_equal(result.response.http_code, 0);
    assert_contains(result.response.text, "127.0.0.1");
    assert_contains(result.response.text, "connect");
}

/* Calls that wait for a connection do not each try in turn. */
static void unreachable_server_fails_all_at_once(void **state)
{
    struct wire gone;
    struct result others[3];
    struct kd_buf page;
    (void)state;
    wire_start(&gone, "{'routes':[]}", (struct wire_options){ 0 });
    wire_stop(&gone);
    fixture_close(&fix);
    plain_open(&fix, &gone);
    result_init(&result);
    (void)start(&fix, "/a", KD_REQUEST_LIST, &result);
    for (size_t i = 0; i < KD_ARRAY_LEN(others); i++) {
        result_init(&others[i]);
        (void)start(&fix, "/b", KD_REQUEST_LIST, &others[i]);
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(others); i++) {
        AWAIT(&fix, others[i].done);
        assert_int_equal(others[i].response.error, KD_ENET);
        assert_contains(others[i].response.text, "GET /b at 127.0.0.1");
        result_release(&others[i]);
    }
    AWAIT(&fix, result.done);
    kd_buf_init(&page, KD_MIB);
    assert_int_equal(kd_metrics_write(fix.metrics, KD_METRICS_TEXT, &page), 0);
    KD_AUTO_FREE char *once = kd_asprintf("rest_client_requests_total{code=\"<error>\",method="
                                          "\"GET\",host=\"%s\",url=\"/template\"} 1\n",
                                          fix.client->target.authority);
    assert_contains(page.ptr, once);
    kd_buf_release(&page);
}

static void call_times_out(void **state)
{
    static const char *const paths[] = { "/hang", "/half" };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(paths); i++) {
        result_release(&result);
        result_init(&result);
        const struct kd_request request = { .method = "GET",
                                            .path = paths[i],
                                            .timeout_ns = 20 * KD_MS_NS,
                                            .sink = &result_sink,
                                            .arg = &result };
        (void)kd_client_start(fix.client, &request);
        AWAIT(&fix, result.done);
        assert_int_equal(result.response.error, KD_ETIMEOUT);
        assert_contains(result.response.text, "within 20ms");
    }
}

static void list_times_out_by_lack_of_progress(void **state)
{
    (void)state;
    result_init(&result);
    fix.client->clock = &fake_clock;
    const struct kd_request request = { .method = "GET",
                                        .path = "/half",
                                        .flags = KD_REQUEST_LIST,
                                        .timeout_ns = KD_MS_NS,
                                        .sink = &result_sink,
                                        .arg = &result };
    (void)kd_client_start(fix.client, &request);
    AWAIT(&fix, result.data.len == 4);
    for (int i = 0; i < 5; i++) { /* its timer comes and finds that no time has passed */
        kd_loop_run_once(fix.loop, KD_SEC_NS);
    }
    assert_false(result.done);
    fake_now_ns += 2 * KD_MS_NS;
    AWAIT(&fix, result.done);
    assert_int_equal(result.response.error, KD_ETIMEOUT);
    assert_contains(result.response.text, "no progress");
}

static void watch_has_no_time_out_of_its_own(void **state)
{
    (void)state;
    fix.settings.request_timeout_ns = 1;
    result_init(&result);
    struct kd_call *call = start(&fix, "/half", KD_REQUEST_WATCH, &result);
    AWAIT(&fix, result.data.len == 4);
    assert_int_equal(call->timeout_ns, 0);
    kd_call_cancel(call);
    assert_false(result.done);
}

static void exchanges_are_counted(void **state)
{
    struct kd_buf page;
    (void)state;
    kd_buf_init(&page, KD_MIB);
    fetch(&fix, "/404", KD_REQUEST_LIST, &result);
    result_release(&result);
    fetch(&fix, "/two-mib", KD_REQUEST_LIST, &result);
    result_release(&result);
    fix.client->pace.limiter.qps = 1000;
    fetch(&fix, "/reset", KD_REQUEST_WATCH, &result);
    result_release(&result);
    fetch(&fix, "/two-mib", KD_REQUEST_LIST, &result);
    assert_int_equal(kd_metrics_write(fix.metrics, KD_METRICS_TEXT, &page), 0);
    KD_AUTO_FREE char *labels =
        kd_asprintf("host=\"%s\",url=\"/template\"", fix.client->target.authority);
    KD_AUTO_FREE char *missing =
        kd_asprintf("rest_client_requests_total{code=\"404\",method=\"GET\",%s} 1\n", labels);
    KD_AUTO_FREE char *good =
        kd_asprintf("rest_client_requests_total{code=\"200\",method=\"GET\",%s} 3\n", labels);
    KD_AUTO_FREE char *size =
        kd_asprintf("rest_client_response_size_bytes_sum{verb=\"watch\",%s} 4\n", labels);
    KD_AUTO_FREE char *time =
        kd_asprintf("rest_client_request_duration_seconds_count{verb=\"list\",%s} 3\n", labels);
    KD_AUTO_FREE char *limit = kd_asprintf(
        "rest_client_rate_limiter_duration_seconds_count{verb=\"list\",%s} 1\n", labels);
    assert_contains(page.ptr, missing);
    assert_contains(page.ptr, good);
    assert_contains(page.ptr, size);
    assert_contains(page.ptr, time);
    assert_contains(page.ptr, limit);
    assert_null(strstr(page.ptr, "request_duration_seconds_count{verb=\"watch\""));
    kd_buf_release(&page);
}

int main(void)
{
#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(error_answers_become_a_status),
        CASE(texts_leave_the_query_out),
        CASE(huge_error_body_is_cut_and_not_waited_for_b21),
        CASE(body_over_the_bound_is_an_error_b21),
        CASE(sink_can_give_up),
        CASE(broken_streams_are_network_errors),
        CASE(begun_body_is_never_fetched_again),
        CASE(refused_connection_names_the_host),
        CASE(unreachable_server_fails_all_at_once),
        CASE(call_times_out),
        CASE(list_times_out_by_lack_of_progress),
        CASE(watch_has_no_time_out_of_its_own),
        CASE(exchanges_are_counted),
    };
#undef CASE
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
