/* From the informer to the queue. I/O thread. */
#include "base/crash.h"
#include "controller/state.h"

static void fill_event(const struct kd_controller *controller, const struct kd_informer_event *from,
                       char uid[KD_UID_MAX], char version[KD_VERSION_MAX], struct kd_event *ret)
{
    const struct kd_kind *def = &controller->kind->def;
    struct kd_key key = kd_record_key(from->record);
    *ret = (struct kd_event){
        .struct_size = sizeof(*ret),
        .type = from->type,
        .changed = from->changed,
        .flags = from->flags,
        .ref = { kd_cstr(def->group), kd_cstr(def->version), kd_cstr(def->kind), key.ns, key.name,
                 kd_record_uid(from->record, uid) },
        .resource_version = kd_record_version(from->record, version),
    };
}

/*
 * What is gone leaves the graph whatever the filter says; only a plugin that does all by itself
 * decides about that too.
 */
static bool passes_filter(const struct kd_controller *controller,
                          const struct kd_informer_event *from)
{
    const struct kd_kind *def = &controller->kind->def;
    char uid[KD_UID_MAX];
    char version[KD_VERSION_MAX];
    struct kd_event event;
    if (!def->filter) {
        return true;
    }
    fill_event(controller, from, uid, version, &event);
    const struct kd_crash_place place = { .plugin = controller->kind->instance->name,
                                          .kind = def->kind,
                                          .ns = event.ref.ns,
                                          .name = event.ref.name };
    kd_crash_enter(&place);
    bool wanted = def->filter(controller->kind->instance->self, &event) != KD_FILTER_DROP;
    kd_crash_leave();
    bool gone = from->type == KD_EVENT_DELETED || (from->flags & KD_EVENT_NEW_UID);
    return wanted || (gone && !def->reconcile);
}

static void keep_last_state(struct kd_controller *controller, const struct kd_informer_event *event)
{
    uint32_t flags = event->flags & KD_EVENT_FINAL_UNKNOWN ? KD_DELETED_FINAL_UNKNOWN : 0;
    if (!controller->kind->def.deleted) {
        return;
    }
    if (event->type == KD_EVENT_DELETED) {
        kd_tombstones_put(&controller->tombstones, event->record, flags);
    } else if ((event->flags & KD_EVENT_NEW_UID) && event->old) {
        kd_tombstones_put(&controller->tombstones, event->old, flags);
    }
}

static uint32_t why_of(const struct kd_controller *controller,
                       const struct kd_informer_event *event)
{
    if (event->type == KD_EVENT_DELETED) {
        return KD_WHY_DELETED;
    }
    if (event->type == KD_EVENT_MODIFIED) {
        return KD_WHY_CHANGED;
    }
    bool first = (event->flags & KD_EVENT_INITIAL) && !atomic_load(&controller->listed);
    return KD_WHY_ADDED | (first ? KD_WHY_FIRST : 0);
}

static void on_event(void *arg, const struct kd_informer_event *event)
{
    struct kd_controller *controller = arg;
    bool is_first = (event->flags & KD_EVENT_INITIAL) && !atomic_load(&controller->listed);
    if (is_first && atomic_load(&controller->compares)) {
        return; /* the term's first sweep looks at all that is there */
    }
    if (!passes_filter(controller, event)) {
        return;
    }
    keep_last_state(controller, event);
    int32_t priority = event->flags & KD_EVENT_INITIAL ? KD_PRIORITY_LOW : KD_PRIORITY_NORMAL;
    kd_controller_queue(controller, kd_record_key(event->record), priority,
                        why_of(controller, event), event->changed);
}

static void sweep_now(struct kd_controller *controller)
{
    if (kd_controller_sweeps(controller)) {
        kd_pool_sweep_at(controller, kd_now_ns(controller->clock));
    }
}

static void on_synced(void *arg)
{
    struct kd_controller *controller = arg;
    kd_controller_has_listed(controller);
    sweep_now(controller);
}

static void on_listed(void *arg)
{
    sweep_now(arg);
}

void kd_controller_fill_sink(struct kd_controller *controller, struct kd_informer_sink *ret)
{
    *ret = (struct kd_informer_sink){
        .arg = controller,
        .event = on_event,
        .synced = on_synced,
        .listed = on_listed,
    };
}
