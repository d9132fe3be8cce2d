#include "store/counts.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"

struct kind_count {
    struct kd_hnode node;
    char *group;
    char *name;
    uint64_t n;
};

void kd_counts_init(struct kd_counts *counts)
{
    *counts = (struct kd_counts){ 0 };
    (void)pthread_mutex_init(&counts->lock, NULL); /* does not fail without attributes */
}

void kd_counts_release(struct kd_counts *counts)
{
    struct kd_hnode *node;
    while ((node = kd_hmap_begin(&counts->kinds))) {
        struct kind_count *kind = KD_CONTAINER_OF(node, struct kind_count, node);
        kd_hmap_remove(&counts->kinds, node);
        kd_free(kind->group);
        kd_free(kind->name);
        kd_free(kind);
    }
    kd_hmap_release(&counts->kinds);
    (void)pthread_mutex_destroy(&counts->lock);
}

static struct kind_count *find(const struct kd_counts *counts, struct kd_str group,
                               struct kd_str name, uint64_t hash)
{
    struct kd_hnode *node = kd_hmap_first(&counts->kinds, hash);
    for (; node; node = kd_hmap_next_same(node)) {
        struct kind_count *kind = KD_CONTAINER_OF(node, struct kind_count, node);
        if (kd_str_is(name, kind->name) && kd_str_is(group, kind->group)) {
            return kind;
        }
    }
    return NULL;
}

static uint64_t hash_kind(struct kd_str group, struct kd_str name)
{
    return kd_hash(group.ptr, group.len, kd_hash_str(name));
}

static void set(struct kd_counts *counts, struct kd_str group, struct kd_str name, int64_t n)
{
    uint64_t hash = hash_kind(group, name);
    (void)pthread_mutex_lock(&counts->lock);
    struct kind_count *kind = find(counts, group, name, hash);
    if (!kind) {
        kind = kd_zalloc(sizeof(*kind));
        kind->group = kd_str_dup(group);
        kind->name = kd_str_dup(name);
        kd_hmap_add(&counts->kinds, &kind->node, hash);
    }
    kind->n = n > 0 ? (uint64_t)n : 0;
    (void)pthread_mutex_unlock(&counts->lock);
}

int kd_counts_load(struct kd_counts *counts, struct kd_db *db)
{
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(db, KD_SQL_ALL_KINDS, &stmt, ""));
    int rc;
    while ((rc = kd_db_next(stmt)) == 1) {
        int64_t n = sqlite3_column_int64(stmt, 2);
        if (n) { /* others are only named by relations */
            set(counts, kd_db_text(stmt, 0), kd_db_text(stmt, 1), n);
        }
    }
    kd_db_end(db, KD_SQL_ALL_KINDS, stmt);
    return rc;
}

uint64_t kd_counts_get(struct kd_counts *counts, struct kd_str group, struct kd_str name)
{
    (void)pthread_mutex_lock(&counts->lock);
    const struct kind_count *kind = find(counts, group, name, hash_kind(group, name));
    uint64_t n = kind ? kind->n : 0;
    (void)pthread_mutex_unlock(&counts->lock);
    return n;
}

void kd_store_metrics_init(struct kd_store_metrics *metrics, struct kd_metrics *registry)
{
    static const char *const table_label[] = { "table" };
    static const char *const code_label[] = { "code" };
    static const char *const kind_labels[] = { "group", "version", "kind", "action" };
    static const char *const tables[KD_ROWS] = { "resource", "relation", "feed" };
    *metrics = (struct kd_store_metrics){ 0 };
    metrics->batches = kd_family_series(
        kd_metrics_family(registry,
                          &(struct kd_family_spec){ .type = KD_COUNTER,
                                                    .name = "kindred_store_batches_total",
                                                    .help = "Batches that the store committed." }),
        NULL);
    metrics->seconds = kd_family_series(
        kd_metrics_family(registry,
                          &(struct kd_family_spec){ .type = KD_HISTOGRAM,
                                                    .name = "kindred_store_batch_seconds",
                                                    .help = "Time to write and commit one batch.",
                                                    .buckets = kd_buckets_default,
                                                    .n_buckets = kd_buckets_default_n }),
        NULL);
    metrics->queue = kd_family_series(
        kd_metrics_family(
            registry, &(struct kd_family_spec){ .type = KD_GAUGE,
                                                .name = "kindred_store_queue",
                                                .help = "Changes that are not committed yet." }),
        NULL);
    struct kd_family *rows = kd_metrics_family(
        registry, &(struct kd_family_spec){ .type = KD_COUNTER,
                                            .name = "kindred_store_rows_total",
                                            .help = "Rows written, changed or removed.",
                                            .labels = table_label,
                                            .n_labels = 1 });
    for (size_t i = 0; i < KD_ROWS; i++) {
        metrics->rows[i] = kd_family_series(rows, &tables[i]);
    }
    metrics->errors = kd_metrics_family(
        registry, &(struct kd_family_spec){ .type = KD_COUNTER,
                                            .name = "kindred_store_errors_total",
                                            .help = "Batches that failed, by error.",
                                            .labels = code_label,
                                            .n_labels = 1 });
    metrics->processed = kd_metrics_family(
        registry, &(struct kd_family_spec){
                      .type = KD_COUNTER,
                      .name = "antimetal_controller_resources_processed_total",
                      .help = "Resources that the graph took, by what it did with them.",
                      .labels = kind_labels,
                      .n_labels = KD_ARRAY_LEN(kind_labels) });
}

static void publish_done(const struct kd_store_metrics *metrics, struct kd_txn *txn,
                         struct kd_kind_term *kind)
{
    static const char *const actions[KD_ACTIONS] = { "created", "updated", "deleted", "unchanged" };
    struct kd_str version = { "", 0 };
    for (size_t i = 0; i < KD_ACTIONS; i++) {
        if (kind->done[i] && kd_terms_text(&txn->terms, &txn->db, kind->version, &version) == 0) {
            const char *values[] = { kind->group.ptr, version.ptr, kind->name.ptr, actions[i] };
            kd_counter_add(kd_family_series(metrics->processed, values), (double)kind->done[i]);
        }
        kind->done[i] = 0;
    }
}

void kd_counts_publish(struct kd_counts *counts, const struct kd_store_metrics *metrics,
                       struct kd_txn *txn, double seconds)
{
    struct kd_hnode *node = kd_hmap_begin(&txn->terms.kinds_by_id);
    for (; node; node = kd_hmap_step(&txn->terms.kinds_by_id, node)) {
        struct kd_kind_term *kind = KD_CONTAINER_OF(node, struct kd_kind_term, by_id);
        publish_done(metrics, txn, kind);
        if (kind->stored_changed) {
            set(counts, kind->group, kind->name, kind->stored);
            kind->stored_changed = false;
        }
    }
    for (size_t i = 0; i < KD_ROWS; i++) {
        kd_counter_add(metrics->rows[i], (double)txn->rows[i]);
        txn->rows[i] = 0;
    }
    kd_counter_add(metrics->batches, 1);
    kd_histogram_observe(metrics->seconds, seconds);
}
