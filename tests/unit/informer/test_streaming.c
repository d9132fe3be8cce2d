/* Streaming lists: their mark, their time, what goes back in time, who does not do them. */
#include "unit/informer/fake.h"

static int setup(void **state)
{
    struct fake *fake = kd_zalloc(sizeof(*fake));
    fake_init(fake);
    *state = fake;
    return 0;
}

static int teardown(void **state)
{
    fake_release(*state);
    kd_free(*state);
    return 0;
}

static struct fake *streaming(void **state)
{
    struct fake *fake = *state;
    struct kd_informer_spec spec = fake_spec();
    spec.stream_list = true;
    fake_start(fake, &spec);
    assert_true(fake_asks(fake, "sendInitialEvents=true"));
    return fake;
}

static void a_streaming_list_ends_by_its_mark(void **state)
{
    struct fake *fake = streaming(state);
    assert_true(fake_asks(fake, "resourceVersionMatch=NotOlderThan"));
    assert_true(fake_asks(fake, "allowWatchBookmarks=true"));
    assert_false(fake_asks(fake, "resourceVersion="));
    fake_send(fake, EVENT("ADDED", POD("d", "a", "9", "")) EVENT("ADDED", POD("d", "b", "3", "")));
    fake_send(fake, BOOKMARK("99")); /* a plain one ends nothing (B11) */
    fake_expect(fake, "+d/ai +d/bi ");
    assert_string_equal(fake_status(fake).version, "");
    fake_send(fake, END_MARK("50") EVENT("DELETED", POD("d", "a", "51", "")));
    fake_expect(fake, "synced -d/a ");
    assert_int_equal(fake->n_requests, 1);
    fake_end(fake);
    assert_true(fake_asks(fake, "resourceVersion=51&")); /* B12 */
    assert_false(fake_asks(fake, "sendInitialEvents"));
    fake_fail(fake, 410, "");
    assert_true(fake_asks(fake, "resourceVersion=51&sendInitialEvents=true"));
    fake_send(fake, EVENT("ADDED", POD("d", "c", "60", "")) END_MARK("61"));
    fake_expect(fake, "+d/c -d/bf listed ");
}

static void b11_the_mark_that_never_comes_falls_back_to_lists(void **state)
{
    struct fake *fake = streaming(state);
    fake_send(fake, EVENT("ADDED", POD("d", "a", "9", "")) EVENT("ADDED", POD("d", "b", "3", "")));
    fake_send(fake, BOOKMARK("99"));
    fake_advance(fake, 60 * KD_SEC_NS);
    assert_string_equal(fake_path(fake), "/api/v1/pods?limit=500&resourceVersion=0");
    fake_answer(fake, LIST("50", "", POD("d", "b", "3", "")));
    fake_expect(fake, "+d/ai +d/bi -d/af synced "); /* the stream's marks count no more */
    fake_fail(fake, 410, "");
    assert_false(fake_asks(fake, "sendInitialEvents"));
}

static void b11_a_stream_that_grows_has_time(void **state)
{
    struct fake *fake = streaming(state);
    for (int i = 0; i < 4; i++) {
        fake_advance(fake, 59 * KD_SEC_NS);
        fake_send(fake, EVENT("ADDED", POD("d", "a", "9", "")));
    }
    fake_advance(fake, 59 * KD_SEC_NS);
    fake_send(fake, BOOKMARK("99") EVENT("MODIFIED", POD("d", "a", "10", ""))); /* no growth */
    assert_int_equal(fake->n_requests, 1);
    assert_int_equal(fake->n_abandoned, 0);
    fake_advance(fake, KD_SEC_NS);
    assert_int_equal(fake->n_abandoned, 1);
    assert_string_equal(fake_path(fake), "/api/v1/pods?limit=500&resourceVersion=0");
}

