/* One write against the tables: what changes, and only that. */
#include "base/limits.h"
#include "base/str.h"
#include "store/mark.h"
#include "store/nodes.h"
#include "store/relate.h"
#include "store/resource.h"

#define KEEP_ARENA (256 * KD_KIB)

/* The object of a write and what its instance said about it before. */
struct target {
    struct kd_kind_term *kind;
    struct kd_speaker speaker;
    int64_t resource_hash;
    int64_t relations_hash;
};

static int find_said(struct kd_txn *txn, const struct kd_ref *ref, struct target *target)
{
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(&txn->db, KD_SQL_FIND_SAID, &stmt, "itti", target->kind->id, ref->ns,
                        ref->name, target->speaker.instance));
    int rc = kd_db_next(stmt);
    target->speaker.node = rc == 1 ? sqlite3_column_int64(stmt, 0) : 0;
    target->speaker.has_said = rc == 1 && !kd_db_is_null(stmt, 1);
    if (target->speaker.has_said) {
        /* A forgotten hash reads as 0, which is as likely to be right as any other number. */
        target->resource_hash = sqlite3_column_int64(stmt, 2);
        target->relations_hash = sqlite3_column_int64(stmt, 3);
        target->speaker.uid = kd_arena_copy(&txn->arena, kd_db_text(stmt, 4));
        rc = target->speaker.uid.ptr ? 1 : KD_ETOOBIG;
    }
    kd_db_end(&txn->db, KD_SQL_FIND_SAID, stmt);
    return rc < 0 ? rc : 0;
}

static int find_target(struct kd_txn *txn, const struct kd_put *put, struct target *target)
{
    *target = (struct target){ 0 };
    KD_TRY(
        kd_terms_kind(&txn->terms, &txn->db, put->ref.group, put->ref.kind, true, &target->kind));
    if (put->owner) {
        KD_TRY(kd_terms_word(&txn->terms, &txn->db, put->ref.version, &target->kind->version));
    }
    KD_TRY(kd_terms_word(&txn->terms, &txn->db, put->instance, &target->speaker.instance));
    return find_said(txn, &put->ref, target);
}

static bool is_other_uid(struct kd_str a, struct kd_str b)
{
    return a.len && b.len && !kd_str_eq(a, b);
}

/* The resource part of an owner's put. */
static int put_resource(struct kd_txn *txn, struct target *target, const struct kd_write *write)
{
    const struct kd_put *put = &write->put;
    int64_t node = target->speaker.node;
    struct kd_resource_row row = { 0 };
    if (!target->speaker.is_new) {
        KD_TRY(kd_resource_find(txn, node, &row));
    }
    if (row.there && is_other_uid(row.uid, put->ref.uid)) { /* another object of the same name */
        KD_TRY(kd_resource_drop(txn, target->kind, node, &row, row.uid));
        row = (struct kd_resource_row){ 0 };
        KD_TRY(find_said(txn, &put->ref, target));
    }
    bool same = row.there && row.instance == target->speaker.instance && target->speaker.has_said &&
                target->resource_hash == write->resource_hash;
    target->speaker.uid = put->ref.uid.len ? put->ref.uid : row.uid;
    return same ? 0 : kd_resource_set(txn, target->kind, node, target->speaker.instance, &row, put);
}

/* What an instance that does not own the resource said about a former object goes first. */
static int put_observed(struct kd_txn *txn, struct target *target, const struct kd_put *put)
{
    if (target->speaker.has_said && is_other_uid(target->speaker.uid, put->ref.uid)) {
        target->speaker.has_said = false;
        KD_TRY(kd_unrelate(txn, &target->speaker));
    }
    target->speaker.uid = put->ref.uid;
    return 0;
}

static int set_said(struct kd_txn *txn, const struct target *target, const struct kd_write *write)
{
    if (!write->put.owner && write->put.n_relations == 0) {
        kd_node_touch(txn, target->speaker.node);
        return kd_db_run(&txn->db, KD_SQL_DROP_SAID, "ii", target->speaker.node,
                         target->speaker.instance);
    }
    return kd_db_run(&txn->db, KD_SQL_SET_SAID, "iioii", target->speaker.node,
                     target->speaker.instance, target->speaker.uid, write->resource_hash,
                     write->relations_hash);
}

