/*
 * Resync: every so often each cached object is queued once more, after all live events. It asks the
 * API server for nothing.
 */
#include "base/log.h"
#include "base/rand.h"
#include "controller/state.h"

#define RESYNC_MIN_NS KD_SEC_NS

int64_t kd_controller_resync_time(const struct kd_controller *controller, int64_t now_ns)
{
    int64_t every_ns = controller->resync_ns;
    if (every_ns <= 0) {
        return KD_NEVER_NS;
    }
    every_ns = every_ns > RESYNC_MIN_NS ? every_ns : RESYNC_MIN_NS;
    struct kd_rand rand; /* 0.9 to 1.1 of it, so that kinds and processes do not keep step */
    kd_rand_init(&rand, (uint64_t)now_ns ^ (uint64_t)(uintptr_t)controller);
    int64_t tenth_ns = every_ns / 10;
    return kd_time_add_ns(now_ns, every_ns - tenth_ns +
                                      (int64_t)kd_rand_below(&rand, (uint64_t)tenth_ns * 2 + 1));
}

static void queue_one(void *arg, struct kd_record *record)
{
    struct kd_controller *controller = arg;
    (void)kd_queue_add(controller->queue, kd_record_key(record), KD_PRIORITY_LOW, KD_WHY_RESYNC, 0);
}

void kd_controller_resync(struct kd_controller *controller)
{
    kd_informer_each(controller->informer, queue_one, controller);
}
