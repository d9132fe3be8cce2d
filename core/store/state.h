/* A store's parts, for the files of this stage. */
#ifndef KD_STORE_STATE_H
#define KD_STORE_STATE_H

#include "store/counts.h"
#include "store/place.h"
#include "store/inbox.h"
#include "store/reader.h"
#include "store/subscribe.h"
#include "store/txn.h"

#define KD_STORE_MAGIC 0x4b445354u /* "KDST" */

struct kd_store {
    uint32_t magic;
    const struct kd_clock *clock;
    const struct kd_fence *fence; /* NULL: none. Set before the first change */
    struct kd_place_hold place;
    struct kd_inbox inbox;
    struct kd_txn txn; /* the writer thread's */
    struct kd_readers readers;
    struct kd_hub hub;
    struct kd_counts counts;
    struct kd_store_metrics metrics;
    size_t wal_pages; /* in the log after the last commit; the writer thread's */
    bool hopeless;    /* a batch was lost while closing: the others get one try. Likewise */
    pthread_t writer;

    pthread_mutex_t health_lock; /* guards health */
    struct kd_error health;      /* code 0: the last batch was written */
};

/* The writer's thread. */
void *kd_writer_run(void *store);

#endif
