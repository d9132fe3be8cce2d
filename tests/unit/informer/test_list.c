/* Lists: pages, versions, relists, forms of emptiness, what is too large or has no name. */
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

static void start(struct fake *fake)
{
    struct kd_informer_spec spec = fake_spec();
    fake_start(fake, &spec);
}

static void b04_pages_are_followed_to_their_end(void **state)
{
    struct fake *fake = *state;
    start(fake);
    assert_string_equal(fake_path(fake), "/api/v1/pods?limit=500&resourceVersion=0");
    assert_true(fake->last->flags & KD_REQUEST_LIST);
    fake_answer(fake, LIST("50", "n1", POD("d", "a", "3", "") "," POD("d", "b", "9", "")));
    assert_string_equal(fake_path(fake), "/api/v1/pods?limit=500&continue=n1");
    assert_int_equal(fake_status(fake).state, KD_INFORMER_SYNCING);
    fake_answer(fake, LIST("50", "n2", POD("d", "c", "4", "") "," POD("d", "d", "5", "")));
    assert_string_equal(fake_path(fake), "/api/v1/pods?limit=500&continue=n2");
    fake_expect(fake, "+d/ai +d/bi +d/ci +d/di ");
    fake_answer(fake, LIST("50", "", POD("d", "e", "6", "")));
    fake_expect(fake, "+d/ei synced ");
    assert_true(fake_asks(fake, "watch=true&allowWatchBookmarks=true&resourceVersion=50&"));
    assert_int_equal(fake_status(fake).state, KD_INFORMER_SYNCED);
    assert_int_equal(fake_status(fake).objects, 5);
    assert_string_equal(fake_status(fake).version, "50");
}

static void b06_the_watch_starts_at_the_version_of_the_list(void **state)
{
    struct fake *fake = *state;
    start(fake);
    fake_answer(fake, LIST("40", "", POD("d", "a", "7", "") "," POD("d", "z", "3", "")));
    assert_true(fake_asks(fake, "resourceVersion=40&"));
    assert_false(fake_asks(fake, "sendInitialEvents"));
    assert_true(fake->last->flags & KD_REQUEST_WATCH);
}

static void b02_a_relist_that_fails_is_tried_until_it_works(void **state)
{
    struct fake *fake = *state;
    start(fake);
    fake_answer(fake, LIST("40", "", POD("d", "a", "7", "") "," POD("d", "b", "8", "")));
    fake_expect(fake, "+d/ai +d/bi synced ");
    fake_fail(fake, 410, STATUS("410", "Expired", "too old"));
    assert_string_equal(fake_path(fake),
                        "/api/v1/pods?resourceVersion=40&resourceVersionMatch=NotOlderThan");
    fake_fail(fake, 503, "busy");
    assert_true(fake_is_quiet(fake));
    assert_int_equal(fake_status(fake).state, KD_INFORMER_FAILING);
    assert_int_equal(fake_status(fake).last_code, 503);
    assert_true(fake_wait(fake) >= 800 * KD_MS_NS);
    fake_cut(fake);
    assert_true(fake_wait(fake) >= 1600 * KD_MS_NS);
    fake_answer(fake, LIST("50", "", POD("d", "b", "8", "")));
    fake_expect(fake, "-d/af listed ");
    assert_true(fake_asks(fake, "resourceVersion=50&"));
    assert_int_equal(fake_status(fake).state, KD_INFORMER_SYNCED);
    assert_string_equal(fake_status(fake).last_error, "");
}

static void b02_a_list_at_a_version_that_is_gone_asks_without_one_at_once(void **state)
{
    struct fake *fake = *state;
    start(fake);
    fake_answer(fake, LIST("40", "", ""));
    fake_fail(fake, 410, "");
    fake_fail(fake, 410, STATUS("410", "Expired", "too old"));
    assert_string_equal(fake_path(fake), "/api/v1/pods?limit=500");
    fake_fail(fake, 410, ""); /* nothing better to ask for: no loop */
    assert_true(fake_is_quiet(fake));
    (void)fake_wait(fake);
    assert_string_equal(fake_path(fake), "/api/v1/pods?limit=500");
    fake_answer(fake, LIST("60", "", ""));
    fake_fail(fake, 410, ""); /* the marker is cleared: a relist says its version again */
    (void)fake_wait(fake);    /* the watch expired twice without progress: not at once */
    assert_true(fake_asks(fake, "resourceVersion=60"));
}

