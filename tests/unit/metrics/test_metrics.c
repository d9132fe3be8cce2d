/* Families and series: identity, bounds, threads, collectors. */
#include "unit/metrics/page.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS 5000

static const char *const one_label[] = { "who" };
static const struct kd_family_spec counter_spec = {
    .type = KD_COUNTER, .name = "c_total", .help = "C.", .labels = one_label, .n_labels = 1
};
static const struct kd_family_spec histogram_spec = { .type = KD_HISTOGRAM,
                                                      .name = "h",
                                                      .help = "H.",
                                                      .labels = one_label,
                                                      .n_labels = 1,
                                                      .buckets = kd_buckets_default,
                                                      .n_buckets = 11 };

static void the_same_names_and_values_are_the_same_series(void **state)
{
    struct kd_family *family = kd_metrics_family(*state, &counter_spec);
    assert_ptr_equal(family, kd_metrics_family(*state, &counter_spec));
    struct kd_series *a = kd_family_series(family, (const char *[]){ "a" });
    assert_ptr_equal(a, kd_family_series(family, (const char *[]){ "a" }));
    assert_ptr_not_equal(a, kd_family_series(family, (const char *[]){ "b" }));
}

static void a_counter_never_goes_down(void **state)
{
    struct kd_series *series = plain_series(*state, KD_COUNTER, "c_total");
    kd_counter_add(series, 2);
    kd_counter_add(series, -1);
    kd_counter_add(series, 0.0 / 0.0);
    assert_true(kd_series_value(series) == 2);
}

static void a_gauge_goes_both_ways(void **state)
{
    struct kd_series *series = plain_series(*state, KD_GAUGE, "g");
    kd_gauge_set(series, 5);
    kd_gauge_add(series, -7);
    assert_true(kd_series_value(series) == -2);
}

static void a_held_series_goes_with_its_last_holder(void **state)
{
    struct kd_family *family = kd_metrics_family(*state, &counter_spec);
    const char *values[] = { "kind" };
    struct kd_series *series = kd_family_hold(family, values);
    assert_ptr_equal(series, kd_family_hold(family, values));
    kd_counter_add(series, 3);
    assert_false(kd_family_drop(family, values));
    assert_true(kd_series_value(kd_family_series(family, values)) == 3);
    assert_true(kd_family_drop(family, values));
    assert_false(kd_family_drop(family, values));
    assert_true(kd_series_value(kd_family_series(family, values)) == 0);
}

static void all_series_of_one_subject_go_at_once(void **state)
{
    static const char *const labels[] = { "kind", "reason" };
    const struct kd_family_spec spec = {
        .type = KD_COUNTER, .name = "errors_total", .help = "E.", .labels = labels, .n_labels = 2
    };
    struct kd_family *family = kd_metrics_family(*state, &spec);
    const char *pod[] = { "Pod" };
    kd_counter_add(kd_family_series(family, (const char *[]){ "Pod", "a" }), 1);
    kd_counter_add(kd_family_series(family, (const char *[]){ "Pod", "b" }), 1);
    kd_counter_add(kd_family_series(family, (const char *[]){ "Node", "a" }), 1);
    kd_family_drop_all(family, pod, 1);
    assert_true(kd_series_value(kd_family_series(family, (const char *[]){ "Pod", "a" })) == 0);
    assert_true(kd_series_value(kd_family_series(family, (const char *[]){ "Pod", "b" })) == 0);
    assert_true(kd_series_value(kd_family_series(family, (const char *[]){ "Node", "a" })) == 1);
    kd_family_drop_all(NULL, pod, 1);
}

static void a_dropped_series_is_gone_and_starts_again_at_zero(void **state)
{
    struct kd_family *family = kd_metrics_family(*state, &counter_spec);
    const char *values[] = { "a" };
    kd_counter_add(kd_family_series(family, values), 3);
    kd_family_drop(family, values);
    kd_family_drop(family, values);
    assert_page(*state, "");
    assert_true(kd_series_value(kd_family_series(family, values)) == 0);
}

static void past_the_bound_updates_go_to_one_series(void **state)
{
    struct kd_family *family = kd_metrics_family(*state, &counter_spec);
    for (int i = 0; i < KD_MAX_SERIES + 100; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "s%d", i);
        kd_counter_add(kd_family_series(family, (const char *[]){ name }), 1);
    }
    const char *rest[] = { "exceeded_cardinality_limit" };
    struct kd_series *overflow = kd_family_series(family, rest);
    assert_true(kd_series_value(overflow) == 101);
    kd_family_drop(family, rest); /* shared by many: stays */
    assert_ptr_equal(overflow, kd_family_series(family, rest));
    char *text = page(*state);
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    assert_int_equal(lines, KD_MAX_SERIES + 2);
    kd_free(text);
}

