/* B20: a list that is older than the cache takes nothing back. */
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

static void b20_a_list_does_not_go_back_in_time(void **state)
{
    struct fake *fake = *state;
    start(fake);
    fake_answer(fake, LIST("40", "", POD("d", "a", "30", ",\"spec\":{\"x\":2}")));
    fake_expect(fake, "+d/ai synced ");
    fake_fail(fake, 410, "");
    assert_true(fake_asks(fake, "resourceVersion=40"));
    fake_answer(fake, LIST("35", "", POD("d", "a", "20", ",\"spec\":{\"x\":1}")));
    fake_expect(fake, "");
    assert_true(fake_is_quiet(fake));
    (void)fake_wait(fake);
    assert_true(fake_asks(fake, "resourceVersion=40"));
    fake_answer(fake, LIST("41", "", POD("d", "a", "30", ",\"spec\":{\"x\":2}")));
    fake_expect(fake, "listed ");
}

/* Metadata after the items: how old the list is shows only once they are in. */
static void b20_a_list_whose_version_comes_last_does_not_either(void **state)
{
    struct fake *fake = *state;
    start(fake);
    fake_answer(fake, LIST("40", "", POD("d", "a", "30", "") "," POD("d", "b", "31", "")));
    fake_send(fake, EVENT("DELETED", POD("d", "b", "41", "")));
    fake_expect(fake, "+d/ai +d/bi synced -d/b ");
    fake_fail(fake, 410, "");
    assert_true(fake_asks(fake, "resourceVersion=41"));
    fake_send(
        fake,
        "{\"kind\":\"PodList\",\"items\":[" POD("d", "a", "20", ",\"spec\":{\"x\":1}") "," POD(
            "d", "b", "31", "") "],\"metadata\":{\"resourceVersion\":\"35\"}}");
    fake_expect(fake, "");
    assert_string_equal(fake_path(fake), "/api/v1/pods?limit=500"); /* at once, for the truth */
    fake_answer(fake, "{\"kind\":\"PodList\",\"items\":[" POD(
                          "d", "b", "31", "") "],\"metadata\":{\"resourceVersion\":\"50\"}}");
    fake_expect(fake, "+d/b -d/af listed ");
    assert_true(fake_asks(fake, "resourceVersion=50&"));
}

static void b20_an_old_object_of_the_same_name_does_not_come_back(void **state)
{
    struct fake *fake = *state;
    start(fake);
    fake_answer(fake, LIST("40", "", POD("d", "a", "30", "")));
    fake_fail(fake, 410, "");
    fake_send(fake, "{\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":\"a\",\"namespace\":"
                    "\"d\",\"uid\":\"other\",\"resourceVersion\":\"12\"}}]}");
    fake_expect(fake, "+d/ai synced ");
    assert_string_equal(fake_path(fake), "/api/v1/pods?limit=500");
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(b20_a_list_does_not_go_back_in_time),
        CASE(b20_a_list_whose_version_comes_last_does_not_either),
        CASE(b20_an_old_object_of_the_same_name_does_not_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
