/* The inner parts of the set of kinds: what is to come, and what is on its way out. */
#ifndef KD_MANAGER_SET_H
#define KD_MANAGER_SET_H

#include "manager/kinds.h"

/* What a change took out, until nobody uses it any more. */
struct kd_retiring {
    struct kd_retiring *next;
    struct kd_view *view; /* the last one that showed it, with the plugins of then */
    struct kd_controller **controllers;
    size_t n_controllers;
    struct kd_informer **informers;
    size_t n_informers;
};

struct kd_plan {
    struct kd_view *view; /* the next one; new members have no controller yet */
    struct kd_retiring *going;
};

struct kd_view *kd_view_new(size_t n_kinds);
/* Without informers, controllers and plugins. Accepts NULL. */
void kd_view_free(struct kd_view *view);

/* disabled.c */
void kd_disabled_release(struct kd_disabled_kind *kind);

/* Calls fn(arg) on the I/O thread and waits. */
void kd_kinds_on_io(struct kd_kinds *kinds, void (*fn)(void *arg), void *arg);

bool kd_retiring_is_quiet(const struct kd_retiring *going);
/* With the I/O loop running: informers are freed on its thread; else here. */
void kd_retiring_free(struct kd_kinds *kinds, struct kd_retiring *going, bool loop_runs);

#endif
