/* Bodies: delivered as they come, with the right encoding asked for. */
#include "fixture.h"

static const char script[] =
    "{'routes':["
    "{'path':'/slow','answers':[{'chunks':['one','-two',{'gate':'slow'},'-three']}]},"
    "{'path':'/big','answers':[{'fill':{'bytes':41943038,'before':'[','after':']'}}]},"
    "{'path':'/"
    "packed','answers':[{'fill':{'bytes':2097150,'before':'[','after':']'},'gzip':true}]},"
    "{'path':'/empty','answers':[{'status':204}]},"
    "{'path':'/prefix/a','answers':[{'text':'behind'}]},"
    "{'method':'*','path':'/echo','answers':[{'json':{}}]}"
    "]}";

static struct wire wire;

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

static void chunks_come_as_they_are_sent(void **state)
{
    struct fixture fix;
    struct result result;
    (void)state;
    plain_open(&fix, &wire);
    result_init(&result);
    (void)start(&fix, "/slow", KD_REQUEST_WATCH, &result);
    AWAIT(&fix, result.data.len >= 7);
    assert_string_equal(result.data.ptr, "one-two");
    assert_false(result.done);
    open_gate(&fix, "slow");
    AWAIT(&fix, result.done);
    assert_int_equal(result.response.error, 0);
    assert_int_equal(result.response.http_code, 200);
    assert_string_equal(result.response.text, "");
    assert_string_equal(result.data.ptr, "one-two-three");
    result_release(&result);
    fixture_close(&fix);
}

static void list_of_40_mib_b21(void **state)
{
    struct fixture fix;
    struct result result;
    (void)state;
    plain_open(&fix, &wire);
    fetch(&fix, "/big", KD_REQUEST_LIST, &result);
    assert_int_equal(result.response.error, 0);
    assert_int_equal(result.data.len, 41943040);
    assert_int_equal(result.data.ptr[0], '[');
    assert_int_equal(result.data.ptr[result.data.len - 1], ']');
    result_release(&result);
    fixture_close(&fix);
}

static void list_is_decoded_and_watch_is_identity_b18(void **state)
{
    struct fixture fix;
    struct result list;
    struct result watch;
    (void)state;
    plain_open(&fix, &wire);
    fetch(&fix, "/packed", KD_REQUEST_LIST, &list);
    assert_int_equal(list.response.error, 0);
    assert_int_equal(list.data.len, 2097152);
    assert_int_equal(list.data.ptr[0], '[');
    assert_header(&wire, "/packed", 0, "accept-encoding", "gzip");
    fetch(&fix, "/empty", KD_REQUEST_WATCH, &watch);
    assert_header(&wire, "/empty", 0, "accept-encoding", "identity");
    result_release(&list);
    result_release(&watch);
    fixture_close(&fix);
}

static void lists_stay_plain_when_settings_say_so(void **state)
{
    struct fixture fix;
    struct result result;
    (void)state;
    fixture_init(&fix, "http", "127.0.0.1", wire.port);
    fix.settings.compress_lists = false;
    fix.settings.user_agent = kd_strdup("someone/1");
    fixture_open(&fix);
    fetch(&fix, "/echo", KD_REQUEST_LIST, &result);
    assert_header(&wire, "/echo", 0, "accept-encoding", "identity");
    assert_header(&wire, "/echo", 0, "user-agent", "someone/1");
    result_release(&result);
    fixture_close(&fix);
    kd_free(fix.settings.user_agent);
}

static void empty_answer_starts_and_ends(void **state)
{
    struct fixture fix;
    struct result result;
    (void)state;
    plain_open(&fix, &wire);
    fetch(&fix, "/empty", 0, &result);
    assert_true(result.started);
    assert_int_equal(result.response.error, 0);
    assert_int_equal(result.response.http_code, 204);
    assert_int_equal(result.data.len, 0);
    result_release(&result);
    fixture_close(&fix);
}

static void body_method_and_types_are_sent(void **state)
{
    struct fixture fix;
    struct result result;
    (void)state;
    plain_open(&fix, &wire);
    result_init(&result);
    const struct kd_request request = { .method = "PATCH",
                                        .path = "/echo?x=1",
                                        .accept = "application/x",
                                        .content_type = "application/y",
                                        .body = KD_STR("{\"a\":1}"),
                                        .sink = &result_sink,
                                        .arg = &result };
    (void)kd_client_start(fix.client, &request);
    AWAIT(&fix, result.done);
    assert_int_equal(result.response.error, 0);
    struct json_object *entry = wire_request(&wire, "/echo", 1);
    assert_string_equal(json_object_get_string(json_object_object_get(entry, "method")), "PATCH");
    assert_string_equal(json_object_get_string(json_object_object_get(entry, "body")), "{\"a\":1}");
    json_object_put(entry);
    assert_header(&wire, "/echo", 1, "accept", "application/x");
    assert_header(&wire, "/echo", 1, "content-type", "application/y");
    assert_header(&wire, "/echo", 1, "expect", NULL);
    KD_AUTO_FREE char *agent = wire_header(&wire, "/echo", 1, "user-agent");
    assert_contains(agent, "kindred/");
    assert_contains(agent, " (linux/");
    result_release(&result);
    fixture_close(&fix);
}

static void server_prefix_is_kept(void **state)
{
    struct fixture fix;
    struct result result;
    (void)state;
    fixture_init(&fix, "http", "127.0.0.1", wire.port);
    char *server = kd_asprintf("%s/prefix/", fix.cluster.server);
    kd_free(fix.cluster.server);
    fix.cluster.server = server;
    fixture_open(&fix);
    fetch(&fix, "/a", 0, &result);
    assert_string_equal(result.data.ptr, "behind");
    result_release(&result);
    fixture_close(&fix);
}

static void ipv6_host_b54(void **state)
{
    struct wire six;
    struct fixture fix;
    struct result result;
    (void)state;
    wire_start(&six, "{'routes':[{'path':'/a','answers':[{'text':'six'}]}]}",
               (struct wire_options){ .host = "::1" });
    fixture_init(&fix, "http", "[::1]", six.port);
    fixture_open(&fix);
    fetch(&fix, "/a", 0, &result);
    assert_int_equal(result.response.error, 0);
    assert_string_equal(result.data.ptr, "six");
    result_release(&result);
    fixture_close(&fix);
    wire_stop(&six);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_come_as_they_are_sent),
        cmocka_unit_test(list_of_40_mib_b21),
        cmocka_unit_test(list_is_decoded_and_watch_is_identity_b18),
        cmocka_unit_test(lists_stay_plain_when_settings_say_so),
        cmocka_unit_test(empty_answer_starts_and_ends),
        cmocka_unit_test(body_method_and_types_are_sent),
        cmocka_unit_test(server_prefix_is_kept),
        cmocka_unit_test(ipv6_host_b54),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
