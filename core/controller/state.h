/* A controller and the pool that it belongs to, as the parts of this stage see them. */
#ifndef KD_CONTROLLER_STATE_H
#define KD_CONTROLLER_STATE_H

#include "controller/controller.h"
#include "controller/meter.h"
#include "controller/relation_set.h"
#include "controller/tombstones.h"
#include "controller/trace.h"

#include <pthread.h>
#include <stdatomic.h>

#define KD_CONTROLLER_MAGIC 0x4b44434fu
#define KD_KEY_TEXT_MAX 384 /* "namespace/name" in a log line, cut to fit */

/* What a worker does: a key, or all keys. */
enum kd_task_kind { KD_TASK_KEY, KD_TASK_SWEEP, KD_TASK_RESYNC };

/*
 * Where an idle worker sleeps. Seats live as long as the pool, so that one may be told after the
 * lock is given up: told under it, the worker would often wake only to wait for the lock.
 */
struct kd_seat {
    struct kd_seat *next; /* in the stack of those in use, or of those that are free */
    pthread_cond_t cond;
    bool told;
};

/* What a worker keeps between runs. */
struct kd_run_scratch {
    struct kd_arena arena;
    struct kd_relation_set relations;
};

struct kd_worker {
    struct kd_worker *next;
    struct kd_pool *pool;
    pthread_t thread;
    struct kd_run_scratch scratch; /* the thread's own */
    /* guarded by the pool's lock */
    struct kd_controller *controller; /* whose task it runs, or NULL */
    int64_t deadline_ns;
    bool overrun; /* past its deadline, and the pool may have one more thread for it */
    bool retired; /* the thread ends without touching anything more */
    char key[KD_KEY_TEXT_MAX];
};

enum kd_pool_state { KD_POOL_RUNNING, KD_POOL_DRAINING, KD_POOL_STOPPED };

/* Lock order: the pool's, then a queue's. A queue calls wake without its own. */
struct kd_pool {
    uint32_t magic;
    const struct kd_clock *clock;
    size_t max_threads; /* without those for overruns */
    pthread_t timekeeper;
    pthread_mutex_t lock; /* guards all below, and what controllers and workers say it guards */
    pthread_cond_t timer; /* the timekeeper */
    pthread_cond_t quiet; /* who waits for work to end */
    enum kd_pool_state state;
    bool timekeeper_ends;
    struct kd_controller **controllers;
    size_t n_controllers;
    size_t cursor; /* the controller to be asked first, in turn */
    size_t sum_of_limits;
    struct kd_worker *workers;
    size_t n_threads;
    struct kd_seat *idle;       /* the last to sit down first: its memory is the warmest */
    struct kd_seat *free_seats; /* nobody sits there */
    struct kd_seat *told;       /* to be woken when the lock is given up */
    size_t n_overrun;
    size_t n_abandoned;
    int64_t timer_ns;             /* when the timekeeper wakes by itself */
    int64_t moved_ns;             /* when a task began or ended, or an idle worker was told */
    atomic_uint_fast64_t next_id; /* of a reconcile */
};

/* The error that the kind shows: that of the last key that failed, until that key goes well. */
struct kd_failure {
    pthread_mutex_t lock; /* guards key, text */
    atomic_bool is_set;
    char key[KD_KEY_TEXT_MAX];
    char text[KD_ERROR_TEXT];
};

struct kd_controller {
    uint32_t magic;
    struct kd_pool *pool;
    char *name;
    const struct kd_instance_kind *kind;
    struct kd_informer *informer;
    struct kd_store *store;
    struct kd_scopes scopes;
    const struct kd_fence *fence;
    const struct kd_clock *clock;
    size_t limit;
    int64_t timeout_ns; /* KD_NEVER_NS: none */
    int64_t resync_ns;  /* 0: none */
    struct kd_queue *queue;
    struct kd_subscription *subscription; /* I/O thread */
    struct kd_controller_meter meter;
    struct kd_tombstones tombstones;
    struct kd_failure failure;
    atomic_uint_fast64_t errors;
    atomic_bool told_requeue; /* that a requeue time is too short */
    struct kd_trace trace;
    /* guarded by the pool's lock */
    size_t active;    /* reconciles under way */
    size_t busy;      /* and sweeps */
    int64_t sweep_ns; /* when to sweep next, KD_NEVER_NS: not */
    bool sweeping;    /* or resyncing */
    bool retired;     /* nothing begins any more */
    int64_t next_resync_ns;
    struct kd_breaker breaker;
    /* The term's first sync: keys of the first list and sweep that have not been reconciled yet. */
    atomic_int_fast64_t outstanding;
    pthread_mutex_t sync_lock; /* guards changes of the three */
    atomic_bool listed, swept, synced;
    /* The term. Written on the I/O thread. */
    atomic_uint_fast64_t term; /* 0: none has begun */
    atomic_bool leads;         /* between start and drop */
    atomic_bool compares;      /* the first list is compared with the graph, see catchup.c */
    /* What the store says of earlier work, see mark.c. */
    char *mark;
    int64_t fingerprint;
    pthread_mutex_t mark_lock; /* guards mark_is_old */
    bool mark_is_old;          /* the store holds another one, which is no longer true */
    atomic_bool marked;        /* the store holds the fingerprint */
};

