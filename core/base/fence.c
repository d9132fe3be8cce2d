#include "base/fence.h"

#include <stdatomic.h>

void kd_fence_init(struct kd_fence *fence, const struct kd_clock *clock)
{
    fence->clock = clock;
    atomic_init(&fence->until_ns, INT64_MIN);
}

void kd_fence_open_until(struct kd_fence *fence, int64_t until_ns)
{
    atomic_store(&fence->until_ns, until_ns);
}

void kd_fence_shut(struct kd_fence *fence)
{
    atomic_store(&fence->until_ns, INT64_MIN);
}

bool kd_fence_is_open(const struct kd_fence *fence)
{
    if (!fence) {
        return true;
    }
    int64_t until_ns = atomic_load(&fence->until_ns);
    return until_ns == KD_NEVER_NS || kd_now_ns(fence->clock) < until_ns;
}
