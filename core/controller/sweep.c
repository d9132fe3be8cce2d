/*
 * What the graph holds of a kind and the cache does not: objects that were deleted while nobody
 * looked, and those that a narrower scope leaves out. Each is queued like a delete, so that the
 * reconcile decides by what the cache says then. The first sweep of a term also finds what differs,
 * where the first list was not queued as a whole.
 */
#include "base/log.h"
#include "base/str.h"
#include "controller/state.h"

#define SWEEP_RETRY_NS (10 * KD_SEC_NS)

bool kd_controller_sweeps(const struct kd_controller *controller)
{
    return !controller->kind->def.reconcile;
}

struct sweep {
    struct kd_controller *controller;
    uint64_t term;
    bool first; /* of its term */
    bool compares;
    struct kd_catchup catchup;
};

static bool is_over(const struct sweep *sweep)
{
    return atomic_load(&sweep->controller->term) != sweep->term ||
           !atomic_load(&sweep->controller->leads);
}

static int check_stored(void *arg, const struct kd_ref *ref, struct kd_str version_text)
{
    struct sweep *sweep = arg;
    struct kd_controller *controller = sweep->controller;
    struct kd_key key = { ref->ns, ref->name };
    if (is_over(sweep)) {
        return KD_ECANCELED;
    }
    struct kd_record *record = kd_informer_get(controller->informer, key);
    if (record) {
        kd_record_unref(record);
        return sweep->compares ? kd_catchup_add(&sweep->catchup, ref, version_text) : 0;
    }
    uint32_t first = sweep->first ? KD_WHY_FIRST : 0;
    kd_controller_queue(controller, key, KD_PRIORITY_LOW, KD_WHY_SWEEP | first, KD_CHANGED_ALL);
    return 0;
}

/* An owner answers for all that the graph holds of the kind, others for what they have said. */
static int each_stored(struct sweep *sweep)
{
    struct kd_controller *controller = sweep->controller;
    const struct kd_kind *def = &controller->kind->def;
    if (kd_controller_is_owner(controller)) {
        return kd_store_each_key(controller->store, def->group, def->kind, check_stored, sweep);
    }
    return kd_store_each_said(controller->store, def->group, def->kind,
                              controller->kind->instance->name, check_stored, sweep);
}

void kd_controller_sweep(struct kd_controller *controller)
{
    const struct kd_kind *def = &controller->kind->def;
    struct sweep sweep = { .controller = controller,
                           .term = atomic_load(&controller->term),
                           .first = !atomic_load(&controller->swept) };
    sweep.compares = sweep.first && atomic_load(&controller->compares);
    int rc = each_stored(&sweep);
    if (rc == 0 && sweep.compares) {
        kd_catchup_queue(&sweep.catchup, controller);
    }
    kd_catchup_release(&sweep.catchup);
    if (is_over(&sweep)) {
        return;
    }
    if (rc < 0) {
        KD_WARN("cannot compare the graph with the list; trying again",
                KD_F("plugin", controller->kind->instance->name), KD_F("kind", def->kind),
                KD_F("error", kd_errno_text(rc)));
        kd_pool_sweep_at(controller, kd_time_add_ns(kd_now_ns(controller->clock), SWEEP_RETRY_NS));
        return;
    }
    kd_controller_has_swept(controller, sweep.term);
}
