#include "store/feed.h"

#include "store/attrs.h"
#include "store/nodes.h"

int kd_feed_resource(struct kd_txn *txn, enum kd_change_type type, int64_t node, int64_t version,
                     struct kd_str uid)
{
    struct kd_str none = { NULL, 0 };
    txn->seq++;
    txn->rows[KD_ROW_FEED]++;
    return kd_db_run(&txn->db, KD_SQL_ADD_FEED, "iiizozzozzo", (int64_t)txn->seq, (int64_t)type,
                     node, version, uid, INT64_C(0), INT64_C(0), none, INT64_C(0), INT64_C(0),
                     none);
}

int kd_feed_relation(struct kd_txn *txn, enum kd_change_type type, const struct kd_rel *rel,
                     const struct kd_mention *subject, const struct kd_mention *object)
{
    kd_buf_clear(&txn->text, KD_MAX_KEPT_TEXT);
    KD_TRY(kd_attrs_object(&txn->text, rel->attrs, rel->extra));
    txn->seq++;
    txn->rows[KD_ROW_FEED]++;
    return kd_db_run(&txn->db, KD_SQL_ADD_FEED, "iiizozzozzo", (int64_t)txn->seq, (int64_t)type,
                     rel->subject, subject->version, subject->uid, rel->object, object->version,
                     object->uid, rel->type, rel->id, kd_buf_str(&txn->text));
}

int kd_feed_trim(struct kd_txn *txn)
{
    if (txn->seq <= txn->floor + txn->feed_keep) {
        return 0;
    }
    txn->floor = txn->seq - txn->feed_keep;
    KD_TRY(kd_db_run(&txn->db, KD_SQL_TRIM_FEED, "i", (int64_t)txn->floor));
    return kd_nodes_forget(txn);
}
