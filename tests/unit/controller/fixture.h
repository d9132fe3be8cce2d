/*
 * Controllers over a real informer that the test feeds by hand, a store (fake or real), and a
 * plugin in this process whose callbacks are hooks of the test.
 */
#ifndef KD_UNIT_CONTROLLER_FIXTURE_H
#define KD_UNIT_CONTROLLER_FIXTURE_H

#include "unit/informer/fake.h"
#include "unit/controller/fake_store.h"

#include "controller/controller.h"
#include "metrics/metrics.h"
#include "plugin/fields.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* A door that callbacks pass; the test shuts and opens it. */
struct gate {
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t cond;
    bool shut;
    size_t waiting;
};

static inline void gate_pass(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->waiting++;
    while (gate->shut) {
        pthread_cond_wait(&gate->cond, &gate->lock);
    }
    gate->waiting--;
    pthread_mutex_unlock(&gate->lock);
}

static inline void gate_set(struct gate *gate, bool shut)
{
    pthread_mutex_lock(&gate->lock);
    gate->shut = shut;
    pthread_cond_broadcast(&gate->cond);
    pthread_mutex_unlock(&gate->lock);
}

static inline size_t gate_waiting(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    size_t n = gate->waiting;
    pthread_mutex_unlock(&gate->lock);
    return n;
}

/* One kind with its plugin, informer and controller. `self` of the callbacks is this. */
struct world {
    struct fake fake;
    struct fake_store store;
    struct kd_metrics *metrics;
    struct kd_pool *pool;
    struct kd_controller *controller;
    struct kd_instance instance;
    struct kd_instance_kind kind;
    struct kd_plugin plugin;
    struct kd_kind_entry entry;
    struct gate gate;
    _Atomic int runs;
    _Atomic int fails_left; /* so many calls return fail_with */
    _Atomic int fail_with;
    _Atomic int deleted_runs;
    const struct kd_fence *fence;
    int64_t fingerprint;
    bool guest; /* lives on another world's pool and store */
    char deleted_seen[256];
};

static inline void world_init(struct world *world, const char *kind)
{
    *world = (struct world){ .store = { .lock = PTHREAD_MUTEX_INITIALIZER },
                             .gate = { .lock = PTHREAD_MUTEX_INITIALIZER,
                                       .cond = PTHREAD_COND_INITIALIZER } };
    fake_init(&world->fake);
    kd_log_set_fd(open("/dev/null", O_WRONLY | O_CLOEXEC));
    world->kind.def = (struct kd_kind){ .struct_size = sizeof(struct kd_kind),
                                        .group = "",
                                        .version = "v1",
                                        .kind = kind,
                                        .resource = "pods" };
    world->kind.instance = &world->instance;
    world->entry.tuning = (struct kd_kind_tuning){ .workers = 2,
                                                   .reconcile_timeout_ns = 60 * KD_SEC_NS,
                                                   .backoff_base_ns = KD_MS_NS,
                                                   .backoff_max_ns = 10 * KD_MS_NS };
    world->plugin.name = "test";
    world->instance = (struct kd_instance){ .name = "test",
                                            .entry = &world->entry,
                                            .plugin = &world->plugin,
                                            .self = world,
                                            .kinds = &world->kind,
                                            .n_kinds = 1,
                                            .started = true };
}

static inline struct kd_store *as_store(struct fake_store *store)
{
    return (struct kd_store *)(void *)store;
}

/* As the host starts a kind; the list has been asked for when this returns. */
static inline void world_start_on(struct world *world, struct kd_pool *pool, struct kd_store *store,
                                  struct kd_metrics *metrics, struct kd_scopes scopes)
{
    struct kd_informer_env env = fake_env(&world->fake, 7);
    struct kd_informer_spec spec = fake_spec();
    spec.kind = world->kind.def.kind;
    spec.indexes = world->kind.def.indexes;
    spec.n_indexes = world->kind.def.n_indexes;
    assert_int_equal(kd_fields_plan(&world->kind.def, &world->kind.fields, NULL), 0);
    assert_int_equal(kd_informer_new_in(&env, NULL, &spec, &world->fake.informer, NULL), 0);
    const struct kd_controller_spec controller = { .name = world->kind.def.kind,
                                                   .kind = &world->kind,
                                                   .informer = world->fake.informer,
                                                   .store = store,
                                                   .tuning = &world->entry.tuning,
                                                   .scopes = scopes,
                                                   .fence = world->fence,
                                                   .fingerprint = world->fingerprint };
    world->pool = pool;
    world->controller = kd_controller_new(pool, &controller, &kd_system_clock, metrics);
    kd_controller_start(world->controller);
    kd_informer_start(world->fake.informer);
}