static int apply_put(struct kd_txn *txn, struct kd_write *write)
{
    const struct kd_put *put = &write->put;
    struct target target;
    KD_TRY(find_target(txn, put, &target));
    if (target.speaker.has_said && target.resource_hash == write->resource_hash &&
        target.relations_hash == write->relations_hash) {
        target.kind->done[KD_ACTION_UNCHANGED] += put->owner;
        return 0;
    }
    if (!put->owner && put->n_relations == 0 && !target.speaker.has_said) {
        return 0; /* nothing said before, nothing to say */
    }
    if (target.speaker.node == 0) {
        KD_TRY(kd_node_add(txn, target.kind, &put->ref, &target.speaker.node));
        target.speaker.is_new = true;
    }
    KD_TRY(put->owner ? put_resource(txn, &target, write) : put_observed(txn, &target, put));
    if (!target.speaker.has_said || target.relations_hash != write->relations_hash) {
        KD_TRY(kd_relate(txn, &target.speaker, put));
    }
    return set_said(txn, &target, write);
}

static int find_node(struct kd_txn *txn, const struct kd_ref *ref, struct kd_kind_term **ret_kind,
                     int64_t *ret_node)
{
    int rc = kd_terms_kind(&txn->terms, &txn->db, ref->group, ref->kind, false, ret_kind);
    if (rc == KD_ENOENT) {
        return 0;
    }
    KD_TRY(rc);
    return kd_db_number(&txn->db, KD_SQL_FIND_NODE, ret_node, "itt", (*ret_kind)->id, ref->ns,
                        ref->name);
}

static int apply_remove(struct kd_txn *txn, const struct kd_ref *ref)
{
    struct kd_kind_term *kind = NULL;
    struct kd_resource_row row = { 0 };
    int64_t node = 0;
    int found = find_node(txn, ref, &kind, &node);
    if (found <= 0) {
        return found;
    }
    KD_TRY(kd_resource_find(txn, node, &row));
    if (row.there && is_other_uid(row.uid, ref->uid)) { /* a newer object is there: it stays */
        return kd_said_drop_uid(txn, node, ref->uid);
    }
    return kd_resource_drop(txn, kind, node, &row, KD_STR(""));
}

static int apply_forget(struct kd_txn *txn, const struct kd_put *put)
{
    struct kd_kind_term *kind = NULL;
    struct kd_resource_row row = { 0 };
    int64_t instance = 0;
    int64_t node = 0;
    int found = find_node(txn, &put->ref, &kind, &node);
    if (found <= 0) {
        return found;
    }
    KD_TRY(kd_terms_word(&txn->terms, &txn->db, put->instance, &instance));
    KD_TRY(kd_resource_find(txn, node, &row));
    return kd_resource_forget(txn, kind, node, &row, instance);
}

static int apply_add(struct kd_txn *txn, struct kd_write *write)
{
    struct kd_kind_term *kind = NULL;
    struct kd_resource_row row = { 0 };
    int64_t node = 0;
    int found = find_node(txn, &write->put.ref, &kind, &node);
    KD_TRY(found);
    if (found) {
        KD_TRY(kd_resource_find(txn, node, &row));
    }
    write->result = row.there ? KD_EEXIST : 0;
    return row.there ? 0 : apply_put(txn, write);
}

static int set_number(struct kd_txn *txn, const struct kd_put *put)
{
    return kd_db_run(&txn->db, KD_SQL_SET_META, "ti", put->ref.name, put->created_ns);
}

int kd_apply(struct kd_txn *txn, struct kd_write *write)
{
    kd_arena_reset(&txn->arena, KEEP_ARENA);
    switch (write->op) {
    case KD_WRITE_PUT:
        return apply_put(txn, write);
    case KD_WRITE_ADD:
        return apply_add(txn, write);
    case KD_WRITE_REMOVE:
        return apply_remove(txn, &write->put.ref);
    case KD_WRITE_NUMBER:
        return set_number(txn, &write->put);
    case KD_WRITE_MARK:
        return kd_mark_set(txn, &write->mark);
    case KD_WRITE_FORGET:
        return apply_forget(txn, &write->put);
    }
    return KD_EINVAL;
}