static void a_page_that_expired_gives_one_whole_list(void **state)
{
    struct fake *fake = *state;
    start(fake);
    fake_answer(fake, LIST("50", "n1", POD("d", "a", "3", "")));
    fake_fail(fake, 410, STATUS("410", "Expired", "continue token too old"));
    assert_string_equal(fake_path(fake), "/api/v1/pods");
    fake_answer(fake, LIST("55", "", POD("d", "b", "3", "")));
    fake_expect(fake, "+d/ai +d/bi -d/af synced ");
    fake_cut(fake);
    fake_advance(fake, 60 * KD_SEC_NS);
    fake_fail(fake, 410, "");
    /* This server cuts into pages, so a list at a version may be cut as well. */
    assert_true(fake_asks(fake, "limit=500&resourceVersion=55"));
}

static void b03_too_large_version_is_asked_at_most_twice(void **state)
{
    static const char *const body =
        "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Timeout\",\"code\":504,"
        "\"message\":\"Too large resource version: 363, current: 120\","
        "\"details\":{\"retryAfterSeconds\":1}}";
    struct fake *fake = *state;
    start(fake);
    fake_answer(fake, LIST("363", "", POD("d", "a", "300", "")));
    fake_fail(fake, 504, body);
    assert_true(fake_asks(fake, "pods?resourceVersion=363"));
    fake_fail(fake, 504, body);
    assert_string_equal(fake_path(fake), "/api/v1/pods?limit=500");
    fake_answer(fake, LIST("120", "", POD("d", "a", "100", ",\"spec\":{\"x\":1}")));
    fake_expect(fake, "+d/ai synced ~d/a:8 listed "); /* the truth wins over a newer version */
    assert_true(fake_asks(fake, "watch=true"));
    assert_true(fake_asks(fake, "resourceVersion=120&"));
}

static void b19_forms_of_an_empty_list(void **state)
{
    struct fake *fake = *state;
    start(fake);
    fake_answer(fake, "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":"
                      "{\"resourceVersion\":\"5\"},\"items\":null}");
    fake_expect(fake, "synced ");
    assert_true(fake_asks(fake, "resourceVersion=5&"));
    fake_fail(fake, 410, "");
    fake_answer(fake, "{\"kind\":\"PodList\",\"apiVersion\":\"v1\"}");
    fake_expect(fake, "listed ");
    assert_false(fake_asks(fake, "resourceVersion="));
    assert_true(fake_asks(fake, "watch=true"));
    /* Begun without a version, the watch first tells what is there, in no order. */
    fake_send(fake, EVENT("ADDED", POD("d", "a", "9", "")) EVENT("ADDED", POD("d", "b", "4", "")));
    fake_expect(fake, "+d/a +d/b ");
    assert_string_equal(fake_status(fake).version, "");
    fake_send(fake, EVENT("MODIFIED", POD("d", "a", "12", "")));
    assert_string_equal(fake_status(fake).version, "12");
}

static struct kd_str json_of(struct fake *fake, const char *ns, const char *name,
                             struct kd_arena *arena)
{
    struct kd_str text;
    struct kd_record *record =
        kd_informer_get(fake->informer, (struct kd_key){ kd_str_from(ns), kd_str_from(name) });
    assert_non_null(record);
    assert_int_equal(kd_record_decode(record, arena, &text), 0);
    kd_record_unref(record);
    return text;
}

static void b19_items_get_kind_and_version(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct fake *fake = *state;
    kd_arena_init(&arena, KD_MIB);
    start(fake);
    fake_answer(fake, LIST("5", "", POD("d", "a", "3", ",\"spec\":{\"nodeName\":\"n\"}")));
    assert_string_equal(json_of(fake, "d", "a", &arena).ptr,
                        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\","
                        "\"namespace\":\"d\",\"uid\":\"u-a\",\"resourceVersion\":\"3\"},"
                        "\"spec\":{\"nodeName\":\"n\"}}");
}

static void b27_a_bad_object_leaves_the_others_alone(void **state)
{
    struct fake *fake = *state;
    start(fake);
    fake_answer(
        fake,
        LIST("5", "",
             POD("d", "a", "3", "") "," POD(
                 "d", "b", "4",
                 ",\"spec\":{\"nodeName\":17,\"containers\":\"none\"},\"status\":[]") "," POD("d",
                                                                                              "c",
                                                                                              "4",
                                                                                              "")));
    fake_expect(fake, "+d/ai +d/bi +d/ci synced ");
    fake_send(fake, EVENT("MODIFIED", POD("d", "b", "6", ",\"spec\":\"odd\"")));
    fake_expect(fake, "~d/b:8 ");
    fake_send(fake, EVENT("MODIFIED", "{\"metadata\":{\"name\":17,\"resourceVersion\":\"7\"}}")
                        EVENT("MODIFIED", POD("d", "c", "8", ",\"spec\":{}")));
    assert_string_equal(fake_status(fake).version, "8");
    assert_true(fake->last->live);
}

