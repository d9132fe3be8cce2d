/*
 * One write transaction: what the writer's thread carries through a batch. Everything in here
 * belongs to that thread.
 *
 * Life: kd_txn_open once; then per batch kd_txn_begin, kd_apply for each write, kd_txn_commit, or
 * kd_txn_rollback after a failure, which leaves all as it was before; kd_txn_close.
 */
#ifndef KD_STORE_TXN_H
#define KD_STORE_TXN_H

#include "base/buf.h"
#include "base/limits.h"
#include "store/blob.h"
#include "store/store.h"
#include "store/terms.h"
#include "store/write.h"

/* Rows written, by what they are about; for metrics. */
enum kd_row { KD_ROW_RESOURCE, KD_ROW_RELATION, KD_ROW_FEED };
#define KD_ROWS 3

#define KD_MAX_KEPT_TEXT (64 * KD_KIB) /* memory that txn->text keeps */

struct kd_txn {
    struct kd_db db;
    struct kd_terms terms;
    struct kd_blob_uses blob_uses;
    struct kd_arena arena; /* scratch of one write */
    struct kd_buf text;    /* scratch of one step, empty between them */
    uint64_t seed;         /* of the hashes; set at open, read by any thread */
    uint64_t feed_keep;

    uint64_t seq;      /* last row of the feed */
    uint64_t floor;    /* last row that was trimmed away */
    uint64_t next_rel; /* id of the next relation */
    uint64_t committed_seq, committed_floor, committed_rel;

    int64_t now_ns;   /* wall clock of the batch */
    int64_t *touched; /* nodes that may be needed no more */
    size_t n_touched, cap_touched;
    uint64_t rows[KD_ROWS];
};

int kd_txn_open(struct kd_txn *txn, const char *path, bool durable, int64_t feed_keep,
                struct kd_error *reterr) KD_MUST_USE;
void kd_txn_close(struct kd_txn *txn); /* accepts a zeroed one */

int kd_txn_begin(struct kd_txn *txn, int64_t now_ns) KD_MUST_USE;
int kd_txn_commit(struct kd_txn *txn) KD_MUST_USE;
void kd_txn_rollback(struct kd_txn *txn);

/* One write. An add of what is there sets write->result and succeeds. */
int kd_apply(struct kd_txn *txn, struct kd_write *write) KD_MUST_USE;

#endif
