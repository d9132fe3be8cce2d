#include "controller/controller.h"

#include "base/alloc.h"
#include "base/str.h"
#include "controller/state.h"
#include "metrics/metrics.h"

#include <stdio.h>

static struct kd_queue *make_queue(struct kd_controller *controller,
                                   const struct kd_kind_tuning *tuning, struct kd_metrics *metrics)
{
    struct kd_queue_settings settings = {
        .name = controller->name,
        .backoff_base_ns = tuning->backoff_base_ns,
        .backoff_max_ns = tuning->backoff_max_ns,
        .retry_qps = tuning->retry_qps,
        .retry_burst = tuning->retry_burst,
        .debounce_ns = tuning->debounce_ns,
        .fair = tuning->fair,
    };
    return kd_queue_new(&settings, controller->clock, metrics, kd_pool_wake, controller);
}

struct kd_controller *kd_controller_new(struct kd_pool *pool, const struct kd_controller_spec *spec,
                                        const struct kd_clock *clock, struct kd_metrics *metrics)
{
    const struct kd_kind_tuning *tuning = spec->tuning;
    struct kd_controller *controller = kd_zalloc(sizeof(*controller));
    controller->magic = KD_CONTROLLER_MAGIC;
    controller->pool = pool;
    controller->name = kd_strdup(spec->name);
    controller->kind = spec->kind;
    controller->informer = spec->informer;
    controller->store = spec->store;
    controller->scopes = spec->scopes;
    controller->clock = clock;
    controller->limit = tuning->workers > 0 ? (size_t)tuning->workers : 1;
    controller->timeout_ns =
        tuning->reconcile_timeout_ns > 0 ? tuning->reconcile_timeout_ns : KD_NEVER_NS;
    controller->resync_ns = tuning->resync_ns;
    controller->fence = spec->fence;
    controller->sweep_ns = KD_NEVER_NS;
    controller->next_resync_ns = KD_NEVER_NS;
    kd_breaker_init(&controller->breaker, tuning->breaker_failures, tuning->breaker_reset_ns,
                    metrics, spec->name);
    kd_trace_init(&controller->trace);
    kd_tombstones_init(&controller->tombstones);
    pthread_mutex_init(&controller->failure.lock, NULL);
    pthread_mutex_init(&controller->sync_lock, NULL);
    kd_controller_mark_init(controller, spec->fingerprint);
    kd_controller_meter_start(&controller->meter, metrics, controller->name);
    kd_gauge_set(controller->meter.max_concurrent, (double)controller->limit);
    controller->queue = make_queue(controller, tuning, metrics);
    kd_pool_attach(pool, controller);
    return controller;
}

void kd_controller_start(struct kd_controller *controller)
{
    const struct kd_kind *def = &controller->kind->def;
    struct kd_informer_sink sink;
    KD_CHECK(controller, KD_CONTROLLER_MAGIC);
    KD_ASSERT(!controller->subscription && !atomic_load(&controller->leads));
    kd_controller_sync_begin(controller);
    pthread_mutex_lock(&controller->pool->lock);
    controller->sweep_ns = KD_NEVER_NS; /* of an earlier term: the list has not been seen yet */
    controller->next_resync_ns =
        kd_controller_resync_time(controller, kd_now_ns(controller->clock));
    kd_pool_time_locked(controller->pool, controller->next_resync_ns);
    pthread_mutex_unlock(&controller->pool->lock);
    /* A filter is asked on this thread, so what it lets through comes as events. */
    atomic_store(&controller->compares,
                 atomic_load(&controller->marked) && !def->filter &&
                     kd_store_count(controller->store, def->group, def->kind) > 0);
    atomic_fetch_add(&controller->term, 1);
    atomic_store(&controller->leads, true);
    kd_controller_fill_sink(controller, &sink);
    controller->subscription = kd_informer_subscribe(controller->informer, &sink);
}