static void b11_a_stream_that_grows_for_ever_is_given_up(void **state)
{
    struct fake *fake = streaming(state);
    int64_t began_ns = fake->now_ns;
    while (fake_asks(fake, "sendInitialEvents")) {
        fake_send(fake, EVENT("ADDED", POD("d", "a", "9", "")));
        fake_advance(fake, 10 * KD_SEC_NS);
        assert_true(fake->now_ns - began_ns <= 640 * KD_SEC_NS); /* as any watch is */
    }
    assert_true(fake->now_ns - began_ns >= 330 * KD_SEC_NS);
    assert_string_equal(fake_path(fake), "/api/v1/pods?limit=500&resourceVersion=0");
}

static void b20_a_stream_does_not_go_back_in_time(void **state)
{
    struct fake *fake = streaming(state);
    fake_send(fake,
              EVENT("ADDED", POD("d", "a", "30", "")) EVENT("ADDED", POD("d", "b", "31", "")));
    fake_send(fake, END_MARK("40") EVENT("DELETED", POD("d", "b", "41", "")));
    fake_expect(fake, "+d/ai +d/bi synced -d/b ");
    fake_fail(fake, 410, "");
    assert_true(fake_asks(fake, "resourceVersion=41&sendInitialEvents=true"));
    fake_send(fake, EVENT("ADDED", POD("d", "b", "31", ""))); /* it is gone since 41 */
    fake_expect(fake, "");
    assert_true(fake_asks(fake, "sendInitialEvents=true"));
    assert_false(fake_asks(fake, "resourceVersion="));
    fake_send(fake, EVENT("ADDED", POD("d", "a", "30", "")) END_MARK("42"));
    fake_expect(fake, "listed ");
}

static void b20_an_old_mark_ends_no_list(void **state)
{
    struct fake *fake = streaming(state);
    fake_send(fake, EVENT("ADDED", POD("d", "a", "30", "")) END_MARK("40"));
    fake_fail(fake, 410, "");
    fake_send(fake, END_MARK("39"));
    fake_expect(fake, "+d/ai synced "); /* it deletes nothing */
    assert_true(fake_asks(fake, "sendInitialEvents=true"));
    assert_false(fake_asks(fake, "resourceVersion="));
    fake_send(fake, END_MARK("39")); /* asked for the truth, it is the truth */
    fake_expect(fake, "-d/af listed ");
    assert_string_equal(fake_status(fake).version, "39");
}

static void a_server_without_streaming_lists_is_asked_once(void **state)
{
    struct fake *fake = streaming(state);
    fake_fail(fake, 422, STATUS("422", "Invalid", "sendInitialEvents is forbidden"));
    assert_string_equal(fake_path(fake), "/api/v1/pods?limit=500&resourceVersion=0");
    assert_int_equal(fake_status(fake).state, KD_INFORMER_SYNCING);
    fake_answer(fake, LIST("50", "", ""));
    fake_fail(fake, 410, "");
    assert_false(fake_asks(fake, "sendInitialEvents"));
}

static void a_stream_that_breaks_is_followed_by_a_list(void **state)
{
    struct fake *fake = streaming(state);
    fake_cut(fake); /* no answer at all: a fresh stream */
    (void)fake_wait(fake);
    assert_true(fake_asks(fake, "sendInitialEvents"));
    fake_fail(fake, 429, "");
    (void)fake_wait(fake);
    assert_true(fake_asks(fake, "sendInitialEvents"));
    fake_send(fake, EVENT("ADDED", POD("d", "a", "9", "")));
    fake_cut(fake);
    (void)fake_wait(fake);
    assert_string_equal(fake_path(fake), "/api/v1/pods?limit=500&resourceVersion=0");
    fake_answer(fake, LIST("50", "", ""));
    fake_expect(fake, "+d/ai -d/af synced ");
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_streaming_list_ends_by_its_mark),
        CASE(b11_the_mark_that_never_comes_falls_back_to_lists),
        CASE(b11_a_stream_that_grows_has_time),
        CASE(b11_a_stream_that_grows_for_ever_is_given_up),
        CASE(b20_a_stream_does_not_go_back_in_time),
        CASE(b20_an_old_mark_ends_no_list),
        CASE(a_server_without_streaming_lists_is_asked_once),
        CASE(a_stream_that_breaks_is_followed_by_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
