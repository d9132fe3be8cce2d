/* libkindred-test itself: what a test of a plugin can do and see. */
#include "related.h"

#define PROBE TEST_PLUGINS "/probe.so"
#define OBJECT(name, rest)                                                                         \
    "{\"apiVersion\":\"example.org/v1\",\"kind\":\"Probe\",\"metadata\":{\"name\":\"" name         \
    "\",\"namespace\":\"a\",\"uid\":\"u-" name "\"" rest "}"
#define SPEC(spec) "},\"spec\":" spec
#define STEADY                                                                                     \
    "{\"apiVersion\":\"example.org/v1\",\"kind\":\"Steady\",\"metadata\":{\"name\":\"s\"}}"
#define SECOND_NS INT64_C(1000000000)

static struct kd_test *started(const char *path)
{
    struct kd_error error = { 0 };
    struct kd_test *test = kd_test_open(path, &error);
    if (!test || kd_test_start(test, &error) < 0) {
        fail_msg("%s: %s", path, error.text);
    }
    return test;
}

static void apply(struct kd_test *test, const char *json)
{
    struct kd_error error = { 0 };
    if (kd_test_apply(test, json, &error) < 0) {
        fail_msg("%s: %s", json, error.text);
    }
}

static void assert_journal(struct kd_test *test, const char *want)
{
    assert_string_equal(kd_test_journal(test), want);
    kd_test_forget(test);
}

static void test_events_and_the_filter(void **state)
{
    struct kd_test *test = started(PROBE);
    (void)state;
    assert_journal(test, "log debug hello\n");
    apply(test, OBJECT("p", SPEC("{}")));
    apply(test, OBJECT("p", SPEC("{\"x\":1},\"status\":{\"a\":1}")));
    apply(test, OBJECT("p", SPEC("{\"x\":1},\"status\":{\"a\":2}")));
    apply(test, OBJECT("p", ",\"resourceVersion\":\"9\"" SPEC("{\"x\":1},\"status\":{\"a\":2}")));
    apply(test, OBJECT("p", ",\"labels\":{\"l\":\"1\"},\"annotations\":{\"n\":\"1\"},"
                            "\"finalizers\":[]" SPEC("{\"x\":1},\"status\":{\"a\":2},\"r\":0")));
    assert_journal(test, "event added Probe/a/p: queued\n"
                         "event modified Probe/a/p spec,status: queued\n"
                         "event modified Probe/a/p status: dropped\n"
                         "event modified Probe/a/p: nothing but noise\n"
                         "event modified Probe/a/p labels,annotations,metadata,rest: queued\n");
    assert_int_equal(kd_test_run(test), 1); /* one key, however often it was queued */
    assert_journal(test, "run Probe/a/p: done\n");
    kd_test_close(test);
}

static void test_declared_noise(void **state)
{
    struct kd_test *test = started(PROBE);
    (void)state;
    apply(test, OBJECT("p", SPEC("{},\"status\":{\"beats\":[{\"n\":1,\"at\":5}]}")));
    kd_test_forget(test);
    apply(test, OBJECT("p", SPEC("{},\"status\":{\"beats\":[{\"n\":1,\"at\":6}]}")));
    assert_journal(test, "event modified Probe/a/p: nothing but noise\n");
    kd_test_close(test);
}

static void test_relations_and_what_they_asked(void **state)
{
    struct kd_test *test = started(PROBE);
    (void)state;
    apply(test, "{\"items\":[" OBJECT("p", SPEC("{\"peer\":\"q\"}")) "," OBJECT(
                    "q", SPEC("{\"peer\":\"none\"}")) "]}");
    kd_test_forget(test);
    assert_int_equal(kd_test_run(test), 2);
    assert_journal(test, "get Probe/a/q: found\n"
                         "list spec.peer=q: 1\n"
                         "run Probe/a/p: done\n"
                         "get Probe/a/none: not found\n"
                         "run Probe/a/q: done\n");
    assert_string_equal(kd_test_relations(test, "Probe", "a", "p"),
                        "Peer Probe.example.org:v1/a/p@u-p -> Probe.example.org:v1/a/q@u-q"
                        " rivals=1 up=1?\n");
    assert_string_equal(kd_test_relations(test, "Probe", "a", "q"), "");
    assert_string_equal(kd_test_relations(test, "Probe", "b", "p"), "");
    kd_test_close(test);
}

