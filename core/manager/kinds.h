/*
 * The kinds that run, as a set that changes at run time: one informer per kind and scope, however
 * many instances use it, and one controller per instance and kind.
 *
 * Readers (HTTP threads, workers) look at a view: a snapshot that never changes while it is held.
 * What a change takes out of the set lives until the last view that shows it has been given back.
 *
 * A change goes in steps, all on the main thread: kd_plan_make compares what runs with what is
 * wanted and touches nothing; kd_plan_begin stops what goes; when kd_plan_is_quiet, kd_plan_commit
 * shows the new set; kd_kinds_start lets it run; kd_kinds_tidy frees what went.
 * docs/internals/life.md.
 */
#ifndef KD_MANAGER_KINDS_H
#define KD_MANAGER_KINDS_H

#include "controller/controller.h"
#include "manager/group.h"

#include <pthread.h>
#include <stdatomic.h>

/* One user of an informer. */
struct kd_running_member {
    const struct kd_instance_kind *kind;
    struct kd_controller *controller; /* NULL where reconcile = false */
    char *name;                       /* the controller's */
    bool started;                     /* it takes events; I/O thread */
    bool going;                       /* it is on its way out: never started again; I/O thread */
};

/* One informer with those who use it. */
struct kd_running_kind {
    const struct kd_instance_kind *owner; /* or the first observer */
    struct kd_informer *informer;
    struct kd_running_member *members;
    size_t n_members;
    char *name;           /* lower-case kind, unique: "pod" */
    bool started;         /* I/O thread */
    _Atomic bool written; /* its first list has been committed to the store */
};

/* A kind that ran until its entry was disabled; texts are its own. */
struct kd_disabled_kind {
    char *group, *version, *kind, *resource;
    char *entry; /* the entry's name */
    char *plugin_version;
    bool namespaced;
};

/* What runs at a time. */
struct kd_view {
    struct kd_running_kind *items;
    size_t n;
    struct kd_disabled_kind *disabled;
    size_t n_disabled;
    struct kd_plugins *plugins; /* those whose instances run, and the refused ones */
    size_t readers;             /* guarded by the lock of the kinds */
};

struct kd_marks;

struct kd_kinds_deps {
    struct kd_loop *loop;
    struct kd_client *client;
    struct kd_metrics *metrics;
    struct kd_pool *pool;
    struct kd_store *store;
    const struct kd_fence *fence; /* of what only a leader does; NULL: none */
    struct kd_marks *marks;       /* told before controllers begin; NULL: none */
    int64_t max_object_bytes;
};

struct kd_retiring;

struct kd_kinds {
    struct kd_kinds_deps deps;
    pthread_mutex_t lock; /* guards view and the readers of every view */
    struct kd_view *view;
    _Atomic bool leading;         /* controllers run; written on the I/O thread */
    struct kd_retiring *retiring; /* main thread */
    int turned;                   /* eventfd: leading has changed, for the main thread */
};

struct kd_plan;

/* An empty set. Borrows deps' members. */
void kd_kinds_init(struct kd_kinds *kinds, const struct kd_kinds_deps *deps);
/* After the pool has stopped, the I/O loop does not run any more. Accepts a zeroed one. */
void kd_kinds_free(struct kd_kinds *kinds);

/* Any thread: what runs now, until it is given back. */
const struct kd_view *kd_kinds_hold(struct kd_kinds *kinds);
void kd_kinds_drop(struct kd_kinds *kinds, const struct kd_view *view);

/*
 * Main thread. Makes the informers that are new, without starting them; on failure nothing is left
 * of it. Takes plugins over on success.
 */
int kd_plan_make(struct kd_kinds *kinds, struct kd_plugins *plugins, struct kd_plan **ret,
                 struct kd_error *reterr) KD_MUST_USE;
/* Has the new set show what ran until now and is disabled in the configuration. */
void kd_plan_note_disabled(struct kd_kinds *kinds, struct kd_plan *plan,
                           const struct kd_config *config);
/* Undoes kd_plan_make: everything goes on as before. Accepts NULL. */
void kd_plan_drop(struct kd_kinds *kinds, struct kd_plan *plan);
/* No more events and requests for what goes; queued keys of it are dropped. */
void kd_plan_begin(struct kd_kinds *kinds, struct kd_plan *plan);
/* Whether no worker is in what goes any more. */
bool kd_plan_is_quiet(const struct kd_plan *plan);
/* Makes the new controllers and shows the new set. Frees the plan. */
void kd_plan_commit(struct kd_kinds *kinds, struct kd_plan *plan);
/* Frees what went and is no longer used: fini of its instances. True while something is left. */
bool kd_kinds_tidy(struct kd_kinds *kinds);

/* I/O thread: starts what does not run yet; controllers only while leading. */
void kd_kinds_start(struct kd_kinds *kinds);
/* I/O thread: no more events, no more requests; caches stay readable. */
void kd_kinds_stop(struct kd_kinds *kinds);
/*
 * I/O thread: controllers of all kinds, now and later, begin a term, and no kind is written until
 * it has caught up; or they forget their work, while caches go on.
 */
void kd_kinds_lead(struct kd_kinds *kinds);
void kd_kinds_follow(struct kd_kinds *kinds);

/*
 * Marks kinds whose first list has been reconciled as written, after a flush of the store; waits
 * for that flush. True while some kind is still to come and this process leads. Main thread.
 */
bool kd_kinds_note_written(struct kd_kinds *kinds, struct kd_store *store);

#endif
