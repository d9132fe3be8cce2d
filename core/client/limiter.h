/* A token bucket. Not thread-safe; time comes from the caller. */
#ifndef KD_CLIENT_LIMITER_H
#define KD_CLIENT_LIMITER_H

#include "base/clock.h"

#include <stdbool.h>

struct kd_limiter {
    double qps; /* 0 or less: no limit */
    double burst;
    double tokens;
    int64_t last_ns;
};

void kd_limiter_init(struct kd_limiter *limiter, double qps, int64_t burst, int64_t now_ns);
/* Takes one token. When there is none: false, and *ret_wait_ns is the time until there is one. */
bool kd_limiter_take(struct kd_limiter *limiter, int64_t now_ns, int64_t *ret_wait_ns);

#endif
