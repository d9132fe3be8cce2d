/* Which kinds have all of their first list in the store: what readiness waits for. */
#include "base/alloc.h"
#include "base/log.h"
#include "manager/kinds.h"

/* A store that fails must not keep the caller from its signals; the next look tries again. */
#define FLUSH_NS (2 * KD_SEC_NS)

/* The first list is in the cache and every key of it went through each controller. */
static bool is_reconciled(const struct kd_running_kind *running)
{
    struct kd_informer_status status;
    kd_informer_get_status(running->informer, &status);
    bool done = status.ever_synced;
    for (size_t i = 0; done && i < running->n_members; i++) {
        struct kd_controller_status controller = { .synced = true };
        if (running->members[i].controller) {
            kd_controller_get_status(running->members[i].controller, &controller);
        }
        done = controller.synced;
    }
    return done;
}

static void mark_written(struct kd_running_kind *running)
{
    struct kd_informer_status status;
    kd_informer_get_status(running->informer, &status);
    for (size_t i = 0; i < running->n_members; i++) {
        if (running->members[i].controller) {
            kd_controller_note_written(running->members[i].controller);
        }
    }
    atomic_store(&running->written, true);
    KD_INFO("kind ready", KD_F("kind", running->owner->def.kind), KD_FU("objects", status.objects),
            KD_F("resourceVersion", status.version));
}

bool kd_kinds_note_written(struct kd_kinds *kinds, struct kd_store *store)
{
    struct kd_view *view = kinds->view; /* the main thread changes it, and this is the main one */
    bool *reconciled = kd_zalloc_array(view->n, sizeof(*reconciled));
    size_t fresh = 0;
    size_t waiting = 0;
    for (size_t i = 0; i < view->n && atomic_load(&kinds->leading); i++) {
        if (!atomic_load(&view->items[i].written)) {
            reconciled[i] = is_reconciled(&view->items[i]);
            fresh += reconciled[i];
            waiting++;
        }
    }
    if (fresh > 0 && kd_store_flush_for(store, FLUSH_NS) == 0) {
        for (size_t i = 0; i < view->n; i++) {
            if (reconciled[i]) {
                mark_written(&view->items[i]);
            }
        }
        waiting -= fresh;
    }
    kd_free(reconciled);
    return waiting > 0;
}
