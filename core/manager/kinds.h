/*
 * The running kinds: one informer per kind and scope, however many instances use it, and one
 * controller per instance and kind.
 *
 * Threads: made and stopped with the I/O loop (kd_kinds_start and _stop run on its thread); the
 * array is immutable between, so that any thread may read rows.
 */
#ifndef KD_MANAGER_KINDS_H
#define KD_MANAGER_KINDS_H

#include "controller/controller.h"

#include <stdatomic.h>

/* One informer with those who use it. */
struct kd_running_kind {
    const struct kd_instance_kind *owner; /* or the first observer */
    struct kd_informer *informer;
    struct kd_controller **controllers; /* none where reconcile = false */
    size_t n_controllers;
    char *name;           /* lower-case kind, unique: "pod" */
    _Atomic bool written; /* its first list has been committed to the store */
};

struct kd_kinds {
    struct kd_running_kind *items;
    size_t n;
};

struct kd_kinds_deps {
    struct kd_loop *loop;
    struct kd_client *client;
    struct kd_metrics *metrics;
    struct kd_pool *pool;
    struct kd_store *store;
    const struct kd_config *config;
};

/* Makes informers and controllers for the instances; nothing runs yet. Borrows deps' members. */
int kd_kinds_make(struct kd_kinds *kinds, struct kd_instance *const *instances, size_t n,
                  const struct kd_kinds_deps *deps, struct kd_error *reterr) KD_MUST_USE;
/* I/O thread: subscribes the controllers and starts the lists. */
void kd_kinds_start(struct kd_kinds *kinds);
/* I/O thread: no more events, no more requests; caches stay readable. */
void kd_kinds_stop(struct kd_kinds *kinds);
/* After the pool has stopped. I/O loop not running. */
void kd_kinds_free(struct kd_kinds *kinds);
/*
 * Marks kinds whose first list has been reconciled as written, after a flush of the store; waits
 * for that flush. True while some kind is still to come.
 */
bool kd_kinds_note_written(struct kd_kinds *kinds, struct kd_store *store);

#endif