static inline void world_start(struct world *world)
{
    struct kd_scopes none = { 0 };
    world->metrics = kd_metrics_new();
    world->pool = kd_pool_new(&kd_system_clock, world->metrics);
    world_start_on(world, world->pool, as_store(&world->store), world->metrics, none);
}

static inline void world_start_guest(struct world *world, struct world *host)
{
    struct kd_scopes none = { 0 };
    world->guest = true;
    world_start_on(world, host->pool, as_store(&host->store), host->metrics, none);
}

static inline int64_t in_ns(int64_t delay_ns)
{
    return kd_now_ns(&kd_system_clock) + delay_ns;
}

static inline void world_release(struct world *world)
{
    if (!world->guest) {
        assert_true(kd_pool_stop(world->pool, in_ns(60 * KD_SEC_NS)));
    }
    kd_controller_free(world->controller);
    if (!world->guest) {
        kd_pool_free(world->pool);
    }
    kd_informer_stop(world->fake.informer);
    world->fake.subscription = NULL;
    fake_release(&world->fake);
    kd_json_plan_free(world->kind.fields);
    kd_metrics_free(world->metrics);
    store_release(&world->store);
}

static inline struct kd_controller_status world_status(struct world *world)
{
    struct kd_controller_status status;
    kd_controller_get_status(world->controller, &status);
    return status;
}

/* Looks again and again, without a limit of its own: the test's time limit tells. */
#define WAIT_UNTIL(cond)                                                                           \
    do {                                                                                           \
        const struct timespec wait_pause = { 0, 200000 };                                          \
        while (!(cond)) {                                                                          \
            (void)nanosleep(&wait_pause, NULL);                                                    \
        }                                                                                          \
    } while (0)

static inline bool world_is_idle(struct world *world)
{
    struct kd_queue_stats stats = world_status(world).queue;
    return stats.depth + stats.delayed + stats.working == 0;
}

static inline bool world_is_synced(struct world *world)
{
    return world_status(world).synced;
}

/* Answers the list, after which the watch is open. */
static inline void world_list(struct world *world, const char *list)
{
    fake_answer(&world->fake, list);
    assert_true(fake_asks(&world->fake, "watch="));
}

static inline double counter(struct kd_metrics *metrics, const char *name, const char *controller,
                             const char *result)
{
    static const char *const labels[] = { "controller", "result" };
    const char *const values[] = { controller, result };
    struct kd_family_spec spec = {
        .type = KD_COUNTER, .name = name, .help = "", .labels = labels, .n_labels = result ? 2 : 1
    };
    return kd_series_value(kd_family_series(kd_metrics_family(metrics, &spec), values));
}

#define TOTAL(world, result)                                                                       \
    counter((world)->metrics, "controller_runtime_reconcile_total", (world)->kind.def.kind, result)

/* Returns the failure that the test wants of this call, if any. */
static inline int32_t next_failure(struct world *world)
{
    if (atomic_load(&world->fails_left) <= 0) {
        return 0;
    }
    atomic_fetch_sub(&world->fails_left, 1);
    return atomic_load(&world->fail_with);
}

#define HOOK __attribute__((unused)) static

/* relate: counts, waits at the gate, fails as wanted, binds a pod to its node (field 0). */
HOOK int32_t hook_relate(void *self, struct kd_ctx *ctx, const struct kd_object *object,
                         struct kd_relations *out)
{
    struct world *world = self;
    (void)ctx;
    atomic_fetch_add(&world->runs, 1);
    gate_pass(&world->gate);
    int32_t rc = next_failure(world);
    struct kd_str node = kd_object_str(object, 0);
    if (rc == 0 && node.len) {
        rc = kd_relations_add(out, "PodNodeBinding", kd_ref_cluster("", "v1", "Node", node),
                              KD_ATTR("nodeName", node));
    }
    return rc;
}

HOOK const char *const pod_fields[] = { "/spec/nodeName" };

HOOK void world_init_pods(struct world *world)
{
    world_init(world, "Pod");
    world->kind.def.fields = pod_fields;
    world->kind.def.n_fields = 1;
    world->kind.def.relate = hook_relate;
}

#endif
