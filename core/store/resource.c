#include "store/resource.h"

#include "base/str.h"
#include "store/nodes.h"
#include "store/relate.h"

int kd_resource_find(struct kd_txn *txn, int64_t node, struct kd_resource_row *ret)
{
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(&txn->db, KD_SQL_FIND_RESOURCE, &stmt, "i", node));
    int rc = kd_db_next(stmt);
    *ret = (struct kd_resource_row){ .there = rc == 1 };
    if (rc == 1) {
        ret->uid = kd_arena_copy(&txn->arena, kd_db_text(stmt, 0));
        ret->version = sqlite3_column_int64(stmt, 1);
        ret->instance = sqlite3_column_int64(stmt, 2);
        ret->created_ns = sqlite3_column_int64(stmt, 3);
        rc = ret->uid.ptr ? 1 : KD_ETOOBIG;
    }
    kd_db_end(&txn->db, KD_SQL_FIND_RESOURCE, stmt);
    return rc < 0 ? rc : 0;
}

static void count(struct kd_kind_term *kind, int64_t version, enum kd_action action, int change)
{
    kind->version = version;
    kind->done[action]++;
    kind->stored += change;
    kind->stored_changed = kind->stored_changed || change != 0;
}

int kd_resource_set(struct kd_txn *txn, struct kd_kind_term *kind, int64_t node, int64_t instance,
                    const struct kd_resource_row *old, const struct kd_put *put)
{
    int64_t version = 0;
    struct kd_str uid = put->ref.uid.len ? put->ref.uid : old->uid;
    int64_t created_ns = put->created_ns ? put->created_ns : old->created_ns;
    if (old->there && old->instance != instance) {
        /* What the former owner put is overwritten: the same from it is then a change. */
        KD_TRY(kd_db_run(&txn->db, KD_SQL_FORGET_SAID, "ii", node, old->instance));
    }
    KD_TRY(kd_terms_word(&txn->terms, &txn->db, put->ref.version, &version));
    KD_TRY(kd_db_run(&txn->db, KD_SQL_SET_RESOURCE, "ioiitttiio", node, uid, version, instance,
                     put->version_text, put->labels, put->annotations, created_ns, txn->now_ns,
                     put->data));
    KD_TRY(kd_blob_set(&txn->db, &txn->blob_uses, node, old->there, put->record));
    txn->rows[KD_ROW_RESOURCE]++;
    count(kind, version, old->there ? KD_ACTION_UPDATED : KD_ACTION_CREATED, old->there ? 0 : 1);
    return kd_feed_resource(txn, KD_CHANGE_PUT, node, version, uid);
}

struct said_row {
    struct said_row *next;
    int64_t instance;
    struct kd_str uid;
};

static int load_said(struct kd_txn *txn, int64_t node, struct said_row **ret)
{
    sqlite3_stmt *stmt = NULL;
    struct said_row *list = NULL;
    KD_TRY(kd_db_select(&txn->db, KD_SQL_ALL_SAID, &stmt, "i", node));
    int rc;
    while ((rc = kd_db_next(stmt)) == 1) {
        struct said_row *row = kd_arena_alloc(&txn->arena, sizeof(*row));
        struct kd_str uid = kd_arena_copy(&txn->arena, kd_db_text(stmt, 1));
        if (!row || !uid.ptr) {
            rc = KD_ETOOBIG;
            break;
        }
        *row = (struct said_row){ .next = list, .uid = uid };
        row->instance = sqlite3_column_int64(stmt, 0);
        list = row;
    }
    kd_db_end(&txn->db, KD_SQL_ALL_SAID, stmt);
    *ret = list;
    return rc < 0 ? rc : 0;
}

static int drop_said(struct kd_txn *txn, int64_t node, const struct said_row *row)
{
    struct kd_speaker speaker = { .node = node, .instance = row->instance, .uid = row->uid };
    KD_TRY(kd_unrelate(txn, &speaker));
    return kd_db_run(&txn->db, KD_SQL_DROP_SAID, "ii", node, row->instance);
}

int kd_said_drop_uid(struct kd_txn *txn, int64_t node, struct kd_str uid)
{
    struct said_row *row = NULL;
    KD_TRY(load_said(txn, node, &row));
    for (; row; row = row->next) {
        if (kd_str_eq(row->uid, uid)) {
            KD_TRY(drop_said(txn, node, row));
        }
    }
    kd_node_touch(txn, node);
    return 0;
}

static int drop_row(struct kd_txn *txn, struct kd_kind_term *kind, int64_t node,
                    const struct kd_resource_row *row)
{
    KD_TRY(kd_blob_drop(&txn->db, &txn->blob_uses, node));
    KD_TRY(kd_db_run(&txn->db, KD_SQL_DROP_RESOURCE, "i", node));
    txn->rows[KD_ROW_RESOURCE]++;
    count(kind, row->version, KD_ACTION_DELETED, -1);
    return kd_feed_resource(txn, KD_CHANGE_DELETE, node, row->version, row->uid);
}

int kd_resource_forget(struct kd_txn *txn, struct kd_kind_term *kind, int64_t node,
                       const struct kd_resource_row *row, int64_t instance)
{
    struct said_row *said = NULL;
    KD_TRY(load_said(txn, node, &said));
    for (; said; said = said->next) {
        if (said->instance == instance) {
            KD_TRY(drop_said(txn, node, said));
        }
    }
    kd_node_touch(txn, node);
    return row->there && row->instance == instance ? drop_row(txn, kind, node, row) : 0;
}

int kd_resource_drop(struct kd_txn *txn, struct kd_kind_term *kind, int64_t node,
                     const struct kd_resource_row *row, struct kd_str uid)
{
    struct said_row *said = NULL;
    KD_TRY(load_said(txn, node, &said));
    for (; said; said = said->next) {
        if (uid.len == 0 || said->uid.len == 0 || kd_str_eq(said->uid, uid)) {
            KD_TRY(drop_said(txn, node, said));
        }
    }
    kd_node_touch(txn, node);
    return row->there ? drop_row(txn, kind, node, row) : 0;
}
