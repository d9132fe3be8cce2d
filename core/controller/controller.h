/*
 * Controllers and the worker pool. A controller joins one kind of one plugin instance with an
 * informer, a queue and the store: informer event -> filter -> queue -> worker -> get; missing:
 * remove from the store; else decode, convert, relate (and owner references), put.
 *
 * A controller works in terms, each from a start to a drop: as long as this process leads. A term
 * begins with catching up: what the graph lacks of the cache, or holds of another version, is
 * queued, and what it holds beyond the cache is swept.
 *
 * Threads: kd_controller_new, _start, _stop, _drop and _free on the I/O thread (or before it runs);
 * workers call the plugin. `workers` is a limit per controller, not a number of threads.
 */
#ifndef KD_CONTROLLER_CONTROLLER_H
#define KD_CONTROLLER_CONTROLLER_H

#include "controller/breaker.h"
#include "informer/informer.h"
#include "plugin/plugins.h"
#include "queue/queue.h"
#include "store/store.h"

struct kd_pool;
struct kd_controller;

/* Threads grow on demand to min(sum of limits, max(4, 2 x cores)), beyond that only by as many as
 * overrun their deadline, at most 32. */
struct kd_pool *kd_pool_new(const struct kd_clock *clock, struct kd_metrics *metrics);
/* Stops adds, lets ready keys finish until the deadline (monotonic), joins. false: time ran out
 * with work left (workers that hang are left behind: what they may still touch, plugins, informers
 * and the store, must then live until the process ends). Controllers are still there. */
bool kd_pool_stop(struct kd_pool *pool, int64_t deadline_ns);
/* After its controllers. */
void kd_pool_free(struct kd_pool *pool);

/* Scope of a kind by group and kind, for owner references: from what is loaded or discovered. */
struct kd_scopes {
    void *arg;
    /* 1 cluster-scoped, 0 namespaced, -1 unknown. Any thread. */
    int (*is_cluster)(void *arg, struct kd_str group, struct kd_str kind);
};

struct kd_controller_spec {
    const char *name; /* unique metric label: kind in lower case, with the instance where needed */
    const struct kd_instance_kind *kind;
    struct kd_informer *informer; /* borrowed */
    struct kd_store *store;       /* borrowed */
    const struct kd_kind_tuning *tuning;
    struct kd_scopes scopes;
    const struct kd_fence *fence; /* borrowed: no reconcile begins while it is shut; NULL: none */
    /*
     * Says how objects become what the graph holds: plugin, settings, mode. What was done under
     * another one is done anew. 0: never trust what an earlier process did.
     */
    int64_t fingerprint;
};

struct kd_controller *kd_controller_new(struct kd_pool *pool, const struct kd_controller_spec *spec,
                                        const struct kd_clock *clock, struct kd_metrics *metrics);
/* Begins a term: subscribes to the informer. It must not be started already. */
void kd_controller_start(struct kd_controller *controller);
/* Unsubscribes and stops taking events; queued keys stay with the pool. */
void kd_controller_stop(struct kd_controller *controller);
/*
 * For one that goes while the others stay: as kd_controller_stop, and what waits in its queue is
 * dropped; only what a worker has in hand goes on, and nothing comes after it. I/O thread.
 */
void kd_controller_retire(struct kd_controller *controller);
/* Whether no worker is in it; it stays so once it has been retired. Any thread. */
bool kd_controller_is_quiet(struct kd_controller *controller);
/* Ends the term: stops, and forgets what is queued. Runs under way come to their end by
 * themselves, and their keys stay theirs until then. Idempotent. */
void kd_controller_drop(struct kd_controller *controller);
/* Everything of the first list is committed to the store: the next term, or the next process, may
 * trust it. Any thread that may wait. */
void kd_controller_note_written(struct kd_controller *controller);
/* After the pool has stopped or it has been retired; waits until it is quiet. */
void kd_controller_free(struct kd_controller *controller);

struct kd_controller_status {
    struct kd_queue_stats queue;
    bool synced; /* every key of the first list has been reconciled once and handed to the store */
    uint64_t stored; /* resources of the kind in the graph, for an owner */
    uint64_t errors; /* reconciles that failed */
    char last_error[512];
    enum kd_breaker_state breaker;
    uint64_t breaker_failures; /* in a row */
    int64_t breaker_wait_ns;   /* until one is tried again, while it is open */
};

void kd_controller_get_status(struct kd_controller *controller, struct kd_controller_status *ret);

/* Keys that are queued, delayed or in work: kd_queue_keys. Any thread. */
int kd_controller_pending(struct kd_controller *controller, size_t max, struct kd_arena *arena,
                          struct kd_key **ret, size_t *ret_n) KD_MUST_USE;

#define KD_WHY_TEXT_MAX 192

/* One reconcile that has ended. */
struct kd_trace_row {
    struct kd_key key;
    uint64_t id;        /* as in the log's reconcileID */
    int64_t started_ns; /* wall clock */
    int64_t took_ns;
    uint32_t why;       /* KD_WHY_* */
    uint32_t changed;   /* KD_CHANGED_* */
    uint32_t failures;  /* of the key before it */
    const char *result; /* "success", "error", ... static */
    int64_t requeue_ns; /* asked for by the plugin; 0: not */
    struct kd_str error;
};

/* The last ones of a key, as far as they are kept, the newest first. Any thread. KD_ENOMEM past the
 * arena. */
int kd_controller_trace(struct kd_controller *controller, struct kd_key key, struct kd_arena *arena,
                        struct kd_trace_row **ret, size_t *ret_n) KD_MUST_USE;
/* "changed: spec, labels; retry" and so on. Returns out. */
char *kd_why_text(uint32_t why, uint32_t changed, char out[KD_WHY_TEXT_MAX]);

/*
 * How long nothing has begun or ended while keys were ready; 0: all goes on. Names what the workers
 * are in, for people.
 */
int64_t kd_pool_stalled_ns(struct kd_pool *pool, char *ret_text, size_t size);

#endif
