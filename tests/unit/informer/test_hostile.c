/* Servers that mean no good: nothing may spin, nothing may be taken for a list that is none. */
#include "unit/informer/fake.h"

static int setup(void **state)
{
    struct fake *fake = kd_zalloc(sizeof(*fake));
    struct kd_informer_spec spec = fake_spec();
    fake_init(fake);
    fake_start(fake, &spec);
    *state = fake;
    return 0;
}

static int teardown(void **state)
{
    fake_release(*state);
    kd_free(*state);
    return 0;
}

/* Synced with pods a and b, watching from 40. */
static struct fake *watching(void **state)
{
    struct fake *fake = *state;
    fake_answer(fake, LIST("40", "", POD("d", "a", "7", "") "," POD("d", "b", "8", "")));
    fake_expect(fake, "+d/ai +d/bi synced ");
    return fake;
}

/* Bookmarks are progress, so that no back-off grows; the pace has to come from elsewhere. */
static void watches_with_an_event_that_end_at_once_do_not_spin(void **state)
{
    struct fake *fake = watching(state);
    size_t before = fake->n_requests;
    int64_t until_ns = fake->now_ns + 60 * KD_SEC_NS;
    while (fake->now_ns < until_ns && fake->n_requests < before + 1000) {
        if (fake_is_quiet(fake)) {
            (void)fake_wait(fake);
        } else {
            fake_answer(fake, BOOKMARK("50"));
        }
    }
    assert_true(fake->n_requests - before <= 90);
    assert_int_equal(fake_status(fake).objects, 2);
}

static void a_watch_that_lives_ends_the_pauses(void **state)
{
    struct fake *fake = watching(state);
    for (unsigned i = 0; i < 50 && !fake_is_quiet(fake); i++) {
        fake_answer(fake, BOOKMARK("50"));
    }
    assert_true(fake_is_quiet(fake));
    (void)fake_wait(fake);
    fake_send(fake, BOOKMARK("51"));
    fake_advance(fake, 2 * KD_SEC_NS);
    fake_end(fake);
    assert_true(fake_asks(fake, "watch=true"));
    fake_answer(fake, BOOKMARK("52"));
    assert_true(fake_asks(fake, "watch=true"));
}

static void a_version_that_expires_after_each_event_does_not_spin(void **state)
{
    struct fake *fake = watching(state);
    size_t before = fake->n_requests;
    int64_t until_ns = fake->now_ns + 60 * KD_SEC_NS;
    while (fake->now_ns < until_ns && fake->n_requests < before + 1000) {
        if (fake_is_quiet(fake)) {
            (void)fake_wait(fake);
        } else if (fake_asks(fake, "watch=true")) {
            fake_send(fake, BOOKMARK("40") EVENT("ERROR", STATUS("410", "Expired", "gone")));
        } else {
            fake_answer(fake, LIST("40", "", POD("d", "a", "7", "")));
        }
    }
    assert_true(fake->n_requests - before <= 180);
}

static void what_is_no_list_does_not_empty_the_kind(void **state)
{
    static const char *const bodies[] = { "{}", "{\"ok\":true}", "{\"kind\":\"Pod\"}",
                                          "{\"kind\":17,\"metadata\":{}}",
                                          "{\"kind\":\"List\\\"\"}" };
    struct fake *fake = watching(state);
    fake_fail(fake, 410, "");
    for (size_t i = 0; i < KD_ARRAY_LEN(bodies); i++) {
        fake_answer(fake, bodies[i]);
        fake_expect(fake, "");
        assert_true(fake_is_quiet(fake));
        assert_non_null(strstr(fake_status(fake).last_error, "no list"));
        (void)fake_wait(fake);
    }
    assert_int_equal(fake_status(fake).objects, 2);
}

static void a_page_that_is_followed_by_itself_is_not_asked_for_ever(void **state)
{
    struct fake *fake = *state;
    for (unsigned i = 0; i <= KD_MAX_BARREN_PAGES; i++) {
        fake_answer(fake, LIST("40", "t", POD("d", "a", "7", "")));
        assert_true(fake_asks(fake, "continue=t"));
    }
    fake_answer(fake, LIST("40", "t", POD("d", "a", "7", "")));
    assert_true(fake_is_quiet(fake));
    assert_non_null(strstr(fake_status(fake).last_error, "one token"));
}

static void empty_pages_without_end_are_refused(void **state)
{
    struct fake *fake = *state;
    char body[200];
    for (unsigned i = 0; i < KD_MAX_BARREN_PAGES; i++) {
        (void)snprintf(body, sizeof(body), "{\"metadata\":{\"continue\":\"t%u\"},\"items\":[]}", i);
        fake_answer(fake, body);
        assert_true(fake_asks(fake, "continue=t"));
    }
    fake_answer(fake, "{\"metadata\":{\"continue\":\"more\"},\"items\":[]}");
    assert_true(fake_is_quiet(fake));
    assert_non_null(strstr(fake_status(fake).last_error, "without an item"));
    (void)fake_wait(fake); /* the next list counts anew */
    fake_answer(fake, "{\"metadata\":{\"continue\":\"t\"},\"items\":[]}");
    assert_true(fake_asks(fake, "continue=t"));
}

/* The text of an error without a message is kept in the place that it is read from. */
static void an_error_without_a_message_is_told_whole(void **state)
{
    struct fake *fake = *state;
    fake_fail(fake, 500, "");
    assert_string_equal(fake_status(fake).last_error, "list: HTTP 500");
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(watches_with_an_event_that_end_at_once_do_not_spin),
        CASE(a_watch_that_lives_ends_the_pauses),
        CASE(a_version_that_expires_after_each_event_does_not_spin),
        CASE(what_is_no_list_does_not_empty_the_kind),
        CASE(a_page_that_is_followed_by_itself_is_not_asked_for_ever),
        CASE(empty_pages_without_end_are_refused),
        CASE(an_error_without_a_message_is_told_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
