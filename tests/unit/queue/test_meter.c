/* workqueue_* metrics as a scrape sees them. */
#include "base/buf.h"
#include "metrics/metrics.h"
#include "unit/queue/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_MAX (1024 * 1024)
#define QUEUE_LABELS "name=\"pod\",controller=\"pod\""

/* Value of the line that begins with this series, -1 when there is none. */
static double scrape(struct kd_metrics *metrics, const char *series)
{
    struct kd_buf page;
    kd_buf_init(&page, PAGE_MAX);
    assert_int_equal(kd_metrics_write(metrics, KD_METRICS_TEXT, &page), 0);
    double value = -1;
    size_t len = strlen(series);
    for (char *line = page.ptr; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, series, len) == 0 && line[len] == ' ') {
            value = strtod(line + len, NULL);
        }
    }
    kd_buf_release(&page);
    return value;
}

static double depth(struct kd_metrics *metrics, const char *priority)
{
    char series[128];
    (void)snprintf(series, sizeof(series), "workqueue_depth{" QUEUE_LABELS ",priority=\"%s\"}",
                   priority);
    return scrape(metrics, series);
}

#define VALUE(metrics, name) scrape((metrics), "workqueue_" name "{" QUEUE_LABELS "}")

static void test_B37_depth(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_metrics *metrics = kd_metrics_new();
    struct kd_queue *queue = queue_on(&fake, metrics);
    assert_true(depth(metrics, "0") == 0 && depth(metrics, "-100") == 0);
    (void)kd_queue_add(queue, key_of("", "a"), KD_PRIORITY_NORMAL, KD_WHY_ADDED, 0);
    (void)kd_queue_add(queue, key_of("", "a"), KD_PRIORITY_NORMAL, KD_WHY_ADDED, 0);
    (void)kd_queue_add(queue, key_of("", "b"), KD_PRIORITY_LOW, KD_WHY_ADDED, 0);
    kd_queue_add_after(queue, key_of("", "c"), KD_SEC_NS, KD_WHY_REQUEUE);
    assert_true(depth(metrics, "0") == 1 && depth(metrics, "-100") == 1);
    assert_true(VALUE(metrics, "adds_total") == 2);
    assert_true(VALUE(metrics, "retries_total") == 1);

    const struct kd_queue_item *item = get_named(queue, "a");
    kd_queue_add_rate_limited(queue, item->key); /* waits: no part of the depth */
    kd_queue_done(queue, item);
    kd_queue_done(queue, get_named(queue, "b"));
    assert_true(depth(metrics, "0") == 0 && depth(metrics, "-100") == 0);
    assert_true(VALUE(metrics, "retries_total") == 2);

    fake.now_ns += 2 * KD_SEC_NS;
    kd_queue_done(queue, get_named(queue, "a"));
    kd_queue_done(queue, get_named(queue, "c"));
    assert_true(VALUE(metrics, "adds_total") == 4);
    assert_true(depth(metrics, "0") == 0);
    kd_queue_free(queue);
    kd_metrics_free(metrics);
}

static void test_many_priorities(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_metrics *metrics = kd_metrics_new();
    struct kd_queue *queue = queue_on(&fake, metrics);
    char name[2] = "a";
    for (int32_t i = 0; i < 24; i++) {
        name[0] = (char)('a' + i);
        (void)kd_queue_add(queue, key_of("", name), 1 + i, KD_WHY_ADDED, 0);
    }
    assert_true(depth(metrics, "24") == 1);
    assert_true(depth(metrics, "1") == -1);
    assert_true(depth(metrics, "exceeded_cardinality_limit") == 1);
    kd_queue_free(queue);
    kd_metrics_free(metrics);
}

static void test_work_under_way(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_metrics *metrics = kd_metrics_new();
    struct kd_queue *queue = queue_on(&fake, metrics);
    (void)kd_queue_add(queue, key_of("", "a"), 0, KD_WHY_ADDED, 0);
    (void)kd_queue_add(queue, key_of("", "b"), 0, KD_WHY_ADDED, 0);
    fake.now_ns += KD_SEC_NS;
    const struct kd_queue_item *a = get_named(queue, "a");
    fake.now_ns += 2 * KD_SEC_NS;
    const struct kd_queue_item *b = get_named(queue, "b");
    fake.now_ns += KD_SEC_NS;
    assert_true(VALUE(metrics, "unfinished_work_seconds") == 4);
    assert_true(VALUE(metrics, "longest_running_processor_seconds") == 3);
    assert_true(VALUE(metrics, "queue_duration_seconds_count") == 2);
    assert_true(VALUE(metrics, "queue_duration_seconds_sum") == 4);
    kd_queue_done(queue, a);
    assert_true(VALUE(metrics, "longest_running_processor_seconds") == 1);
    kd_queue_done(queue, b);
    assert_true(VALUE(metrics, "unfinished_work_seconds") == 0);
    assert_true(VALUE(metrics, "work_duration_seconds_sum") == 4);
    assert_true(scrape(metrics, "workqueue_work_duration_seconds_bucket{" QUEUE_LABELS
                                ",le=\"1000\"}") == 2);
    kd_queue_free(queue);
    kd_metrics_free(metrics);
}

/* A queue that goes takes its series along, and a scrape no longer asks it. */
static void test_queue_goes(void **state)
{
    (void)state;
    struct fake_clock fake;
    struct kd_metrics *metrics = kd_metrics_new();
    kd_queue_free(queue_on(&fake, metrics));
    assert_true(depth(metrics, "0") == -1);
    assert_true(VALUE(metrics, "adds_total") == -1);
    struct kd_queue *queue = queue_on(&fake, metrics);
    assert_true(VALUE(metrics, "adds_total") == 0);
    kd_queue_free(queue);
    kd_metrics_free(metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B37_depth),
        cmocka_unit_test(test_many_priorities),
        cmocka_unit_test(test_work_under_way),
        cmocka_unit_test(test_queue_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