static void test_resources(void **state)
{
    struct kd_test *test = started(PROBE);
    (void)state;
    apply(test, OBJECT("p", SPEC("{}")));
    assert_string_equal(kd_test_resource(test, "Probe", "a", "p"), "");
    assert_int_equal(kd_test_run(test), 1);
    assert_string_equal(
        kd_test_resource(test, "Probe", "a", "p"),
        "{\"labels\":{\"set\":\"yes\"},\"annotations\":{},\"data\":" OBJECT("p", SPEC("{}")) "}");
    assert_int_equal(kd_test_delete(test, "Probe", "a", "p", NULL), 0);
    kd_test_forget(test);
    assert_int_equal(kd_test_run(test), 1);
    assert_journal(test, "log info gone\nrun Probe/a/p: done\n");
    assert_string_equal(kd_test_resource(test, "Probe", "a", "p"), "");
    assert_int_equal(kd_test_delete(test, "Probe", "a", "p", NULL), KD_ENOENT);
    kd_test_close(test);
}

static void test_a_new_uid_shows_the_last_state_first(void **state)
{
    struct kd_test *test = started(PROBE);
    (void)state;
    apply(test, OBJECT("p", SPEC("{\"peer\":\"q\"}")));
    assert_int_equal(kd_test_run(test), 1);
    apply(test, "{\"metadata\":{\"name\":\"p\",\"namespace\":\"a\",\"uid\":\"other\"}}");
    kd_test_forget(test);
    assert_int_equal(kd_test_run(test), 1);
    assert_journal(test, "log info gone with a peer\nrun Probe/a/p: done\n");
    kd_test_close(test);
}

static void test_time_and_requeue(void **state)
{
    struct kd_test *test = started(PROBE);
    (void)state;
    int64_t start_ns = kd_test_now(test);
    apply(test, STEADY);
    kd_test_forget(test);
    assert_int_equal(kd_test_run(test), 1);
    assert_journal(test, "get Steady//s: found\nrun Steady//s: requeue after 1m\n");
    assert_true(kd_test_next(test) == start_ns + 60 * SECOND_NS);
    kd_test_advance(test, 59 * SECOND_NS);
    assert_int_equal(kd_test_run(test), 0);
    kd_test_advance(test, SECOND_NS);
    assert_int_equal(kd_test_delete(test, "Steady", "", "s", NULL), 0);
    assert_int_equal(kd_test_run(test), 1);
    assert_true(kd_test_next(test) == INT64_MAX);
    kd_test_close(test);
}

static void test_errors_are_tried_again(void **state)
{
    struct kd_test *test = started(PROBE);
    (void)state;
    apply(test, OBJECT("p", SPEC("{\"fail\":-8}")));
    kd_test_forget(test);
    assert_int_equal(kd_test_run(test), 1);
    kd_test_advance(test, SECOND_NS);
    assert_int_equal(kd_test_run(test), 1);
    assert_journal(test, "run Probe/a/p: connection failed, again after 5ms\n"
                         "run Probe/a/p: connection failed, again after 10ms\n");
    assert_int_equal(kd_test_result(test), KD_ENET);
    apply(test, OBJECT("p", SPEC("{\"fail\":-17}")));
    kd_test_forget(test);
    assert_int_equal(kd_test_run(test), 1);
    assert_journal(test, "run Probe/a/p: terminal error, no retry\n");
    assert_true(kd_test_next(test) == INT64_MAX);
    kd_test_close(test);
}

