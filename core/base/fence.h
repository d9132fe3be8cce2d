/*
 * Until when work that only a leader may do is allowed to begin. One thread opens and shuts it, any
 * thread asks right before it begins something. It shuts by itself when its time has come, also
 * after the process or the machine slept: so that work stops in time even when nobody is there to
 * say so.
 */
#ifndef KD_BASE_FENCE_H
#define KD_BASE_FENCE_H

#include "base/clock.h"

#include <stdbool.h>

struct kd_fence {
    const struct kd_clock *clock; /* kd_boot_clock, or a test's */
    _Atomic int64_t until_ns;
};

/* Shut. */
void kd_fence_init(struct kd_fence *fence, const struct kd_clock *clock);
/* Open while the clock shows less; KD_NEVER_NS: for good. */
void kd_fence_open_until(struct kd_fence *fence, int64_t until_ns);
void kd_fence_shut(struct kd_fence *fence);
/* NULL is no fence, and open. */
bool kd_fence_is_open(const struct kd_fence *fence);

#endif
