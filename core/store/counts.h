/* Resources per kind as last committed, for kd_store_count, and the metrics of the writer. */
#ifndef KD_STORE_COUNTS_H
#define KD_STORE_COUNTS_H

#include "metrics/metrics.h"
#include "store/txn.h"

#include <pthread.h>

struct kd_counts {
    pthread_mutex_t lock; /* guards kinds */
    struct kd_hmap kinds;
};

void kd_counts_init(struct kd_counts *counts);
void kd_counts_release(struct kd_counts *counts);
int kd_counts_load(struct kd_counts *counts, struct kd_db *db) KD_MUST_USE;
uint64_t kd_counts_get(struct kd_counts *counts, struct kd_str group, struct kd_str name);

struct kd_store_metrics {
    struct kd_series *batches;
    struct kd_series *seconds;
    struct kd_series *rows[KD_ROWS];
    struct kd_series *queue;
    struct kd_family *errors;
    struct kd_family *processed;
};

void kd_store_metrics_init(struct kd_store_metrics *metrics, struct kd_metrics *registry);
/* A batch is committed: makes what the transaction counted known, and starts it anew. */
void kd_counts_publish(struct kd_counts *counts, const struct kd_store_metrics *metrics,
                       struct kd_txn *txn, double seconds);

#endif
