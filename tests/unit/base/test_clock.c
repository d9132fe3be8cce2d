/* Times and durations as text, both ways. */
#include "check.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/rand.h"
#include "base/str.h"

static void reads_rfc3339(void **state)
{
    static const struct {
        const char *text;
        int64_t ns;
    } rows[] = {
        { "1970-01-01T00:00:00Z", 0 },
        { "2024-02-29T12:34:56Z", INT64_C(1709210096) * KD_SEC_NS },
        { "2024-02-29t12:34:56z", INT64_C(1709210096) * KD_SEC_NS },
        { "2024-02-29T14:34:56+02:00", INT64_C(1709210096) * KD_SEC_NS },
        { "2024-02-29T07:04:56-05:30", INT64_C(1709210096) * KD_SEC_NS },
        { "1970-01-01T00:00:00.5Z", KD_SEC_NS / 2 },
        { "1970-01-01T00:00:00.000000001Z", 1 },
        { "1970-01-01T00:00:00.1234567899Z", 123456789 },
        { "1969-12-31T23:59:59.25Z", -KD_SEC_NS * 3 / 4 },
        { "2016-12-31T23:59:60Z", INT64_C(1483228800) * KD_SEC_NS },
        { "2000-02-29T00:00:00Z", INT64_C(951782400) * KD_SEC_NS },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        int64_t ns = -1;
        if (kd_rfc3339_parse(kd_str_from(rows[i].text), &ns) != 0 || ns != rows[i].ns) {
            fail_msg("%s: %lld", rows[i].text, (long long)ns);
        }
    }
}

static void refuses_what_is_no_time(void **state)
{
    static const char *const bad[] = {
        "",
        "2024",
        "2024-01-01",
        "2024-01-01T00:00:00",
        "2024-01-01T00:00Z",
        "2024-13-01T00:00:00Z",
        "2024-00-01T00:00:00Z",
        "2024-01-00T00:00:00Z",
        "2024-01-32T00:00:00Z",
        "2023-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2024-04-31T00:00:00Z",
        "2024-01-01T24:00:00Z",
        "2024-01-01T00:60:00Z",
        "2024-01-01T00:00:61Z",
        "2024-01-01T00:00:00.Z",
        "2024-01-01T00:00:00+24:00",
        "2024-01-01T00:00:00+00:60",
        "2024-01-01T00:00:00+0000",
        "2024-01-01T00:00:00Zx",
        " 2024-01-01T00:00:00Z",
        "-024-01-01T00:00:00Z",
        "9999-01-01T00:00:00Z",
        "0001-01-01T00:00:00Z",
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(bad); i++) {
        int64_t ns = 42;
        if (kd_rfc3339_parse(kd_str_from(bad[i]), &ns) != KD_EPARSE || ns != 42) {
            fail_msg("taken: %s", bad[i]);
        }
    }
}

static void writes_rfc3339(void **state)
{
    char out[KD_RFC3339_MAX];
    (void)state;
    assert_string_equal(kd_rfc3339(0, 0, out), "1970-01-01T00:00:00Z");
    assert_string_equal(kd_rfc3339(1, 9, out), "1970-01-01T00:00:00.000000001Z");
    assert_string_equal(kd_rfc3339(999999999, 3, out), "1970-01-01T00:00:00.999Z");
    assert_string_equal(kd_rfc3339(999999999, 0, out), "1970-01-01T00:00:00Z");
    assert_string_equal(kd_rfc3339(-1, 6, out), "1969-12-31T23:59:59.999999Z");
    assert_string_equal(kd_rfc3339(INT64_MAX, 9, out), "2262-04-11T23:47:16.854775807Z");
    assert_string_equal(kd_rfc3339(INT64_MIN, 9, out), "1677-09-21T00:12:43.145224192Z");
}

