/*
 * Marks in the store: up to which resource version each kind's part of the graph is complete, so
 * that the next process goes on from there (warm.h). A mark is written every few seconds while
 * something moves, with the keys that are not done yet, and at a clean stop. It is taken back
 * before the first change that it does not speak for: of a kind that began with a list, that has
 * another scope, or that goes.
 *
 * A kind has marks when its only source is its informer: no filter, no reconcile of a plugin.
 */
#ifndef KD_MANAGER_MARKS_H
#define KD_MANAGER_MARKS_H

#include "base/loop.h"
#include "manager/kinds.h"

#define KD_SCOPE_TEXT_MAX 160
#define KD_MARK_PENDING_MAX 200 /* keys; with more of them under way no mark is written */

struct kd_marked_kind;

struct kd_marks {
    struct kd_kinds *kinds;
    struct kd_store *store;
    char cluster[KD_UID_MAX + 1]; /* who the cluster is; "": not known, so nothing is marked */
    struct kd_timer timer;
    struct kd_marked_kind *items; /* I/O thread */
    size_t n;
    bool runs;
};

/* Main thread, before kinds start. */
void kd_marks_init(struct kd_marks *marks, struct kd_kinds *kinds, struct kd_store *store,
                   struct kd_loop *loop);
/* The loop does not run any more. Accepts a zeroed one. */
void kd_marks_release(struct kd_marks *marks);

/* What is listed of the kind and how it becomes resources; "" when the kind has no marks. */
void kd_marks_scope(const struct kd_marks *marks, const struct kd_running_kind *running,
                    char out[KD_SCOPE_TEXT_MAX]);
/* Main thread, before kinds start: the kind's mark in the store is true for its cache. */
void kd_marks_trust(struct kd_marks *marks, const struct kd_running_kind *running);

/* I/O thread, before controllers of kinds begin: takes back what is no longer true. */
void kd_marks_align(struct kd_marks *marks);
/* I/O thread: begins, and writes a last time. */
void kd_marks_start(struct kd_marks *marks);
void kd_marks_stop(struct kd_marks *marks);

#endif