static void an_object_without_a_name_stops_the_sweep_only(void **state)
{
    struct fake *fake = *state;
    start(fake);
    fake_answer(fake, LIST("5", "", POD("d", "a", "3", "")));
    fake_fail(fake, 410, "");
    fake_answer(fake, LIST("6", "", "{\"metadata\":[]}," POD("d", "b", "6", "")));
    fake_expect(fake, "+d/ai synced +d/b listed "); /* the unnamed one may be a */
    fake_advance(fake, 2 * KD_SEC_NS);
    fake_send(fake, BOOKMARK("7"));
    fake_fail(fake, 410, "");
    fake_answer(fake, LIST("8", "", POD("d", "b", "6", "")));
    fake_expect(fake, "-d/af listed ");
}

static void b08_too_large_an_object_keeps_its_last_state(void **state)
{
    struct fake *fake = *state;
    struct kd_informer_spec spec = fake_spec();
    static char big[3000];
    memset(big, 'x', sizeof(big) - 1);
    KD_AUTO_FREE char *pod = kd_asprintf("{\"metadata\":{\"name\":\"a\",\"namespace\":\"d\","
                                         "\"uid\":\"u\"},\"spec\":{\"v\":\"%s\"}}",
                                         big);
    KD_AUTO_FREE char *list = kd_asprintf("{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":["
                                          "%s," POD("d", "b", "3", "") "]}",
                                          pod);
    KD_AUTO_FREE char *line = kd_asprintf("{\"type\":\"MODIFIED\",\"object\":%s}\n", pod);
    spec.max_object_bytes = 1000;
    fake_start(fake, &spec);
    fake_answer(fake, LIST("5", "", POD("d", "a", "3", "") "," POD("d", "c", "3", "")));
    fake_send(fake, line);
    fake_send(fake, EVENT("ADDED", POD("d", "b", "6", "")));
    fake_expect(fake, "+d/ai +d/ci synced +d/b "); /* the watch goes on */
    fake_fail(fake, 410, "");
    fake_answer(fake, list);
    fake_expect(fake, "-d/cf listed "); /* a is there, though it could not be taken */
    assert_int_equal(fake_status(fake).objects, 2);
}

static void namespaces_are_listed_apart_and_swept_apart(void **state)
{
    struct fake *fake = *state;
    struct kd_informer_spec spec = fake_spec();
    char *names[] = { "x", "y" };
    spec.namespaces = (struct kd_strlist){ names, 2 };
    fake_start(fake, &spec);
    assert_int_equal(fake->n_requests, 2);
    struct fake_call *x = &fake->calls[0];
    struct fake_call *y = &fake->calls[1];
    assert_string_equal(x->path, "/api/v1/namespaces/x/pods?limit=500&resourceVersion=0");
    fake->last = x;
    fake_answer(fake, LIST("5", "", POD("x", "a", "3", "")));
    fake_expect(fake, "+x/ai ");
    assert_int_equal(fake_status(fake).state, KD_INFORMER_SYNCING);
    fake->last = y;
    fake_answer(fake, LIST("7", "", POD("y", "a", "3", "")));
    fake_expect(fake, "+y/ai synced ");
    assert_string_equal(fake_status(fake).version, "5");
    fake_fail(fake, 410, "");
    fake_answer(fake, LIST("9", "", ""));
    fake_expect(fake, "-y/af listed ");
    assert_int_equal(fake_status(fake).objects, 1);
}

static void mode_metadata_asks_for_and_keeps_nothing_else(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct fake *fake = *state;
    struct kd_informer_spec spec = fake_spec();
    kd_arena_init(&arena, KD_MIB);
    spec.mode = "metadata";
    fake_start(fake, &spec);
    assert_true(strstr(fake->last->accept, "as=PartialObjectMetadataList;") != NULL);
    fake_answer(fake, LIST("5", "",
                           "{\"kind\":\"PartialObjectMetadata\",\"data\":{\"k\":\"secret\"},"
                           "\"metadata\":{\"name\":\"a\",\"managedFields\":[1],\"annotations\":"
                           "{\"kubectl.kubernetes.io/last-applied-configuration\":\"secret\","
                           "\"b\":\"c\"}}}"));
    assert_true(strstr(fake->last->accept, "as=PartialObjectMetadata;") != NULL);
    assert_string_equal(json_of(fake, "", "a", &arena).ptr,
                        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\","
                        "\"annotations\":{\"b\":\"c\"}}}");
}

static void mode_fields_keeps_metadata_and_the_fields(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct fake *fake = *state;
    struct kd_informer_spec spec = fake_spec();
    const char *fields[] = { "/spec/nodeName" };
    kd_arena_init(&arena, KD_MIB);
    spec.mode = "fields";
    spec.fields = fields;
    spec.n_fields = 1;
    fake_start(fake, &spec);
    fake_answer(fake, LIST("5", "", POD("d", "a", "3", ",\"spec\":{\"nodeName\":\"n\",\"x\":1}")));
    assert_string_equal(json_of(fake, "d", "a", &arena).ptr,
                        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\","
                        "\"namespace\":\"d\",\"uid\":\"u-a\",\"resourceVersion\":\"3\"},"
                        "\"spec\":{\"nodeName\":\"n\"}}");
    fake_expect(fake, "+d/ai synced ");
    fake_send(fake, EVENT("MODIFIED", POD("d", "a", "6", ",\"spec\":{\"nodeName\":\"n\"}")));
    fake_expect(fake, ""); /* what is not kept does not change */
}

static void a_late_subscriber_gets_what_is_there(void **state)
{
    struct fake *fake = *state;
    start(fake);
    fake_answer(fake, LIST("5", "", POD("d", "a", "3", "") "," POD("d", "b", "3", "")));
    kd_buf_clear(&fake->told, KD_MIB);
    kd_informer_unsubscribe(fake->subscription);
    fake->subscription = fake_subscribe(fake);
    fake_expect(fake, "");
    /* A change before the hand-over is not told twice. */
    fake_send(fake, EVENT("DELETED", POD("d", "b", "6", "")));
    fake_expect(fake, "");
    fake_advance(fake, 0);
    fake_expect(fake, "+d/ai synced ");
    fake_send(fake, EVENT("DELETED", POD("d", "a", "7", "")));
    fake_expect(fake, "-d/a ");
}

static void bad_paths_are_refused(void **state)
{
    struct fake fake;
    struct kd_informer *informer = NULL;
    struct kd_error error = { 0 };
    const char *paths[] = { "spec" };
    struct kd_index index = { "x", "spec" };
    (void)state;
    fake_init(&fake);
    struct kd_informer_env env = fake_env(&fake, 1);
    struct kd_informer_spec spec = fake_spec();
    spec.noise = paths;
    spec.n_noise = 1;
    assert_int_equal(kd_informer_new_in(&env, NULL, &spec, &informer, &error), KD_ECONFIG);
    assert_int_equal(error.code, KD_ECONFIG);
    spec = fake_spec();
    spec.indexes = &index;
    spec.n_indexes = 1;
    assert_int_equal(kd_informer_new_in(&env, NULL, &spec, &informer, &error), KD_ECONFIG);
    spec = fake_spec();
    spec.mode = "half";
    assert_int_equal(kd_informer_new_in(&env, NULL, &spec, &informer, &error), KD_ECONFIG);
    assert_true(strstr(error.text, "half") != NULL);
    kd_buf_release(&fake.told);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(b04_pages_are_followed_to_their_end),
        CASE(b06_the_watch_starts_at_the_version_of_the_list),
        CASE(b02_a_relist_that_fails_is_tried_until_it_works),
        CASE(b02_a_list_at_a_version_that_is_gone_asks_without_one_at_once),
        CASE(a_page_that_expired_gives_one_whole_list),
        CASE(b03_too_large_version_is_asked_at_most_twice),
        CASE(b19_forms_of_an_empty_list),
        CASE(b19_items_get_kind_and_version),
        CASE(b27_a_bad_object_leaves_the_others_alone),
        CASE(an_object_without_a_name_stops_the_sweep_only),
        CASE(b08_too_large_an_object_keeps_its_last_state),
        CASE(namespaces_are_listed_apart_and_swept_apart),
        CASE(mode_metadata_asks_for_and_keeps_nothing_else),
        CASE(mode_fields_keeps_metadata_and_the_fields),
        CASE(a_late_subscriber_gets_what_is_there),
        cmocka_unit_test(bad_paths_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
