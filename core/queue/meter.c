/*
 * workqueue_* metrics. Counters and histograms are updated as things happen; gauges are set when a
 * scrape comes. The registry calls its collectors for as long as it lives, but queues come and go:
 * so one collector for a registry asks the queues that are in a list here.
 */
#include "base/alloc.h"
#include "base/macros.h"
#include "metrics/metrics.h"
#include "queue/state.h"

#include <inttypes.h>
#include <stdio.h>

#define OTHER_PRIORITIES "exceeded_cardinality_limit"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER; /* guards all_queues, links, depths */
static struct kd_queue *all_queues;

static const double duration_buckets[] = { 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3,
                                           1e-2, 0.1,  1,    10,   100,  1000 };
static const char *const queue_labels[] = { "name", "controller", "priority" };

#define FAMILY(type_, name_, help_)                                                                \
    {                                                                                              \
        .type = (type_), .name = "workqueue_" name_, .help = (help_), .labels = queue_labels,      \
        .n_labels = 2                                                                              \
    }
#define HISTOGRAM_FAMILY(name_, help_)                                                             \
    {                                                                                              \
        .type = KD_HISTOGRAM, .name = "workqueue_" name_, .help = (help_), .labels = queue_labels, \
        .n_labels = 2, .buckets = duration_buckets, .n_buckets = KD_ARRAY_LEN(duration_buckets)    \
    }

static const struct kd_family_spec depth_family = {
    .type = KD_GAUGE,
    .name = "workqueue_depth",
    .help = "Keys that are ready to be worked on, by priority",
    .labels = queue_labels,
    .n_labels = 3,
};

static const struct {
    struct kd_family_spec spec;
    size_t offset; /* of the series in the meter */
} families[] = {
    { FAMILY(KD_COUNTER, "adds_total", "Keys that became ready"),
      offsetof(struct kd_queue_meter, adds) },
    { FAMILY(KD_COUNTER, "retries_total", "Adds with a delay"),
      offsetof(struct kd_queue_meter, retries) },
    { HISTOGRAM_FAMILY("queue_duration_seconds", "Time from ready to the start of the work"),
      offsetof(struct kd_queue_meter, wait_seconds) },
    { HISTOGRAM_FAMILY("work_duration_seconds", "Time that the work on a key took"),
      offsetof(struct kd_queue_meter, work_seconds) },
    { FAMILY(KD_GAUGE, "unfinished_work_seconds", "Sum of the ages of all work under way"),
      offsetof(struct kd_queue_meter, unfinished) },
    { FAMILY(KD_GAUGE, "longest_running_processor_seconds", "Age of the oldest work under way"),
      offsetof(struct kd_queue_meter, longest) },
};

static struct kd_series **series_slot(struct kd_queue_meter *meter, size_t i)
{
    return (struct kd_series **)(void *)((char *)meter + families[i].offset);
}

static struct kd_series *depth_series(const struct kd_queue *queue, const char *priority)
{
    struct kd_family *family = kd_metrics_family(queue->meter.metrics, &depth_family);
    return kd_family_hold(family, (const char *const[]){ queue->name, queue->name, priority });
}

/* The place of a priority's depth, made on first sight; NULL when there are too many. */
static struct kd_queue_depth *find_depth(struct kd_queue *queue, int32_t priority)
{
    struct kd_queue_meter *meter = &queue->meter;
    size_t i = 0;
    while (i < meter->n_depths && meter->depths[i].priority != priority) {
        i++;
    }
    if (i == KD_QUEUE_PRIORITY_SERIES) {
        return NULL;
    }
    if (i == meter->n_depths) {
        char text[16];
        (void)snprintf(text, sizeof(text), "%" PRId32, priority); /* 11 characters at most */
        meter->depths[i].priority = priority;
        meter->depths[i].series = depth_series(queue, text);
        meter->n_depths++;
    }
    return &meter->depths[i];
}

static void set_depths(struct kd_queue *queue, const struct kd_queue_level *levels, size_t n)
{
    struct kd_queue_meter *meter = &queue->meter;
    uint64_t counts[KD_QUEUE_PRIORITY_SERIES] = { 0 };
    uint64_t others = 0;
    for (size_t i = 0; i < n; i++) {
        struct kd_queue_depth *depth = find_depth(queue, levels[i].priority);
        if (depth) {
            counts[depth - meter->depths] = levels[i].n;
        } else {
            others += levels[i].n;
        }
    }
    for (size_t i = 0; i < meter->n_depths; i++) {
        kd_gauge_set(meter->depths[i].series, (double)counts[i]);
    }
    if (others && !meter->other_depth) {
        meter->other_depth = depth_series(queue, OTHER_PRIORITIES);
    }
    kd_gauge_set(meter->other_depth, (double)others);
}