static void assert_apply_fails(struct kd_test *test, const char *json, int code, const char *word)
{
    struct kd_error error = { 0 };
    assert_int_equal(kd_test_apply(test, json, &error), code);
    assert_non_null(strstr(error.text, word));
}

static void test_objects_that_are_none(void **state)
{
    struct kd_test *test = started(PROBE);
    (void)state;
    assert_apply_fails(test, "{", KD_EPARSE, "");
    assert_apply_fails(test, "[]", KD_EPARSE, "no JSON object");
    assert_apply_fails(test, "{}", KD_EPARSE, "no metadata");
    assert_apply_fails(test, "{\"metadata\":{}}", KD_EPARSE, "metadata.name");
    assert_apply_fails(test, "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"}}", KD_ENOENT,
                       "neither serves nor watches kind Pod");
    assert_int_equal(kd_test_apply_file(test, "no/such/file", NULL), KD_ENOENT);
    kd_test_close(test);
}

/* Every bad plugin of the loader's tests is refused here by the same rules. */
static void test_refusals(void **state)
{
    static const char *const words[][2] = { { "other-major", "another major" },
                                            { "no-symbol", "does not export" },
                                            { "undefined-symbol", "nobody_has_this" },
                                            { "lying-size", "larger than its symbol" } };
    struct kd_error error = { 0 };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(words); i++) {
        char *path = kd_asprintf("%s/%s.so", TEST_PLUGINS, words[i][0]);
        assert_null(kd_test_open(path, &error));
        assert_non_null(strstr(error.text, words[i][1]));
        assert_non_null(strstr(error.text, words[i][0]));
        kd_free(path);
    }
    struct kd_test *test = kd_test_open(TEST_PLUGINS "/no-kinds.so", &error);
    assert_int_equal(kd_test_start(test, &error), KD_EABI);
    assert_non_null(strstr(error.text, "no kind"));
    kd_test_close(test);
    test = kd_test_open(TEST_PLUGINS "/failing-init.so", &error);
    assert_int_equal(kd_test_start(test, &error), KD_EPLUGIN);
    assert_non_null(strstr(error.text, "the sky is not blue"));
    kd_test_close(test);
}

static void test_settings(void **state)
{
    struct kd_error error = { 0 };
    struct kd_test *test = kd_test_open(TEST_PLUGINS "/settings.so", &error);
    (void)state;
    kd_test_set(test, "text", "Gadget");
    kd_test_set(test, "number", "-5");
    kd_test_set(test, "wait", "7s");
    kd_test_set(test, "on", "false");
    kd_test_set(test, "list", "a");
    kd_test_set(test, "list", "b");
    assert_int_equal(kd_test_start(test, &error), 0);
    assert_string_equal(kd_test_kind(test, 0)->kind, "Gadget");
    assert_null(kd_test_kind(test, 1));
    assert_int_equal(kd_test_plugin(test)->n_options, 9);
    kd_test_close(test);
    static const char *const bad[][3] = { { "number", "x", "a whole number from -5 to 10" },
                                          { "on", "yes", "true or false" },
                                          { "wait", "5", "a duration" },
                                          { "nmber", "1", "number" } };
    for (size_t i = 0; i < KD_ARRAY_LEN(bad); i++) {
        test = kd_test_open(TEST_PLUGINS "/settings.so", &error);
        kd_test_set(test, bad[i][0], bad[i][1]);
        assert_int_equal(kd_test_start(test, &error), KD_ECONFIG);
        assert_non_null(strstr(error.text, bad[i][2]));
        kd_test_close(test);
    }
    kd_test_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_and_the_filter),
        cmocka_unit_test(test_declared_noise),
        cmocka_unit_test(test_relations_and_what_they_asked),
        cmocka_unit_test(test_resources),
        cmocka_unit_test(test_a_new_uid_shows_the_last_state_first),
        cmocka_unit_test(test_time_and_requeue),
        cmocka_unit_test(test_errors_are_tried_again),
        cmocka_unit_test(test_objects_that_are_none),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
