/*
 * The store says for each controller by which fingerprint its resources were made. Only what was
 * made by the same one is trusted at the start of a term. A mark that is no longer true goes before
 * the first change that it does not speak for.
 */
#include "base/alloc.h"
#include "base/fence.h"
#include "base/log.h"
#include "controller/state.h"

void kd_controller_mark_init(struct kd_controller *controller, int64_t fingerprint)
{
    const struct kd_kind *def = &controller->kind->def;
    int64_t found = 0;
    pthread_mutex_init(&controller->mark_lock, NULL);
    controller->fingerprint = fingerprint;
    if (fingerprint == 0 || !kd_controller_is_owner(controller) ||
        !kd_controller_sweeps(controller)) {
        return;
    }
    controller->mark =
        kd_asprintf("made %s %s.%s", controller->kind->instance->name, def->kind, def->group);
    if (kd_store_get_number(controller->store, controller->mark, &found) == 0) {
        atomic_store(&controller->marked, found == fingerprint);
        controller->mark_is_old = found != fingerprint && found != 0;
    }
}

void kd_controller_mark_release(struct kd_controller *controller)
{
    pthread_mutex_destroy(&controller->mark_lock);
    controller->mark = kd_free(controller->mark);
}

bool kd_controller_may_run(struct kd_controller *controller)
{
    pthread_mutex_lock(&controller->mark_lock);
    if (controller->mark_is_old &&
        kd_store_set_number(controller->store, controller->mark, 0) == 0) {
        controller->mark_is_old = false;
    }
    pthread_mutex_unlock(&controller->mark_lock);
    return kd_fence_is_open(controller->fence); /* last: nothing stands between it and the run */
}

void kd_controller_note_written(struct kd_controller *controller)
{
    if (controller->mark && !atomic_load(&controller->marked) &&
        kd_store_set_number(controller->store, controller->mark, controller->fingerprint) == 0) {
        atomic_store(&controller->marked, true);
    }
}
