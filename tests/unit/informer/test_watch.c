/* Watches: events, bookmarks, ends, back-off. */
#include "unit/informer/fake.h"

#include <stdlib.h>

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

/* Synced with pods a and b, watching from 40. */
static struct fake *watching(void **state)
{
    struct fake *fake = *state;
    struct kd_informer_spec spec = fake_spec();
    fake_start(fake, &spec);
    fake_answer(fake, LIST("40", "", POD("d", "a", "7", "") "," POD("d", "b", "8", "")));
    fake_expect(fake, "+d/ai +d/bi synced ");
    return fake;
}

static void events_are_applied_and_told(void **state)
{
    struct fake *fake = watching(state);
    fake_send(fake, EVENT("ADDED", POD("d", "c", "41", "")));
    fake_send(fake, EVENT("MODIFIED", POD("d", "a", "42", ",\"status\":{\"x\":1}")));
    fake_send(fake, EVENT("MODIFIED", POD("d", "a", "42", ",\"status\":{\"x\":1}")));
    fake_send(fake, EVENT("DELETED", POD("d", "b", "43", "")));
    fake_send(fake, EVENT("DELETED", POD("d", "none", "44", "")));
    fake_expect(fake, "+d/c ~d/a:16 -d/b ");
    assert_string_equal(fake_status(fake).version, "44");
    assert_int_equal(fake_status(fake).objects, 2);
}

static void an_event_may_be_cut_anywhere(void **state)
{
    static const char line[] = EVENT("ADDED", POD("d", "c", "41", ",\"x\":\"}\\\"{\""));
    struct fake *fake = watching(state);
    for (size_t i = 0; i + 1 < sizeof(line); i++) {
        const char piece[] = { line[i], '\0' };
        fake_expect(fake, "");
        fake_send(fake, piece);
    }
    fake_expect(fake, "+d/c ");
}

static void another_uid_is_another_object(void **state)
{
    struct fake *fake = watching(state);
    fake_send(fake, EVENT("MODIFIED", "{\"metadata\":{\"name\":\"a\",\"namespace\":\"d\",\"uid\":"
                                      "\"other\",\"resourceVersion\":\"41\"}}"));
    fake_expect(fake, "~d/a:63u ");
}

static void b10_of_a_bookmark_only_the_version_counts(void **state)
{
    struct fake *fake = watching(state);
    fake_send(fake, BOOKMARK("900"));
    fake_end(fake);
    fake_expect(fake, "");
    assert_true(fake_asks(fake, "watch=true"));
    assert_true(fake_asks(fake, "resourceVersion=900&"));
    assert_int_equal(fake_status(fake).objects, 2);
}

static void b12_a_watch_that_ends_goes_on_at_once(void **state)
{
    struct fake *fake = watching(state);
    size_t before = fake->n_requests;
    fake_advance(fake, 3 * KD_SEC_NS);
    fake_end(fake);
    assert_int_equal(fake->n_requests, before + 1);
    assert_true(fake_asks(fake, "resourceVersion=40&"));
    assert_false(fake_asks(fake, "sendInitialEvents"));
    fake_expect(fake, "");
}

static void b13_watches_that_end_at_once_back_off_then_list(void **state)
{
    struct fake *fake = watching(state);
    int64_t began_ns = fake->now_ns;
    unsigned watches = 0;
    while (fake_asks(fake, "watch=true")) {
        watches++;
        fake_send(fake, "");
        fake_end(fake);
        assert_true(fake_is_quiet(fake));
        (void)fake_wait(fake);
    }
    assert_int_equal(watches, 5);
    assert_true(fake->now_ns - began_ns >= 24 * KD_SEC_NS);
    assert_true(fake_asks(fake, "pods?resourceVersion=40"));
}

static void b15_back_off_grows_over_list_and_watch(void **state)
{
    struct fake *fake = watching(state);
    int64_t least = 800 * KD_MS_NS;
    for (int i = 0; i < 12; i++) {
        assert_true(fake_asks(fake, "watch=true"));
        fake_fail(fake, 403, STATUS("403", "Forbidden", "pods is forbidden"));
        assert_int_equal(fake_status(fake).state, KD_INFORMER_FORBIDDEN);
        int64_t wait_ns = fake_wait(fake);
        assert_in_range(wait_ns, least, 2 * least);
        least = least * 2 < 30 * KD_SEC_NS ? least * 2 : 30 * KD_SEC_NS;
    }
    assert_true(fake_status(fake).ever_synced);
    assert_string_equal(fake_status(fake).last_error, "watch: pods is forbidden");
    fake_send(fake, BOOKMARK("50"));
    assert_int_equal(fake_status(fake).state, KD_INFORMER_SYNCED);
    fake_fail(fake, 500, "");
    assert_true(fake_wait(fake) < 1600 * KD_MS_NS); /* progress has reset it */
}