void kd_controller_stop(struct kd_controller *controller)
{
    KD_CHECK(controller, KD_CONTROLLER_MAGIC);
    kd_informer_unsubscribe(kd_steal(controller->subscription));
}

void kd_controller_retire(struct kd_controller *controller)
{
    kd_controller_stop(controller);
    kd_pool_retire(controller->pool, controller);
}

bool kd_controller_is_quiet(struct kd_controller *controller)
{
    KD_CHECK(controller, KD_CONTROLLER_MAGIC);
    return kd_pool_is_quiet(controller->pool, controller);
}

void kd_controller_drop(struct kd_controller *controller)
{
    kd_controller_stop(controller);
    if (atomic_exchange(&controller->leads, false)) {
        kd_controller_sync_begin(controller); /* what a sweep still adds is cleared at the start */
    }
}

void kd_controller_free(struct kd_controller *controller)
{
    if (!controller) {
        return;
    }
    kd_controller_stop(controller);
    if (!kd_pool_detach(controller->pool, controller)) {
        return; /* the worker that hangs in it may still come back */
    }
    kd_queue_free(controller->queue);
    kd_breaker_release(&controller->breaker, controller->meter.metrics, controller->name);
    kd_controller_meter_stop(&controller->meter, controller->name);
    kd_trace_release(&controller->trace);
    kd_tombstones_release(&controller->tombstones);
    pthread_mutex_destroy(&controller->failure.lock);
    pthread_mutex_destroy(&controller->sync_lock);
    kd_controller_mark_release(controller);
    kd_free(controller->name);
    controller->magic = 0;
    kd_free(controller);
}

static void add_breaker(struct kd_controller *controller, struct kd_controller_status *ret)
{
    const struct kd_breaker *breaker = &controller->breaker;
    int64_t now_ns = kd_now_ns(controller->clock);
    pthread_mutex_lock(&controller->pool->lock);
    ret->breaker = breaker->state;
    ret->breaker_failures = breaker->failures;
    if (breaker->state == KD_BREAKER_OPEN && breaker->until_ns > now_ns) {
        ret->breaker_wait_ns = breaker->until_ns - now_ns;
    }
    pthread_mutex_unlock(&controller->pool->lock);
}

void kd_controller_get_status(struct kd_controller *controller, struct kd_controller_status *ret)
{
    KD_CHECK(controller, KD_CONTROLLER_MAGIC);
    const struct kd_kind *def = &controller->kind->def;
    struct kd_failure *failure = &controller->failure;
    *ret = (struct kd_controller_status){ .synced = atomic_load(&controller->synced),
                                          .errors = atomic_load(&controller->errors) };
    kd_queue_get_stats(controller->queue, &ret->queue);
    if (kd_controller_is_owner(controller)) {
        ret->stored = kd_store_count(controller->store, def->group, def->kind);
    }
    pthread_mutex_lock(&failure->lock);
    if (atomic_load(&failure->is_set)) {
        (void)snprintf(ret->last_error, sizeof(ret->last_error), KD_STR_FMT ": " KD_STR_FMT,
                       KD_STR_ARG(kd_str_from(failure->key)),
                       KD_STR_ARG(kd_str_from(failure->text))); /* cut to fit */
    }
    pthread_mutex_unlock(&failure->lock);
    add_breaker(controller, ret);
}

int kd_controller_pending(struct kd_controller *controller, size_t max, struct kd_arena *arena,
                          struct kd_key **ret, size_t *ret_n)
{
    KD_CHECK(controller, KD_CONTROLLER_MAGIC);
    return kd_queue_keys(controller->queue, max, arena, ret, ret_n);
}

int kd_controller_trace(struct kd_controller *controller, struct kd_key key, struct kd_arena *arena,
                        struct kd_trace_row **ret, size_t *ret_n)
{
    KD_CHECK(controller, KD_CONTROLLER_MAGIC);
    return kd_trace_find(&controller->trace, key, arena, ret, ret_n);
}