static void null_does_nothing(void **state)
{
    (void)state;
    KD_AUTO_BUF struct kd_buf out;
    kd_buf_init(&out, 16);
    assert_null(kd_metrics_family(NULL, &counter_spec));
    assert_null(kd_family_series(NULL, NULL));
    kd_family_drop(NULL, NULL);
    kd_counter_add(NULL, 1);
    kd_gauge_set(NULL, 1);
    kd_gauge_add(NULL, 1);
    kd_histogram_observe(NULL, 1);
    assert_true(kd_series_value(NULL) == 0);
    kd_metrics_on_collect(NULL, NULL, NULL);
    kd_metrics_add_process(NULL, "1");
    assert_int_equal(kd_metrics_write(NULL, KD_METRICS_TEXT, &out), 0);
    assert_int_equal(out.len, 0);
    kd_metrics_free(NULL);
}

static void *update(void *arg)
{
    struct kd_metrics *metrics = arg;
    struct kd_family *counters = kd_metrics_family(metrics, &counter_spec);
    struct kd_family *histograms = kd_metrics_family(metrics, &histogram_spec);
    for (int i = 0; i < ROUNDS; i++) {
        const char *values[] = { i % 2 ? "odd" : "even" };
        kd_counter_add(kd_family_series(counters, values), 0.5);
        kd_histogram_observe(kd_family_series(histograms, values), i % 3);
    }
    return NULL;
}

static void threads_lose_no_update_while_pages_are_written(void **state)
{
    struct kd_metrics *metrics = *state;
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, update, metrics), 0);
    }
    for (int i = 0; i < 20; i++) {
        kd_free(page(metrics));
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    const char *odd[] = { "odd" };
    struct kd_series *counter = kd_family_series(kd_metrics_family(metrics, &counter_spec), odd);
    struct kd_series *seen = kd_family_series(kd_metrics_family(metrics, &histogram_spec), odd);
    assert_true(kd_series_value(counter) == THREADS * ROUNDS / 4.0);
    assert_true(kd_series_value(seen) == THREADS * ROUNDS / 2.0);
}

static void count_calls(void *arg)
{
    kd_gauge_add(plain_series(arg, KD_GAUGE, "calls"), 1);
}

static void collectors_run_at_each_scrape_and_may_make_families(void **state)
{
    kd_metrics_on_collect(*state, count_calls, *state);
    assert_page(*state, "# HELP calls Help.\n# TYPE calls gauge\ncalls 1\n");
    assert_page(*state, "# HELP calls Help.\n# TYPE calls gauge\ncalls 2\n");
}

static double sample(const char *text, const char *name)
{
    char line[128];
    (void)snprintf(line, sizeof(line), "\n%s ", name);
    const char *at = strstr(text, line);
    assert_non_null(at);
    return strtod(at + strlen(line), NULL);
}

static void the_process_families_tell_about_this_process(void **state)
{
    kd_metrics_add_process(*state, "1.2.3");
    char *before = page(*state);
    int fd = dup(0);
    char *after = page(*state);
    assert_non_null(strstr(before, "kindred_build_info{version=\"1.2.3\"} 1\n"));
    assert_true(sample(after, "process_open_fds") == sample(before, "process_open_fds") + 1);
    assert_true(sample(before, "process_max_fds") >= sample(after, "process_open_fds"));
    assert_true(sample(before, "process_resident_memory_bytes") > 100000);
    assert_true(sample(before, "process_virtual_memory_bytes") >
                sample(before, "process_resident_memory_bytes"));
    assert_true(sample(after, "process_cpu_seconds_total") >=
                sample(before, "process_cpu_seconds_total"));
    assert_true(sample(before, "process_start_time_seconds") > 1000000000);
    close(fd);
    kd_free(before);
    kd_free(after);
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
        TEST(the_same_names_and_values_are_the_same_series),
        TEST(a_counter_never_goes_down),
        TEST(a_gauge_goes_both_ways),
        TEST(a_dropped_series_is_gone_and_starts_again_at_zero),
        TEST(a_held_series_goes_with_its_last_holder),
        TEST(all_series_of_one_subject_go_at_once),
        TEST(past_the_bound_updates_go_to_one_series),
        TEST(threads_lose_no_update_while_pages_are_written),
        TEST(collectors_run_at_each_scrape_and_may_make_families),
        TEST(the_process_families_tell_about_this_process),
        cmocka_unit_test(null_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
