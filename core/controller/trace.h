/*
 * The last reconciles of a controller, oldest out first: what `kindredctl trace` shows. Any thread.
 */
#ifndef KD_CONTROLLER_TRACE_H
#define KD_CONTROLLER_TRACE_H

#include "controller/controller.h"

#include <pthread.h>

#define KD_TRACE_ROWS 512

struct kd_trace_slot;

struct kd_trace {
    pthread_mutex_t lock;        /* guards all below */
    struct kd_trace_slot *slots; /* a ring, made by the first row */
    uint64_t n;                  /* rows that were ever added */
};

void kd_trace_init(struct kd_trace *trace);
void kd_trace_release(struct kd_trace *trace);
/* Copies. */
void kd_trace_add(struct kd_trace *trace, const struct kd_trace_row *row);
/* Those of a key (ns with a NULL pointer: in any namespace), the newest first, copied to the arena.
 * KD_ENOMEM past it. */
int kd_trace_find(struct kd_trace *trace, struct kd_key key, struct kd_arena *arena,
                  struct kd_trace_row **ret, size_t *ret_n) KD_MUST_USE;

#endif
