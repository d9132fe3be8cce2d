/* The text that Prometheus scrapes. */
#include "unit/metrics/page.h"

#include <math.h>
#include <stdlib.h>

static const char *const two_labels[] = { "kind", "text" };

static void families_come_by_name_and_series_by_labels(void **state)
{
    struct kd_metrics *metrics = *state;
    struct kd_family_spec spec = { .type = KD_COUNTER,
                                   .name = "zeta_total",
                                   .help = "Last.",
                                   .labels = two_labels,
                                   .n_labels = 2 };
    struct kd_family *zeta = kd_metrics_family(metrics, &spec);
    kd_counter_add(kd_family_series(zeta, (const char *[]){ "b", "1" }), 2);
    kd_counter_add(kd_family_series(zeta, (const char *[]){ "a", "" }), 1.5);
    kd_gauge_set(plain_series(metrics, KD_GAUGE, "alpha"), -3);
    assert_page(metrics, "# HELP alpha Help.\n"
                         "# TYPE alpha gauge\n"
                         "alpha -3\n"
                         "# HELP zeta_total Last.\n"
                         "# TYPE zeta_total counter\n"
                         "zeta_total{kind=\"a\",text=\"\"} 1.5\n"
                         "zeta_total{kind=\"b\",text=\"1\"} 2\n");
}

static void a_family_without_series_is_left_out(void **state)
{
    struct kd_family_spec spec = { .type = KD_GAUGE, .name = "unused", .help = "None." };
    assert_non_null(kd_metrics_family(*state, &spec));
    assert_page(*state, "");
}

/* B67 */
static void label_values_and_help_are_escaped(void **state)
{
    struct kd_metrics *metrics = *state;
    struct kd_family_spec spec = { .type = KD_GAUGE,
                                   .name = "g",
                                   .help = "A \"quote\", a \\ and\na line.",
                                   .labels = two_labels,
                                   .n_labels = 2 };
    const char *values[] = { "a\"b\\c\nd", "\xc3\xa9\t\xff\xc3z\xe2\x82" };
    kd_gauge_set(kd_family_series(kd_metrics_family(metrics, &spec), values), 1);
    assert_page(metrics, "# HELP g A \"quote\", a \\\\ and\\na line.\n"
                         "# TYPE g gauge\n"
                         "g{kind=\"a\\\"b\\\\c\\nd\",text=\"\xc3\xa9\t\xef\xbf\xbd\xef\xbf\xbdz"
                         "\xef\xbf\xbd\xef\xbf\xbd\"} 1\n");
}

static void a_histogram_is_cumulative_and_ends_with_inf(void **state)
{
    struct kd_metrics *metrics = *state;
    static const double buckets[] = { 1e-8, 0.005, 1, 16777216 };
    static const char *const labels[] = { "verb" };
    struct kd_family_spec spec = { .type = KD_HISTOGRAM,
                                   .name = "h_seconds",
                                   .help = "H.",
                                   .labels = labels,
                                   .n_labels = 1,
                                   .buckets = buckets,
                                   .n_buckets = 4 };
    struct kd_family *family = kd_metrics_family(metrics, &spec);
    struct kd_series *series = kd_family_series(family, (const char *[]){ "GET" });
    const double seen[] = { 0.005, 0.5, 1, 20000000, 0 };
    for (size_t i = 0; i < KD_ARRAY_LEN(seen); i++) {
        kd_histogram_observe(series, seen[i]);
    }
    assert_true(kd_series_value(series) == 5);
    assert_page(metrics, "# HELP h_seconds H.\n"
                         "# TYPE h_seconds histogram\n"
                         "h_seconds_bucket{verb=\"GET\",le=\"1e-08\"} 1\n"
                         "h_seconds_bucket{verb=\"GET\",le=\"0.005\"} 2\n"
                         "h_seconds_bucket{verb=\"GET\",le=\"1\"} 4\n"
                         "h_seconds_bucket{verb=\"GET\",le=\"16777216\"} 4\n"
                         "h_seconds_bucket{verb=\"GET\",le=\"+Inf\"} 5\n"
                         "h_seconds_sum{verb=\"GET\"} 20000001.505\n"
                         "h_seconds_count{verb=\"GET\"} 5\n");
}

static void not_a_number_lands_in_inf(void **state)
{
    struct kd_family_spec spec = { .type = KD_HISTOGRAM,
                                   .name = "h",
                                   .help = "H.",
                                   .buckets = kd_buckets_default,
                                   .n_buckets = 1 };
    kd_histogram_observe(kd_family_series(kd_metrics_family(*state, &spec), NULL), NAN);
    assert_page(*state, "# HELP h H.\n# TYPE h histogram\n"
                        "h_bucket{le=\"0.005\"} 0\nh_bucket{le=\"+Inf\"} 1\n"
                        "h_sum NaN\nh_count 1\n");
}

static void assert_number(struct kd_metrics *metrics, double value, const char *expected)
{
    kd_gauge_set(plain_series(metrics, KD_GAUGE, "n"), value);
    char *text = page(metrics);
    const char *number = strrchr(text, ' ') + 1;
    assert_int_equal(strncmp(number, expected, strlen(expected)), 0);
    assert_int_equal(number[strlen(expected)], '\n');
    if (!isnan(value)) {
        assert_true(strtod(number, NULL) == value);
    }
    kd_free(text);
}

static void numbers_read_back_exactly(void **state)
{
    assert_number(*state, 0, "0");
    assert_number(*state, -0.0, "0");
    assert_number(*state, 123456789012345, "123456789012345");
    assert_number(*state, 0.1, "0.1");
    assert_number(*state, 1.0 / 3, "0.33333333333333331");
    assert_number(*state, 1e21, "1e+21");
    assert_number(*state, 9007199254740992.0, "9007199254740992");
    assert_number(*state, 5e-324, "4.94065645841247e-324");
    assert_number(*state, HUGE_VAL, "+Inf");
    assert_number(*state, -HUGE_VAL, "-Inf");
    assert_number(*state, NAN, "NaN");
}

static void a_page_past_the_buffers_bound_is_an_error(void **state)
{
    KD_AUTO_BUF struct kd_buf out;
    kd_buf_init(&out, 16);
    kd_gauge_set(plain_series(*state, KD_GAUGE, "some_long_name"), 1);
    assert_int_equal(kd_metrics_write(*state, KD_METRICS_TEXT, &out), KD_ETOOBIG);
}

static int setup(void **state)
{
    *state = kd_metrics_new();
    return 0;
}

static int teardown(void **state)
{
    kd_metrics_free(*state);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(families_come_by_name_and_series_by_labels),
        TEST(a_family_without_series_is_left_out),
        TEST(label_values_and_help_are_escaped),
        TEST(a_histogram_is_cumulative_and_ends_with_inf),
        TEST(not_a_number_lands_in_inf),
        TEST(numbers_read_back_exactly),
        TEST(a_page_past_the_buffers_bound_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
