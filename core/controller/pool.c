#include "base/alloc.h"
#include "base/hash.h"
#include "base/thread.h"
#include "base/str.h"
#include "controller/state.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define POOL_MAGIC 0x4b44504fu
#define MIN_THREADS 4
#define THREADS_PER_CORE 2
#define MAX_OVERRUN_THREADS 32
#define SETTLE_NS (250 * KD_MS_NS) /* of the stop's time, kept for what is in work at its end */

static void init_monotonic_cond(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

struct kd_pool *kd_pool_new(const struct kd_clock *clock, struct kd_metrics *metrics)
{
    (void)metrics; /* what it counts is counted by controller */
    struct kd_pool *pool = kd_zalloc(sizeof(*pool));
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pool->magic = POOL_MAGIC;
    pool->clock = clock;
    pool->max_threads = cores > 0 ? (size_t)cores * THREADS_PER_CORE : MIN_THREADS;
    if (pool->max_threads < MIN_THREADS) {
        pool->max_threads = MIN_THREADS;
    }
    pool->timer_ns = KD_NEVER_NS;
    pool->moved_ns = kd_now_ns(clock);
    atomic_init(&pool->next_id, kd_hash_mix(kd_hash_seed(), (uint64_t)kd_wall_ns(clock)));
    pthread_mutex_init(&pool->lock, NULL);
    init_monotonic_cond(&pool->timer);
    init_monotonic_cond(&pool->quiet);
    KD_ASSERT(kd_thread_create(&pool->timekeeper, "kd-timer", kd_timekeeper_main, pool) == 0);
    return pool;
}

void kd_pool_wait_locked(struct kd_pool *pool, pthread_cond_t *cond, int64_t until_ns)
{
    kd_seat_wake_locked(pool);
    if (until_ns == KD_NEVER_NS) {
        pthread_cond_wait(cond, &pool->lock);
        return;
    }
    int64_t left_ns = until_ns - kd_now_ns(pool->clock);
    int64_t wake_ns = kd_time_add_ns(kd_now_ns(&kd_system_clock), left_ns > 0 ? left_ns : 0);
    struct timespec wake = { .tv_sec = (time_t)(wake_ns / KD_SEC_NS),
                             .tv_nsec = (long)(wake_ns % KD_SEC_NS) };
    (void)pthread_cond_timedwait(cond, &pool->lock, &wake); /* the caller looks at the clock */
}

size_t kd_pool_target_locked(const struct kd_pool *pool)
{
    size_t target = pool->sum_of_limits;
    if (target > pool->max_threads) {
        target = pool->max_threads;
    }
    size_t more = pool->n_overrun < MAX_OVERRUN_THREADS ? pool->n_overrun : MAX_OVERRUN_THREADS;
    return (target ? target : 1) + more;
}

void kd_pool_offer_locked(struct kd_pool *pool)
{
    if (kd_seat_tell_locked(pool)) {
        pool->moved_ns = kd_now_ns(pool->clock); /* what waits has waited since now */
    } else if (pool->state != KD_POOL_STOPPED && pool->n_threads < kd_pool_target_locked(pool)) {
        kd_worker_spawn_locked(pool);
    }
}

void kd_pool_time_locked(struct kd_pool *pool, int64_t at_ns)
{
    if (at_ns < pool->timer_ns) {
        pool->timer_ns = at_ns;
        pthread_cond_signal(&pool->timer);
    }
}

void kd_pool_wake(void *arg)
{
    struct kd_controller *controller = arg;
    struct kd_pool *pool = controller->pool;
    int64_t now_ns = kd_now_ns(pool->clock);
    pthread_mutex_lock(&pool->lock);
    int64_t next_ns = kd_controller_due_ns_locked(controller);
    if (next_ns > now_ns) {
        kd_pool_time_locked(pool, next_ns);
    } else if (controller->active < controller->limit) { /* else the next to finish looks */
        kd_pool_offer_locked(pool);
    }
    kd_pool_unlock(pool);
}

void kd_pool_sweep_at(struct kd_controller *controller, int64_t at_ns)
{
    struct kd_pool *pool = controller->pool;
    pthread_mutex_lock(&pool->lock);
    if (!controller->retired && at_ns < controller->sweep_ns) {
        controller->sweep_ns = at_ns;
        kd_pool_time_locked(pool, at_ns);
    }
    pthread_mutex_unlock(&pool->lock);
}

void kd_pool_attach(struct kd_pool *pool, struct kd_controller *controller)
{
    KD_CHECK(pool, POOL_MAGIC);
    pthread_mutex_lock(&pool->lock);
    pool->controllers = kd_realloc_array(pool->controllers, pool->n_controllers + 1,
                                         sizeof(struct kd_controller *));
    pool->controllers[pool->n_controllers++] = controller;
    pool->sum_of_limits += controller->limit;
    if (pool->n_threads == 0) { /* the first one shows early whether threads can be had */
        kd_worker_spawn_locked(pool);
    }
    pthread_mutex_unlock(&pool->lock);
}

static void take_out_locked(struct kd_pool *pool, const struct kd_controller *controller)
{
    size_t at = 0;
    while (at < pool->n_controllers && pool->controllers[at] != controller) {
        at++;
    }
    KD_ASSERT(at < pool->n_controllers);
    pool->controllers[at] = pool->controllers[--pool->n_controllers];
    pool->cursor = 0;
    pool->sum_of_limits -= controller->limit;
}

void kd_pool_retire(struct kd_pool *pool, struct kd_controller *controller)
{
    KD_CHECK(pool, POOL_MAGIC);
    kd_queue_shutdown(controller->queue, false);
    pthread_mutex_lock(&pool->lock);
    controller->retired = true;
    controller->sweep_ns = KD_NEVER_NS;
    controller->next_resync_ns = KD_NEVER_NS;
    pthread_mutex_unlock(&pool->lock);
}

bool kd_pool_is_quiet(struct kd_pool *pool, const struct kd_controller *controller)
{
    pthread_mutex_lock(&pool->lock);
    bool quiet = controller->busy == 0;
    pthread_mutex_unlock(&pool->lock);
    return quiet;
}

bool kd_pool_detach(struct kd_pool *pool, struct kd_controller *controller)
{
    kd_pool_retire(pool, controller);
    pthread_mutex_lock(&pool->lock);
    while (controller->busy > 0 && pool->state != KD_POOL_STOPPED) {
        pthread_cond_wait(&pool->quiet, &pool->lock);
    }
    bool quiet = controller->busy == 0;
    if (quiet) {
        take_out_locked(pool, controller);
    }
    pthread_mutex_unlock(&pool->lock);
    return quiet;
}

/* Shuts each queue. A shutdown never makes a queue's time sooner, so it calls no wake. */
static void shut_queues_locked(struct kd_pool *pool, bool drain)
{
    for (size_t i = 0; i < pool->n_controllers; i++) {
        kd_queue_shutdown(pool->controllers[i]->queue, drain);
    }
}

static bool is_quiet_locked(const struct kd_pool *pool, bool queues_too)
{
    for (size_t i = 0; i < pool->n_controllers; i++) {
        const struct kd_controller *controller = pool->controllers[i];
        if (controller->busy > 0 ||
            (queues_too && kd_controller_due_ns_locked(controller) != KD_NEVER_NS &&
             controller->breaker.state == KD_BREAKER_CLOSED)) {
            return false;
        }
    }
    return true;
}

static bool wait_quiet_locked(struct kd_pool *pool, bool queues_too, int64_t until_ns)
{
    while (!is_quiet_locked(pool, queues_too) && kd_now_ns(pool->clock) < until_ns) {
        kd_pool_wait_locked(pool, &pool->quiet, until_ns);
    }
    return is_quiet_locked(pool, queues_too);
}

static void end_timekeeper(struct kd_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->timekeeper_ends = true;
    pthread_cond_signal(&pool->timer);
    pthread_mutex_unlock(&pool->lock);
    pthread_join(pool->timekeeper, NULL);
}

/* Joins every worker but those that are still in a task: these are left behind. */
static void end_workers(struct kd_pool *pool)
{
    struct kd_worker *left = NULL;
    pthread_mutex_lock(&pool->lock);
    struct kd_worker *worker;
    while ((worker = pool->workers) != NULL) {
        pool->workers = worker->next;
        if (worker->controller) {
            pthread_detach(worker->thread);
            pool->n_abandoned++;
            worker->next = left;
            left = worker;
            continue;
        }
        pthread_mutex_unlock(&pool->lock);
        pthread_join(worker->thread, NULL);
        kd_free(worker);
        pthread_mutex_lock(&pool->lock);
    }
    pool->workers = left;
    pthread_mutex_unlock(&pool->lock);
}

bool kd_pool_stop(struct kd_pool *pool, int64_t deadline_ns)
{
    KD_CHECK(pool, POOL_MAGIC);
    int64_t left_ns = deadline_ns - kd_now_ns(pool->clock);
    int64_t settle_ns = left_ns / 8 < SETTLE_NS ? left_ns / 8 : SETTLE_NS;
    pthread_mutex_lock(&pool->lock);
    if (pool->state == KD_POOL_STOPPED) {
        pthread_mutex_unlock(&pool->lock);
        return pool->n_abandoned == 0;
    }
    pool->state = KD_POOL_DRAINING;
    shut_queues_locked(pool, true);
    kd_pool_offer_locked(pool);
    bool done = wait_quiet_locked(pool, true, deadline_ns - settle_ns);
    shut_queues_locked(pool, false);
    pool->state = KD_POOL_STOPPED;
    kd_seat_tell_all_locked(pool);
    (void)wait_quiet_locked(pool, false, deadline_ns); /* who is still in work is left behind */
    pthread_cond_broadcast(&pool->quiet);
    pthread_mutex_unlock(&pool->lock);
    end_timekeeper(pool);
    end_workers(pool);
    return done && pool->n_abandoned == 0;
}

void kd_pool_free(struct kd_pool *pool)
{
    if (!pool) {
        return;
    }
    KD_CHECK(pool, POOL_MAGIC);
    (void)kd_pool_stop(pool, kd_now_ns(pool->clock)); /* nothing to do when it was called */
    if (pool->n_abandoned > 0) {
        return; /* a worker that hangs may still come back to it */
    }
    KD_ASSERT(pool->n_controllers == 0);
    kd_free(pool->controllers);
    pthread_cond_destroy(&pool->quiet);
    pthread_cond_destroy(&pool->timer);
    kd_seats_free(pool);
    pthread_mutex_destroy(&pool->lock);
    pool->magic = 0;
    kd_free(pool);
}

char *kd_key_text(struct kd_key key, char out[KD_KEY_TEXT_MAX])
{
    (void)snprintf(out, KD_KEY_TEXT_MAX, KD_STR_FMT "%s" KD_STR_FMT, KD_STR_ARG(key.ns),
                   key.ns.len ? "/" : "", KD_STR_ARG(key.name)); /* cut to fit */
    return out;
}