static void b15_a_good_list_alone_does_not_reset_the_back_off(void **state)
{
    struct fake *fake = *state;
    struct kd_informer_spec spec = fake_spec();
    fake_start(fake, &spec);
    fake_fail(fake, 500, "");
    (void)fake_wait(fake);
    fake_answer(fake, LIST("40", "", ""));
    fake_fail(fake, 500, "");
    assert_true(fake_wait(fake) >= 1600 * KD_MS_NS);
}

static void b16_two_informers_do_not_keep_step(void **state)
{
    struct kd_informer *informers[2];
    struct kd_informer_spec spec = fake_spec();
    int64_t waits[2];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct fake fake;
        fake_init(&fake);
        struct kd_informer_env env = fake_env(&fake, i);
        assert_int_equal(kd_informer_new_in(&env, NULL, &spec, &informers[i], NULL), 0);
        fake.informer = informers[i];
        kd_informer_start(informers[i]);
        fake_cut(&fake);
        fake_advance(&fake, 0);
        waits[i] = fake_next_timer(&fake)->due_ns - fake.now_ns;
        for (int k = 0; k < 300; k++) { /* it never gives up, and never waits over the cap */
            assert_true(fake_wait(&fake) <= 60 * KD_SEC_NS);
            fake_cut(&fake);
        }
        fake_release(&fake);
    }
    assert_true(waits[0] != waits[1]);
}

static void not_served_is_tried_by_list_and_heals(void **state)
{
    struct fake *fake = watching(state);
    fake_fail(fake, 404, "404 page not found");
    assert_int_equal(fake_status(fake).state, KD_INFORMER_NOT_SERVED);
    assert_int_equal(fake_status(fake).objects, 2); /* what is known stays */
    (void)fake_wait(fake);
    assert_false(fake_asks(fake, "watch=true"));
    fake_answer(fake, LIST("60", "", POD("d", "a", "7", "")));
    fake_expect(fake, "-d/bf listed ");
    assert_int_equal(fake_status(fake).state, KD_INFORMER_SYNCED);
}

static void gone_as_an_error_event_lists_at_once(void **state)
{
    struct fake *fake = watching(state);
    fake_send(fake, EVENT("ADDED", POD("d", "c", "41", "")));
    fake_send(fake, EVENT("ERROR", STATUS("410", "Expired", "too old resource version")));
    assert_true(fake_asks(fake, "pods?resourceVersion=41"));
}

static void b17_a_bare_status_is_read_by_its_code(void **state)
{
    struct fake *fake = watching(state);
    fake_send(fake, "{\"message\":\"try later\",\"code\":429,\"reason\":\"TooManyRequests\","
                    "\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
                    "\"details\":{\"retryAfterSeconds\":4}}\n");
    assert_true(fake_is_quiet(fake));
    assert_string_equal(fake_status(fake).last_error, "watch: try later");
    int64_t wait_ns = fake_wait(fake);
    assert_in_range(wait_ns, 4 * KD_SEC_NS, 5 * KD_SEC_NS);
    assert_true(fake_asks(fake, "watch=true"));
    assert_true(fake_asks(fake, "resourceVersion=40&"));
    fake_send(fake, STATUS("410", "Gone", "gone") "\n");
    assert_false(fake_asks(fake, "watch=true"));
}

static void no_answer_silences_a_kind_for_long(void **state)
{
    struct fake *fake = watching(state);
    fake_fail(fake, 429,
              "{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":429,\"reason\":"
              "\"TooManyRequests\",\"details\":{\"retryAfterSeconds\":86400}}");
    int64_t wait_ns = fake_wait(fake);
    assert_in_range(wait_ns, 300 * KD_SEC_NS, 330 * KD_SEC_NS);
    assert_true(fake_asks(fake, "watch=true"));
    fake_send(fake, BOOKMARK("41"));
    assert_int_equal(fake_status(fake).state, KD_INFORMER_SYNCED);
}

