/*
 * The first sync, counted exactly: a key of the first list or sweep is queued with KD_WHY_FIRST,
 * and the queue says whether the key waits with that mark already. Each mark that goes in is
 * counted, and each run that had it is counted out, however adds were merged.
 */
#include "controller/state.h"

static void check(struct kd_controller *controller)
{
    pthread_mutex_lock(&controller->sync_lock);
    if (atomic_load(&controller->listed) && atomic_load(&controller->swept) &&
        atomic_load(&controller->outstanding) == 0) {
        atomic_store(&controller->synced, true);
    }
    pthread_mutex_unlock(&controller->sync_lock);
}

/* Runs of the term before that still go on stay counted until they end. */
void kd_controller_sync_begin(struct kd_controller *controller)
{
    uint64_t dropped = kd_queue_clear(controller->queue, KD_WHY_FIRST);
    pthread_mutex_lock(&controller->sync_lock);
    atomic_store(&controller->listed, false);
    atomic_store(&controller->swept, !kd_controller_sweeps(controller));
    atomic_store(&controller->synced, false);
    atomic_fetch_sub(&controller->outstanding, (int_fast64_t)dropped);
    pthread_mutex_unlock(&controller->sync_lock);
}

void kd_controller_queue(struct kd_controller *controller, struct kd_key key, int32_t priority,
                         uint32_t why, uint32_t changed)
{
    if ((why & KD_WHY_FIRST) == 0) {
        (void)kd_queue_add(controller->queue, key, priority, why, changed);
        return;
    }
    /* Counted before the add, so that a fast worker never finds the count too low. */
    atomic_fetch_add(&controller->outstanding, 1);
    if (kd_queue_add(controller->queue, key, priority, why, changed) & KD_WHY_FIRST) {
        kd_controller_ran(controller, KD_WHY_FIRST);
    }
}

void kd_controller_ran(struct kd_controller *controller, uint32_t why)
{
    if (why & KD_WHY_FIRST) {
        atomic_fetch_sub(&controller->outstanding, 1);
        check(controller);
    }
}

void kd_controller_has_listed(struct kd_controller *controller)
{
    atomic_store(&controller->listed, true);
    check(controller);
}

void kd_controller_has_swept(struct kd_controller *controller, uint64_t term)
{
    pthread_mutex_lock(&controller->sync_lock);
    if (atomic_load(&controller->term) == term) {
        atomic_store(&controller->swept, true);
    }
    pthread_mutex_unlock(&controller->sync_lock);
    check(controller);
}
