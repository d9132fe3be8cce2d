#include "client/limiter.h"

/* A token that is short by less than a nanosecond's worth counts as whole. */
#define ROUNDING 1e-9

void kd_limiter_init(struct kd_limiter *limiter, double qps, int64_t burst, int64_t now_ns)
{
    double size = burst > 1 ? (double)burst : 1.0;
    *limiter = (struct kd_limiter){ .qps = qps, .burst = size, .tokens = size, .last_ns = now_ns };
}

bool kd_limiter_take(struct kd_limiter *limiter, int64_t now_ns, int64_t *ret_wait_ns)
{
    if (!(limiter->qps > 0)) {
        return true;
    }
    if (now_ns > limiter->last_ns) {
        double seconds = (double)(now_ns - limiter->last_ns) / (double)KD_SEC_NS;
        double tokens = limiter->tokens + seconds * limiter->qps;
        limiter->tokens = tokens < limiter->burst ? tokens : limiter->burst;
        limiter->last_ns = now_ns;
    }
    if (limiter->tokens >= 1.0 - ROUNDING) {
        limiter->tokens -= 1.0;
        return true;
    }
    double wait = (1.0 - limiter->tokens) / limiter->qps * (double)KD_SEC_NS;
    *ret_wait_ns = wait < (double)INT32_MAX * (double)KD_SEC_NS ? (int64_t)wait + 1
                                                                : (int64_t)INT32_MAX * KD_SEC_NS;
    return false;
}