static inline bool kd_controller_is_owner(const struct kd_controller *controller)
{
    return (controller->kind->def.flags & KD_KIND_OBSERVER) == 0;
}

/* pool.c */
void kd_pool_attach(struct kd_pool *pool, struct kd_controller *controller);
/* Shuts its queue and lets no sweep begin. */
void kd_pool_retire(struct kd_pool *pool, struct kd_controller *controller);
bool kd_pool_is_quiet(struct kd_pool *pool, const struct kd_controller *controller);
/* Waits until nothing of it is under way. False: a worker hangs in it for good. */
bool kd_pool_detach(struct kd_pool *pool, struct kd_controller *controller);
/* The queue's wake. */
void kd_pool_wake(void *controller);
void kd_pool_sweep_at(struct kd_controller *controller, int64_t at_ns);
/* Tells an idle worker, or makes one, that there is something to do: wakes it at the unlock. */
void kd_pool_offer_locked(struct kd_pool *pool);
void kd_pool_unlock(struct kd_pool *pool);
size_t kd_pool_target_locked(const struct kd_pool *pool);
/* Has the timekeeper awake at that time, at the latest. */
void kd_pool_time_locked(struct kd_pool *pool, int64_t at_ns);
/* Waits on a condition until the pool's clock shows the time. */
void kd_pool_wait_locked(struct kd_pool *pool, pthread_cond_t *cond, int64_t until_ns);

void kd_worker_spawn_locked(struct kd_pool *pool);
void *kd_timekeeper_main(void *pool);

/* seat.c */
/* Sleeps until told. Not once the pool has stopped. */
void kd_seat_rest_locked(struct kd_pool *pool);
/* Has the last idle worker woken. False: there is none. */
bool kd_seat_tell_locked(struct kd_pool *pool);
void kd_seat_tell_all_locked(struct kd_pool *pool);
/* Before the lock is given up in a wait. */
void kd_seat_wake_locked(struct kd_pool *pool);
void kd_seats_free(struct kd_pool *pool);

/* process.c: one key from the queue, to its end. Worker. */
enum kd_verdict kd_controller_process(struct kd_controller *controller,
                                      const struct kd_queue_item *item,
                                      struct kd_run_scratch *scratch);

/* events.c: from the informer, on the I/O thread. */
void kd_controller_fill_sink(struct kd_controller *controller, struct kd_informer_sink *ret);

/* mark.c: whether what the graph holds was made the way it would be made now. */
void kd_controller_mark_init(struct kd_controller *controller, int64_t fingerprint);
void kd_controller_mark_release(struct kd_controller *controller);
/* Before each run. False: none may begin, the fence is shut. */
bool kd_controller_may_run(struct kd_controller *controller);

/* catchup.c: what the graph holds, by hash of key, uid and version; empty when zeroed. */
struct kd_catchup {
    struct kd_print *prints;
    size_t n, cap;
};

int kd_catchup_add(struct kd_catchup *catchup, const struct kd_ref *ref,
                   struct kd_str version) KD_MUST_USE;
/* Queues every cached object that is not among them. */
void kd_catchup_queue(struct kd_catchup *catchup, struct kd_controller *controller);
void kd_catchup_release(struct kd_catchup *catchup);

/* sweep.c: queues what is stored and no longer in the cache. Worker. */
void kd_controller_sweep(struct kd_controller *controller);
/* Whether this one answers for what the graph holds of the kind. */
bool kd_controller_sweeps(const struct kd_controller *controller);

/* resync.c: all cached objects once more. Worker. */
void kd_controller_resync(struct kd_controller *controller);
/* When to do it next; KD_NEVER_NS: never. */
int64_t kd_controller_resync_time(const struct kd_controller *controller, int64_t now_ns);

/* When a key may be taken from its queue: KD_NEVER_NS not by itself. */
int64_t kd_controller_due_ns_locked(const struct kd_controller *controller);

/* sync.c: when the first list and sweep have been reconciled. */
void kd_controller_sync_begin(struct kd_controller *controller);
/* Queues a key; one of the first list or sweep is counted. */
void kd_controller_queue(struct kd_controller *controller, struct kd_key key, int32_t priority,
                         uint32_t why, uint32_t changed);
/* A run with these why bits has ended. */
void kd_controller_ran(struct kd_controller *controller, uint32_t why);
/* The first list, or the first sweep of that term, is in the queue. */
void kd_controller_has_listed(struct kd_controller *controller);
void kd_controller_has_swept(struct kd_controller *controller, uint64_t term);

/* "namespace/name", or "name". Returns out. */
char *kd_key_text(struct kd_key key, char out[KD_KEY_TEXT_MAX]);

#endif
