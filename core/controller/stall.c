/* Whether the workers still move, for the liveness check. */
#include "base/fence.h"
#include "controller/state.h"

#include <stdio.h>

/* Whether keys are ready that a worker would take, were there one to come round. */
static bool work_waits_locked(const struct kd_pool *pool, int64_t now_ns)
{
    for (size_t i = 0; i < pool->n_controllers; i++) {
        const struct kd_controller *controller = pool->controllers[i];
        if (controller->active < controller->limit &&
            kd_controller_due_ns_locked(controller) <= now_ns && atomic_load(&controller->leads) &&
            kd_fence_is_open(controller->fence)) {
            return true;
        }
    }
    return false;
}

/* "pod in default/a, node in n1", as far as there is room. */
static void name_work_locked(const struct kd_pool *pool, char *out, size_t size)
{
    size_t len = 0;
    out[0] = '\0';
    for (const struct kd_worker *worker = pool->workers; worker; worker = worker->next) {
        if (!worker->controller || len + 1 >= size) {
            continue;
        }
        int n = snprintf(out + len, size - len, "%s%s in %s", len ? ", " : "",
                         worker->controller->kind->instance->name, worker->key);
        len = n > 0 && (size_t)n < size - len ? len + (size_t)n : size - 1;
    }
}

int64_t kd_pool_stalled_ns(struct kd_pool *pool, char *ret_text, size_t size)
{
    int64_t now_ns = kd_now_ns(pool->clock);
    int64_t stalled_ns = 0;
    pthread_mutex_lock(&pool->lock);
    if (work_waits_locked(pool, now_ns)) {
        stalled_ns = now_ns - pool->moved_ns;
        name_work_locked(pool, ret_text, size);
    }
    pthread_mutex_unlock(&pool->lock);
    return stalled_ns > 0 ? stalled_ns : 0;
}