static void a_line_that_is_nothing_fails_the_watch(void **state)
{
    struct fake *fake = watching(state);
    fake_send(fake, "<html>\n");
    assert_true(fake_is_quiet(fake));
    assert_int_equal(fake_status(fake).state, KD_INFORMER_FAILING);
    (void)fake_wait(fake);
    assert_true(fake_asks(fake, "watch=true"));
}

static void a_watch_that_never_ends_is_given_up(void **state)
{
    struct fake *fake = watching(state);
    size_t before = fake->n_requests;
    fake_send(fake, BOOKMARK("60"));
    const char *seconds = strstr(fake_path(fake), "timeoutSeconds=");
    assert_non_null(seconds);
    int64_t limit_ns = (strtol(seconds + strlen("timeoutSeconds="), NULL, 10) + 30) * KD_SEC_NS;
    fake_advance(fake, limit_ns - 1);
    assert_int_equal(fake->n_requests, before);
    assert_int_equal(fake->n_abandoned, 0);
    fake_advance(fake, 1);
    assert_int_equal(fake->n_requests, before + 1);
    assert_int_equal(fake->n_abandoned, 1); /* maybe nothing comes over its connection any more */
    assert_true(fake_asks(fake, "resourceVersion=60&"));
    fake_end(fake); /* one that its server ends leaves the connection alone */
    assert_int_equal(fake->n_abandoned, 1);
}

static void a_cut_after_events_reconnects_at_once(void **state)
{
    struct fake *fake = watching(state);
    fake_send(fake, EVENT("ADDED", POD("d", "c", "41", "")) "{\"type\":\"ADD");
    fake_cut(fake);
    assert_true(fake_asks(fake, "resourceVersion=41&"));
    fake_cut(fake);
    assert_true(fake_is_quiet(fake)); /* but not again and again */
}

static void stop_ends_requests_and_start_goes_on(void **state)
{
    struct fake *fake = watching(state);
    kd_informer_stop(fake->informer);
    assert_true(fake_is_quiet(fake));
    assert_null(fake_next_timer(fake));
    assert_int_equal(fake_status(fake).state, KD_INFORMER_DISABLED);
    assert_int_equal(fake_status(fake).objects, 2);
    kd_informer_start(fake->informer);
    assert_true(fake_asks(fake, "resourceVersion=40"));
    assert_int_equal(fake_status(fake).state, KD_INFORMER_SYNCED);
}

static void selectors_and_groups_are_in_the_path(void **state)
{
    struct fake *fake = *state;
    struct kd_informer_spec spec = fake_spec();
    spec.group = "apps";
    spec.resource = "deployments";
    spec.label_selector = "app in (a,b)";
    spec.field_selector = "metadata.name!=x";
    spec.list_page = 0;
    fake_start(fake, &spec);
    assert_string_equal(fake_path(fake),
                        "/apis/apps/v1/deployments?labelSelector=app%20in%20%28a%2Cb%29"
                        "&fieldSelector=metadata.name%21%3Dx&resourceVersion=0");
    fake_answer(fake, LIST("40", "", ""));
    assert_true(fake_asks(fake, "labelSelector=app%20in%20%28a%2Cb%29&fieldSelector=metadata."));
    const char *seconds = strstr(fake_path(fake), "timeoutSeconds=");
    assert_non_null(seconds);
    assert_in_range(strtol(seconds + strlen("timeoutSeconds="), NULL, 10), 300, 600);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(events_are_applied_and_told),
        CASE(an_event_may_be_cut_anywhere),
        CASE(another_uid_is_another_object),
        CASE(b10_of_a_bookmark_only_the_version_counts),
        CASE(b12_a_watch_that_ends_goes_on_at_once),
        CASE(b13_watches_that_end_at_once_back_off_then_list),
        CASE(b15_back_off_grows_over_list_and_watch),
        CASE(b15_a_good_list_alone_does_not_reset_the_back_off),
        cmocka_unit_test(b16_two_informers_do_not_keep_step),
        CASE(not_served_is_tried_by_list_and_heals),
        CASE(gone_as_an_error_event_lists_at_once),
        CASE(b17_a_bare_status_is_read_by_its_code),
        CASE(no_answer_silences_a_kind_for_long),
        CASE(a_line_that_is_nothing_fails_the_watch),
        CASE(a_watch_that_never_ends_is_given_up),
        CASE(a_cut_after_events_reconnects_at_once),
        CASE(stop_ends_requests_and_start_goes_on),
        CASE(selectors_and_groups_are_in_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
