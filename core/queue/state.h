/* The queue itself, and its metrics. */
#ifndef KD_QUEUE_STATE_H
#define KD_QUEUE_STATE_H

#include "queue/item.h"

struct kd_series;

/* Depth is kept apart for so many priorities; those beyond share one series. */
#define KD_QUEUE_PRIORITY_SERIES 25

struct kd_queue_depth {
    int32_t priority;
    struct kd_series *series;
};

/* Made with the queue; series are updated without a lock. */
struct kd_queue_meter {
    struct kd_metrics *metrics;
    struct kd_series *adds, *retries, *wait_seconds, *work_seconds, *unfinished, *longest;
    struct kd_queue_depth depths[KD_QUEUE_PRIORITY_SERIES]; /* guarded by the list of queues */
    size_t n_depths;
    struct kd_series *other_depth;
    struct kd_queue *prev, *next; /* in the list of queues that a scrape asks */
};

struct kd_queue {
    uint32_t magic;
    char *name;
    const struct kd_clock *clock;
    int64_t backoff_base_ns, backoff_max_ns, debounce_ns;
    void (*wake)(void *arg);
    void *wake_arg;
    struct kd_queue_meter meter;
    /* 0, or the earliest due time; written under the lock, read without it. */
    _Atomic int64_t next_ns;
    pthread_mutex_t lock; /* guards all below */
    struct kd_hmap entries;
    struct kd_queue_ready ready;
    struct kd_queue_heap delayed;
    struct kd_queue_list working; /* by start, the longest-running first */
    uint64_t n_working;
    int64_t work_sum_ns; /* of the starts of what is in work */
    /* The bucket of retries: when it will be full again, what one retry takes, and its depth. */
    int64_t retries_full_ns, retry_ns, retry_room_ns;
    bool shut; /* nothing is added any more */
};

/* Makes the series and enters the queue into what a scrape asks; and takes both back. */
void kd_queue_meter_start(struct kd_queue *queue);
void kd_queue_meter_stop(struct kd_queue *queue);

static inline double kd_queue_seconds(int64_t ns)
{
    return ns > 0 ? (double)ns / 1e9 : 0; /* threads read the clock in any order */
}

#endif
