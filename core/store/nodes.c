#include "store/nodes.h"

#include "base/alloc.h"

#include <stdlib.h>

int kd_node_add(struct kd_txn *txn, const struct kd_kind_term *kind, const struct kd_ref *ref,
                int64_t *ret)
{
    KD_TRY(kd_db_run(&txn->db, KD_SQL_ADD_NODE, "itt", kind->id, ref->ns, ref->name));
    *ret = sqlite3_last_insert_rowid(txn->db.handle);
    return 0;
}

int kd_node_make(struct kd_txn *txn, const struct kd_ref *ref, int64_t *ret, bool *ret_made)
{
    struct kd_kind_term *kind = NULL;
    KD_TRY(kd_terms_kind(&txn->terms, &txn->db, ref->group, ref->kind, true, &kind));
    int found = kd_db_number(&txn->db, KD_SQL_FIND_NODE, ret, "itt", kind->id, ref->ns, ref->name);
    KD_TRY(found);
    *ret_made = !found;
    return found ? 0 : kd_node_add(txn, kind, ref, ret);
}

void kd_node_touch(struct kd_txn *txn, int64_t node)
{
    if (txn->n_touched == txn->cap_touched) {
        txn->cap_touched = txn->cap_touched ? txn->cap_touched * 2 : 64;
        txn->touched = kd_realloc_array(txn->touched, txn->cap_touched, sizeof(*txn->touched));
    }
    txn->touched[txn->n_touched++] = node;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int is_used(struct kd_txn *txn, int64_t node, bool *ret)
{
    int64_t used = 0;
    KD_TRY(kd_db_number(&txn->db, KD_SQL_NODE_USED, &used, "i", node));
    *ret = used != 0;
    return 0;
}

int kd_nodes_sweep(struct kd_txn *txn)
{
    if (txn->n_touched) {
        qsort(txn->touched, txn->n_touched, sizeof(*txn->touched), by_number);
    }
    for (size_t i = 0; i < txn->n_touched; i++) {
        int64_t node = txn->touched[i];
        bool used = false;
        if (i > 0 && node == txn->touched[i - 1]) {
            continue;
        }
        KD_TRY(is_used(txn, node, &used));
        if (!used) {
            KD_TRY(kd_db_run(&txn->db, KD_SQL_ADD_GONE, "ii", node, (int64_t)txn->seq));
        }
    }
    txn->n_touched = 0;
    return 0;
}

static int forget(struct kd_txn *txn, int64_t node)
{
    bool used = false;
    KD_TRY(kd_db_run(&txn->db, KD_SQL_DROP_GONE, "i", node));
    KD_TRY(is_used(txn, node, &used));
    return used ? 0 : kd_db_run(&txn->db, KD_SQL_DROP_NODE, "i", node);
}

int kd_nodes_forget(struct kd_txn *txn)
{
    int64_t node = 0;
    int found;
    while ((found = kd_db_number(&txn->db, KD_SQL_OLD_GONE, &node, "i", (int64_t)txn->floor)) ==
           1) {
        KD_TRY(forget(txn, node));
    }
    return found;
}
