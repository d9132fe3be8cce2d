#include "store/txn.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "store/attrs.h"
#include "store/feed.h"
#include "store/nodes.h"
#include "store/schema.h"

/* Interned texts past this are forgotten between batches and read again when needed. */
#define MAX_CACHED_TERMS 10000

static int load_meta(struct kd_txn *txn)
{
    int64_t seq = 0;
    int64_t rel = 0;
    int64_t seed = 0;
    int64_t floor = 0;
    KD_TRY(kd_db_number(&txn->db, KD_SQL_GET_META, &seq, "t", KD_STR("seq")));
    KD_TRY(kd_db_number(&txn->db, KD_SQL_GET_META, &rel, "t", KD_STR("rel")));
    KD_TRY(kd_db_number(&txn->db, KD_SQL_GET_META, &seed, "t", KD_STR("seed")));
    floor = seq;
    KD_TRY(kd_db_number(&txn->db, KD_SQL_FEED_FLOOR, &floor, ""));
    txn->seq = txn->committed_seq = (uint64_t)seq;
    txn->next_rel = txn->committed_rel = (uint64_t)rel;
    txn->floor = txn->committed_floor = (uint64_t)floor;
    txn->seed = (uint64_t)seed;
    return 0;
}

int kd_txn_open(struct kd_txn *txn, const char *path, bool durable, int64_t feed_keep,
                struct kd_error *reterr)
{
    *txn = (struct kd_txn){ .feed_keep = feed_keep > 0 ? (uint64_t)feed_keep : 0 };
    kd_arena_init(&txn->arena, KD_MAX_SCRATCH);
    kd_buf_init(&txn->text, KD_MAX_RELATION_TEXT);
    KD_TRY(kd_db_open(&txn->db, path, KD_DB_WRITER, durable, reterr));
    int rc = kd_schema_prepare(&txn->db, path, reterr);
    if (rc == 0) {
        rc = load_meta(txn);
        if (rc < 0) {
            (void)kd_fail(reterr, rc, "store %s: %s", path, sqlite3_errmsg(txn->db.handle));
        }
    }
    if (rc < 0) {
        kd_txn_close(txn);
    }
    return rc;
}

void kd_txn_close(struct kd_txn *txn)
{
    kd_terms_reset(&txn->terms);
    kd_blob_uses_reset(&txn->blob_uses);
    kd_arena_release(&txn->arena);
    kd_buf_release(&txn->text);
    kd_free(txn->touched);
    kd_db_close(&txn->db);
    *txn = (struct kd_txn){ 0 };
}

int kd_txn_begin(struct kd_txn *txn, int64_t now_ns)
{
    txn->now_ns = now_ns;
    if (txn->terms.words_by_id.n + txn->terms.kinds_by_id.n > MAX_CACHED_TERMS) {
        kd_terms_reset(&txn->terms);
    }
    return kd_db_run(&txn->db, KD_SQL_BEGIN_WRITE, "");
}

static int write_counts(struct kd_txn *txn)
{
    struct kd_hnode *node = kd_hmap_begin(&txn->terms.kinds_by_id);
    for (; node; node = kd_hmap_step(&txn->terms.kinds_by_id, node)) {
        struct kd_kind_term *kind = KD_CONTAINER_OF(node, struct kd_kind_term, by_id);
        if (kind->stored_changed) {
            KD_TRY(kd_db_run(&txn->db, KD_SQL_SET_STORED, "ii", kind->id, kind->stored));
        }
    }
    return 0;
}

static int write_meta(struct kd_txn *txn)
{
    if (txn->seq != txn->committed_seq) {
        KD_TRY(kd_db_run(&txn->db, KD_SQL_SET_META, "ti", KD_STR("seq"), (int64_t)txn->seq));
    }
    if (txn->next_rel != txn->committed_rel) {
        KD_TRY(kd_db_run(&txn->db, KD_SQL_SET_META, "ti", KD_STR("rel"), (int64_t)txn->next_rel));
    }
    return 0;
}

int kd_txn_commit(struct kd_txn *txn)
{
    KD_TRY(kd_nodes_sweep(txn));
    KD_TRY(kd_feed_trim(txn));
    KD_TRY(kd_blob_uses_write(&txn->db, &txn->blob_uses));
    KD_TRY(write_counts(txn));
    KD_TRY(write_meta(txn));
    KD_TRY(kd_db_run(&txn->db, KD_SQL_COMMIT, ""));
    txn->committed_seq = txn->seq;
    txn->committed_rel = txn->next_rel;
    txn->committed_floor = txn->floor;
    kd_blob_uses_reset(&txn->blob_uses);
    return 0;
}

void kd_txn_rollback(struct kd_txn *txn)
{
    kd_db_rollback(&txn->db);
    kd_terms_reset(&txn->terms);
    kd_blob_uses_reset(&txn->blob_uses);
    txn->seq = txn->committed_seq;
    txn->next_rel = txn->committed_rel;
    txn->floor = txn->committed_floor;
    txn->n_touched = 0;
    for (size_t i = 0; i < KD_ROWS; i++) {
        txn->rows[i] = 0;
    }
}
