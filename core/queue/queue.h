/*
 * The workqueue of one controller: keys, never objects. A key is in the queue at most once, and
 * with at most one worker; an add while it is being processed makes it come again afterwards.
 * Order: higher priority first, then arrival; a fair
 * queue lets the namespaces of one priority take turns. A delayed add keeps the earliest time and
 * leaves when the key is added at once. Failures are counted per key for exponential back-off and
 * forgotten at success and at deletion. Memory grows with the number of keys that are queued,
 * delayed, in work or failing, never with the number of adds.
 *
 * Any thread. Nothing blocks: the worker pool is told by `wake`, outside of the queue's lock,
 * whenever kd_queue_next_ns has become sooner. It is not told again while something is ready: who
 * takes a key looks whether there is more. kd_queue_get never calls wake.
 */
#ifndef KD_QUEUE_QUEUE_H
#define KD_QUEUE_QUEUE_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"

#include <stdbool.h>

struct kd_queue;
struct kd_metrics;

#define KD_PRIORITY_LOW (-100) /* initial lists and resyncs */
#define KD_PRIORITY_NORMAL 0

/* Why a key is in the queue: bits, merged while it waits. */
#define KD_WHY_ADDED 1u
#define KD_WHY_CHANGED 2u
#define KD_WHY_DELETED 4u
#define KD_WHY_RELATED 8u
#define KD_WHY_RESYNC 16u
#define KD_WHY_RETRY 32u
#define KD_WHY_REQUEUE 64u
#define KD_WHY_SWEEP 128u
#define KD_WHY_FIRST 256u /* part of the first list or sweep; see kd_controller_status.synced */

struct kd_queue_settings {
    const char *name; /* metric label, unique among living queues; copied */
    int64_t backoff_base_ns;
    int64_t backoff_max_ns;
    double retry_qps;    /* of all rate-limited adds together; 0: no limit */
    int64_t retry_burst; /* of them at once */
    int64_t debounce_ns; /* above zero: a new key waits so long for more */
    bool fair;           /* namespaces take turns within a priority */
};

struct kd_queue *kd_queue_new(const struct kd_queue_settings *settings,
                              const struct kd_clock *clock, struct kd_metrics *metrics,
                              void (*wake)(void *arg), void *wake_arg);
/* Nothing may be in work. Accepts NULL. */
void kd_queue_free(struct kd_queue *queue);

/*
 * Bytes of the key are copied. changed: KD_CHANGED_* bits, merged. Ignored after shutdown. Returns
 * the why bits with which the key was waiting already; 0 when it was not.
 */
uint32_t kd_queue_add(struct kd_queue *queue, struct kd_key key, int32_t priority, uint32_t why,
                      uint32_t changed);
/* After a delay; zero or less is now. A key in work keeps its priority. */
void kd_queue_add_after(struct kd_queue *queue, struct kd_key key, int64_t delay_ns, uint32_t why);
/* After the key's back-off: base * 2^failures, capped, or when the shared bucket of retries lets it
 * go, whichever is later; counts one more failure. A key in work keeps
 * its priority and what had changed. */
void kd_queue_add_rate_limited(struct kd_queue *queue, struct kd_key key);
/* Forgets the key's failures. */
void kd_queue_forget(struct kd_queue *queue, struct kd_key key);

/* A key in work; owned by the queue, valid until kd_queue_done. */
struct kd_queue_item {
    struct kd_key key;
    int32_t priority;
    uint32_t why;
    uint32_t changed;
    uint32_t failures;
};

/* Forgets the failures of a key in work; cheap when there are none. */
void kd_queue_forget_item(struct kd_queue *queue, const struct kd_queue_item *item);
/* The next ready key, or NULL. */
const struct kd_queue_item *kd_queue_get(struct kd_queue *queue);
/* Ends the work on it; a key added meanwhile is ready again. An unknown item is ignored. */
void kd_queue_done(struct kd_queue *queue, const struct kd_queue_item *item);
/* Monotonic time at which get may find something: 0 now, KD_NEVER_NS not by itself. No lock. */
int64_t kd_queue_next_ns(const struct kd_queue *queue);

/* Forgets every key that is not in work, and all failures. Returns how many of the runs that were
 * still to come had one of these why bits. */
uint64_t kd_queue_clear(struct kd_queue *queue, uint32_t why);
/* No more adds. drain: what is ready is still handed out; else it is dropped. Delayed keys go. */
void kd_queue_shutdown(struct kd_queue *queue, bool drain);

/*
 * Every key that is ready, delayed or in work, copied to the arena: what was added and is not done.
 * KD_ETOOBIG when there are more than max, KD_ENOMEM past the arena.
 */
int kd_queue_keys(struct kd_queue *queue, size_t max, struct kd_arena *arena, struct kd_key **ret,
                  size_t *ret_n) KD_MUST_USE;

struct kd_queue_stats {
    uint64_t depth;   /* ready */
    uint64_t delayed; /* waiting for their time */
    uint64_t working;
    int64_t oldest_work_ns; /* monotonic start of the longest-running one, 0 for none */
};

void kd_queue_get_stats(struct kd_queue *queue, struct kd_queue_stats *ret);

#endif