static void collect_queue(struct kd_queue *queue)
{
    int64_t now_ns = kd_now_ns(queue->clock);
    pthread_mutex_lock(&queue->lock);
    size_t n_levels = queue->ready.n_levels;
    struct kd_queue_level *levels = kd_zalloc_array(n_levels + 1, sizeof(*levels));
    for (size_t i = 0; i < n_levels; i++) {
        levels[i] = queue->ready.levels[i];
    }
    const struct kd_queue_entry *oldest = queue->working.head;
    int64_t longest_ns = oldest ? now_ns - oldest->work_ns : 0;
    int64_t sum_ns = (int64_t)queue->n_working * now_ns - queue->work_sum_ns;
    pthread_mutex_unlock(&queue->lock);
    set_depths(queue, levels, n_levels);
    kd_free(levels);
    kd_gauge_set(queue->meter.unfinished, kd_queue_seconds(sum_ns));
    kd_gauge_set(queue->meter.longest, kd_queue_seconds(longest_ns));
}

static void collect(void *metrics)
{
    pthread_mutex_lock(&list_lock);
    for (struct kd_queue *queue = all_queues; queue; queue = queue->meter.next) {
        if (queue->meter.metrics == metrics) {
            collect_queue(queue);
        }
    }
    pthread_mutex_unlock(&list_lock);
}

static void enter_list(struct kd_queue *queue)
{
    bool first = true;
    pthread_mutex_lock(&list_lock);
    for (struct kd_queue *other = all_queues; other; other = other->meter.next) {
        first = first && other->meter.metrics != queue->meter.metrics;
    }
    queue->meter.next = all_queues;
    if (all_queues) {
        all_queues->meter.prev = queue;
    }
    all_queues = queue;
    (void)find_depth(queue, KD_PRIORITY_NORMAL); /* these two are shown from the start */
    (void)find_depth(queue, KD_PRIORITY_LOW);
    pthread_mutex_unlock(&list_lock);
    if (first) {
        kd_metrics_on_collect(queue->meter.metrics, collect, queue->meter.metrics);
    }
}

void kd_queue_meter_start(struct kd_queue *queue)
{
    if (!queue->meter.metrics) {
        return;
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(families); i++) {
        struct kd_family *family = kd_metrics_family(queue->meter.metrics, &families[i].spec);
        *series_slot(&queue->meter, i) =
            kd_family_hold(family, (const char *const[]){ queue->name, queue->name });
    }
    enter_list(queue);
}

static void drop_depth(const struct kd_queue *queue, const char *priority)
{
    struct kd_family *family = kd_metrics_family(queue->meter.metrics, &depth_family);
    kd_family_drop(family, (const char *const[]){ queue->name, queue->name, priority });
}

static void leave_list(struct kd_queue *queue)
{
    pthread_mutex_lock(&list_lock);
    if (queue->meter.prev) {
        queue->meter.prev->meter.next = queue->meter.next;
    } else {
        all_queues = queue->meter.next;
    }
    if (queue->meter.next) {
        queue->meter.next->meter.prev = queue->meter.prev;
    }
    pthread_mutex_unlock(&list_lock);
}

void kd_queue_meter_stop(struct kd_queue *queue)
{
    if (!queue->meter.metrics) {
        return;
    }
    leave_list(queue);
    for (size_t i = 0; i < KD_ARRAY_LEN(families); i++) {
        struct kd_family *family = kd_metrics_family(queue->meter.metrics, &families[i].spec);
        kd_family_drop(family, (const char *const[]){ queue->name, queue->name });
    }
    for (size_t i = 0; i < queue->meter.n_depths; i++) {
        char text[16];
        (void)snprintf(text, sizeof(text), "%" PRId32, queue->meter.depths[i].priority);
        drop_depth(queue, text);
    }
    if (queue->meter.other_depth) {
        drop_depth(queue, OTHER_PRIORITIES);
    }
}
