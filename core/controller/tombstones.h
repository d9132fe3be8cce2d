/*
 * The last known state of keys that are gone, for kinds whose plugin wants to see it: one slot for
 * each key, kept until the key is reconciled. Any thread.
 */
#ifndef KD_CONTROLLER_TOMBSTONES_H
#define KD_CONTROLLER_TOMBSTONES_H

#include "base/hmap.h"
#include "informer/record.h"

#include <pthread.h>

struct kd_tombstones {
    pthread_mutex_t lock; /* guards by_key */
    struct kd_hmap by_key;
};

struct kd_tombstone {
    struct kd_hnode node;
    struct kd_record *record;
    uint32_t flags; /* KD_DELETED_* */
};

void kd_tombstones_init(struct kd_tombstones *all);
void kd_tombstones_release(struct kd_tombstones *all);
/* Takes a reference; a later state replaces an earlier one. */
void kd_tombstones_put(struct kd_tombstones *all, struct kd_record *record, uint32_t flags);
/* Takes the key's out; NULL when there is none. The caller owns it. */
struct kd_tombstone *kd_tombstones_take(struct kd_tombstones *all, struct kd_key key);
/* Takes it over, for another try, unless a later one is there. */
void kd_tombstones_put_back(struct kd_tombstones *all, struct kd_tombstone *tombstone);
void kd_tombstone_free(struct kd_tombstone *tombstone); /* accepts NULL */

#endif
