/* A worker thread: takes a key of the next controller in turn that has one, and sees it through. */
#include "base/alloc.h"
#include "base/fence.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/thread.h"
#include "controller/state.h"
#include "metrics/metrics.h"

struct task {
    enum kd_task_kind kind;
    struct kd_controller *controller;
    const struct kd_queue_item *item;
    enum kd_verdict verdict;             /* once it has ended */
    enum kd_breaker_state before, after; /* its verdict */
};

int64_t kd_controller_due_ns_locked(const struct kd_controller *controller)
{
    int64_t queue_ns = kd_queue_next_ns(controller->queue);
    int64_t breaker_ns = kd_breaker_due_ns(&controller->breaker);
    return queue_ns > breaker_ns ? queue_ns : breaker_ns;
}

static bool may_reconcile_locked(const struct kd_controller *controller, int64_t now_ns)
{
    return controller->active < controller->limit && atomic_load(&controller->leads) &&
           kd_controller_due_ns_locked(controller) <= now_ns && kd_fence_is_open(controller->fence);
}

static bool may_walk_locked(const struct kd_controller *controller, int64_t due_ns, int64_t now_ns)
{
    return !controller->sweeping && due_ns <= now_ns && atomic_load(&controller->leads) &&
           controller->pool->state == KD_POOL_RUNNING && !controller->retired;
}

static bool may_sweep_locked(const struct kd_controller *controller, int64_t now_ns)
{
    return may_walk_locked(controller, controller->sweep_ns, now_ns);
}

static bool may_resync_locked(const struct kd_controller *controller, int64_t now_ns)
{
    return may_walk_locked(controller, controller->next_resync_ns, now_ns);
}

static bool take_from_locked(struct kd_controller *controller, int64_t now_ns, struct task *ret)
{
    if (may_sweep_locked(controller, now_ns)) {
        controller->sweep_ns = KD_NEVER_NS;
        controller->sweeping = true;
        *ret = (struct task){ .kind = KD_TASK_SWEEP, .controller = controller };
        return true;
    }
    if (may_resync_locked(controller, now_ns)) {
        controller->next_resync_ns = kd_controller_resync_time(controller, now_ns);
        kd_pool_time_locked(controller->pool, controller->next_resync_ns);
        controller->sweeping = true;
        *ret = (struct task){ .kind = KD_TASK_RESYNC, .controller = controller };
        return true;
    }
    if (may_reconcile_locked(controller, now_ns)) {
        const struct kd_queue_item *item = kd_queue_get(controller->queue);
        *ret = (struct task){ .kind = KD_TASK_KEY, .controller = controller, .item = item };
        return item != NULL;
    }
    return false;
}

static bool take_locked(struct kd_pool *pool, int64_t now_ns, struct task *ret)
{
    for (size_t i = 0; i < pool->n_controllers; i++) {
        size_t at = (pool->cursor + i) % pool->n_controllers;
        if (take_from_locked(pool->controllers[at], now_ns, ret)) {
            pool->cursor = (at + 1) % pool->n_controllers;
            return true;
        }
    }
    return false;
}

/* Whether another thread would find something; then it is told. Queues tell of the first key. */
static void offer_more_locked(struct kd_pool *pool, int64_t now_ns)
{
    if (!pool->idle && pool->n_threads >= kd_pool_target_locked(pool)) {
        return;
    }
    for (size_t i = 0; i < pool->n_controllers; i++) {
        if (may_reconcile_locked(pool->controllers[i], now_ns) ||
            may_sweep_locked(pool->controllers[i], now_ns) ||
            may_resync_locked(pool->controllers[i], now_ns)) {
            kd_pool_offer_locked(pool);
            return;
        }
    }
}

static void begin_locked(struct kd_worker *self, const struct task *task, int64_t now_ns)
{
    struct kd_controller *controller = task->controller;
    controller->busy++;
    self->pool->moved_ns = now_ns;
    self->controller = controller;
    self->overrun = false;
    self->deadline_ns = KD_NEVER_NS;
    if (task->item) {
        controller->active++;
        kd_breaker_begin(&controller->breaker);
        self->deadline_ns = kd_time_add_ns(now_ns, controller->timeout_ns);
        kd_key_text(task->item->key, self->key);
        kd_pool_time_locked(self->pool, self->deadline_ns);
        int64_t next_ns = kd_queue_next_ns(controller->queue);
        if (next_ns > now_ns) { /* the queue did not tell of it while a key was ready */
            kd_pool_time_locked(self->pool, next_ns);
        }
        kd_gauge_set(controller->meter.active, (double)controller->active);
    }
    offer_more_locked(self->pool, now_ns);
}

