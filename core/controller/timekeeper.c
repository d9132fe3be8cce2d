/*
 * One thread for all that depends on time: it tells the workers when a delayed key or a sweep is
 * due, sees reconciles that overrun their deadline, and joins workers that have ended.
 */
#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"
#include "controller/state.h"
#include "metrics/metrics.h"

struct overrun {
    char plugin[KD_KEY_TEXT_MAX];
    char kind[KD_KEY_TEXT_MAX];
    char key[KD_KEY_TEXT_MAX];
    int64_t timeout_ns;
};

static void copy_text(char out[KD_KEY_TEXT_MAX], const char *text)
{
    kd_key_text((struct kd_key){ .name = kd_str_from(text) }, out);
}

/* Marks one reconcile that has overrun and was not marked yet. */
static bool find_overrun_locked(struct kd_pool *pool, int64_t now_ns, struct overrun *ret)
{
    for (struct kd_worker *worker = pool->workers; worker; worker = worker->next) {
        if (worker->controller && !worker->overrun && worker->deadline_ns <= now_ns) {
            const struct kd_controller *controller = worker->controller;
            worker->overrun = true;
            pool->n_overrun++;
            kd_counter_add(controller->meter.timeouts, 1);
            copy_text(ret->plugin, controller->kind->instance->name);
            copy_text(ret->kind, controller->kind->def.kind);
            copy_text(ret->key, worker->key);
            ret->timeout_ns = controller->timeout_ns;
            return true;
        }
    }
    return false;
}

/* Each overrun is told once, without the lock. */
static void tell_overruns_locked(struct kd_pool *pool, int64_t now_ns)
{
    struct overrun overrun;
    while (find_overrun_locked(pool, now_ns, &overrun)) {
        kd_pool_offer_locked(pool); /* one more thread, when there is work for it */
        kd_pool_unlock(pool);
        KD_WARN("reconcile overruns its deadline", KD_F("plugin", overrun.plugin),
                KD_F("kind", overrun.kind), KD_F("key", overrun.key),
                KD_FU("deadlineMs", overrun.timeout_ns / KD_MS_NS));
        pthread_mutex_lock(&pool->lock);
    }
}

static struct kd_worker *take_retired_locked(struct kd_pool *pool)
{
    struct kd_worker **link = &pool->workers;
    while (*link && !(*link)->retired) {
        link = &(*link)->next;
    }
    struct kd_worker *worker = *link;
    if (worker) {
        *link = worker->next;
    }
    return worker;
}

static void join_retired_locked(struct kd_pool *pool)
{
    struct kd_worker *worker;
    while ((worker = take_retired_locked(pool)) != NULL) {
        pthread_mutex_unlock(&pool->lock);
        pthread_join(worker->thread, NULL);
        kd_free(worker);
        pthread_mutex_lock(&pool->lock);
    }
}

static int64_t earlier(int64_t a_ns, int64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

/* Offers what is due and returns when to look again. What is due and finds no thread needs no
 * time: the next worker that finishes looks for it. */
static int64_t look_locked(struct kd_pool *pool, int64_t now_ns)
{
    int64_t next_ns = KD_NEVER_NS;
    bool due = false;
    for (size_t i = 0; i < pool->n_controllers; i++) {
        const struct kd_controller *controller = pool->controllers[i];
        const int64_t times_ns[] = { kd_controller_due_ns_locked(controller), controller->sweep_ns,
                                     controller->next_resync_ns };
        for (size_t k = 0; k < KD_ARRAY_LEN(times_ns); k++) {
            due = due || times_ns[k] <= now_ns;
            next_ns = times_ns[k] > now_ns ? earlier(next_ns, times_ns[k]) : next_ns;
        }
    }
    for (const struct kd_worker *worker = pool->workers; worker; worker = worker->next) {
        if (worker->controller && !worker->overrun) {
            next_ns = earlier(next_ns, worker->deadline_ns);
        }
    }
    if (due) {
        kd_pool_offer_locked(pool);
    }
    return next_ns;
}

void *kd_timekeeper_main(void *arg)
{
    struct kd_pool *pool = arg;
    pthread_mutex_lock(&pool->lock);
    while (!pool->timekeeper_ends) {
        join_retired_locked(pool);
        tell_overruns_locked(pool, kd_now_ns(pool->clock));
        pool->timer_ns = look_locked(pool, kd_now_ns(pool->clock));
        if (!pool->timekeeper_ends) {
            kd_pool_wait_locked(pool, &pool->timer, pool->timer_ns);
        }
    }
    kd_pool_unlock(pool);
    return NULL;
}