static void times_make_the_round_trip(void **state)
{
    struct kd_rand rand;
    (void)state;
    kd_rand_init(&rand, test_seed());
    for (int i = 0; i < 20000; i++) {
        char out[KD_RFC3339_MAX];
        int64_t ns = (int64_t)kd_rand_next(&rand) >> kd_rand_below(&rand, 40);
        int64_t back = 0;
        ns = i == 0 ? INT64_MAX : i == 1 ? INT64_MIN : ns;
        assert_int_equal(kd_rfc3339_parse(kd_str_from(kd_rfc3339(ns, 9, out)), &back), 0);
        assert_true(back == ns);
    }
}

static void reads_durations(void **state)
{
    static const struct {
        const char *text;
        int64_t ns;
    } rows[] = {
        { "0s", 0 },
        { "5s", 5 * KD_SEC_NS },
        { "250ms", 250 * KD_MS_NS },
        { "1h30m", 5400 * KD_SEC_NS },
        { "1m1s1ms1us1ns", 61 * KD_SEC_NS + KD_MS_NS + 1001 },
        { "1m30s", 90 * KD_SEC_NS },
        { "2m3ms", 120 * KD_SEC_NS + 3 * KD_MS_NS },
        { "9223372036854775807ns", INT64_MAX },
    };
    static const char *const bad[] = { "",         "5",
                                       "s",        "5 s",
                                       " 5s",      "-5s",
                                       "1.5s",     "5sx",
                                       "1h5",      "5S",
                                       "1d",       "5sm",
                                       "+1s",      "9223372036854775808ns",
                                       "2562048h", "2562047h47m17s" };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        int64_t ns = -1;
        assert_int_equal(kd_duration_parse(kd_str_from(rows[i].text), &ns), 0);
        assert_true(ns == rows[i].ns);
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(bad); i++) {
        int64_t ns = 42;
        if (kd_duration_parse(kd_str_from(bad[i]), &ns) != KD_EPARSE || ns != 42) {
            fail_msg("taken: %s", bad[i]);
        }
    }
}

static void durations_make_the_round_trip(void **state)
{
    struct kd_rand rand;
    char out[KD_RFC3339_MAX];
    (void)state;
    kd_rand_init(&rand, test_seed());
    assert_string_equal(kd_duration_text(0, out), "0s");
    assert_string_equal(kd_duration_text(30 * KD_SEC_NS, out), "30s");
    assert_string_equal(kd_duration_text(90 * KD_SEC_NS, out), "1m30s");
    assert_string_equal(kd_duration_text(250 * KD_MS_NS, out), "250ms");
    assert_string_equal(kd_duration_text(INT64_MAX, out), "2562047h47m16s854ms775us807ns");
    for (int i = 0; i < 20000; i++) {
        int64_t ns = (int64_t)(kd_rand_next(&rand) >> (1 + kd_rand_below(&rand, 60)));
        int64_t back = -1;
        assert_int_equal(kd_duration_parse(kd_str_from(kd_duration_text(ns, out)), &back), 0);
        assert_true(back == ns);
    }
}

static void sums_stay_in_range(void **state)
{
    (void)state;
    assert_true(kd_time_add_ns(INT64_MAX, 1) == INT64_MAX);
    assert_true(kd_time_add_ns(KD_NEVER_NS, KD_NEVER_NS) == KD_NEVER_NS);
    assert_true(kd_time_add_ns(INT64_MIN, -1) == INT64_MIN);
    assert_true(kd_time_add_ns(40, 2) == 42);
}

static void the_system_clock_goes_forward(void **state)
{
    (void)state;
    int64_t before_ns = kd_now_ns(&kd_system_clock);
    assert_true(kd_now_ns(&kd_system_clock) >= before_ns);
    assert_true(kd_wall_ns(&kd_system_clock) > INT64_C(1500000000) * KD_SEC_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_rfc3339),      cmocka_unit_test(refuses_what_is_no_time),
        cmocka_unit_test(writes_rfc3339),     cmocka_unit_test(times_make_the_round_trip),
        cmocka_unit_test(reads_durations),    cmocka_unit_test(durations_make_the_round_trip),
        cmocka_unit_test(sums_stay_in_range), cmocka_unit_test(the_system_clock_goes_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