static void judge_locked(struct kd_controller *controller, struct task *task, int64_t now_ns)
{
    struct kd_breaker *breaker = &controller->breaker;
    task->before = breaker->state;
    kd_breaker_end(breaker, task->verdict, now_ns);
    task->after = breaker->state;
    if (breaker->state == KD_BREAKER_OPEN) {
        kd_pool_time_locked(controller->pool, breaker->until_ns);
    }
}

/* A change of the breaker, told without the lock. */
static void tell_breaker_locked(struct kd_pool *pool, const struct task *task)
{
    const struct kd_controller *controller = task->controller;
    if (task->before == task->after) {
        return;
    }
    pthread_mutex_unlock(&pool->lock);
    if (task->after == KD_BREAKER_OPEN) {
        KD_WARN("breaker open: no reconcile begins for a while",
                KD_F("plugin", controller->kind->instance->name),
                KD_F("kind", controller->kind->def.kind),
                KD_FU("seconds", controller->breaker.reset_ns / KD_SEC_NS));
    } else {
        KD_INFO("breaker closed", KD_F("plugin", controller->kind->instance->name),
                KD_F("kind", controller->kind->def.kind));
    }
    pthread_mutex_lock(&pool->lock);
}

static void end_locked(struct kd_worker *self, const struct task *task)
{
    struct kd_controller *controller = task->controller;
    int64_t now_ns = kd_now_ns(self->pool->clock);
    self->controller = NULL;
    self->pool->moved_ns = now_ns;
    self->pool->n_overrun -= self->overrun;
    controller->busy--;
    if (task->item) {
        controller->active--;
        kd_gauge_set(controller->meter.active, (double)controller->active);
    } else {
        controller->sweeping = false;
    }
    if (controller->busy == 0) {
        pthread_cond_broadcast(&self->pool->quiet);
    }
}

/* Waits for a task. False: the thread is to end. */
static bool next_locked(struct kd_worker *self, struct task *ret)
{
    struct kd_pool *pool = self->pool;
    while (pool->state != KD_POOL_STOPPED && pool->n_threads <= kd_pool_target_locked(pool)) {
        int64_t now_ns = kd_now_ns(pool->clock);
        if (take_locked(pool, now_ns, ret)) {
            begin_locked(self, ret, now_ns);
            return true;
        }
        kd_seat_rest_locked(pool);
    }
    return false;
}

static void run_task(struct task *task, struct kd_run_scratch *scratch)
{
    switch (task->kind) {
    case KD_TASK_KEY:
        task->verdict = kd_controller_process(task->controller, task->item, scratch);
        break;
    case KD_TASK_SWEEP:
        kd_controller_sweep(task->controller);
        break;
    case KD_TASK_RESYNC:
        kd_controller_resync(task->controller);
        break;
    }
}

static void release_scratch(struct kd_run_scratch *scratch)
{
    kd_relation_set_release(&scratch->relations);
    kd_arena_release(&scratch->arena);
}

static void *worker_main(void *arg)
{
    struct kd_worker *self = arg;
    struct kd_pool *pool = self->pool;
    struct task task;
    kd_arena_init(&self->scratch.arena, KD_MAX_SCRATCH);
    pthread_mutex_lock(&pool->lock);
    while (next_locked(self, &task)) {
        kd_pool_unlock(pool);
        run_task(&task, &self->scratch);
        pthread_mutex_lock(&pool->lock);
        if (task.kind == KD_TASK_KEY) {
            judge_locked(task.controller, &task, kd_now_ns(pool->clock));
            tell_breaker_locked(pool, &task); /* it stays in use meanwhile */
        }
        end_locked(self, &task);
    }
    pool->n_threads--;
    offer_more_locked(pool, kd_now_ns(pool->clock)); /* this one may have been told */
    kd_pool_unlock(pool);

    release_scratch(&self->scratch);
    pthread_mutex_lock(&pool->lock);
    self->retired = true;
    pthread_cond_signal(&pool->timer); /* the timekeeper joins it */
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

void kd_worker_spawn_locked(struct kd_pool *pool)
{
    struct kd_worker *worker = kd_zalloc(sizeof(*worker));
    worker->pool = pool;
    if (kd_thread_create(&worker->thread, "kd-worker", worker_main, worker) != 0) {
        KD_ASSERT(pool->n_threads > 0); /* without any thread the program is of no use */
        kd_free(worker);
        return;
    }
    worker->next = pool->workers;
    pool->workers = worker;
    pool->n_threads++;
}
