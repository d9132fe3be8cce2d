#include "store/saying.h"

#include "base/ref.h"
#include "base/str.h"
#include "store/attrs.h"
#include "store/nodes.h"

#include <stdlib.h>

#define FEW 16 /* relations that are compared one by one rather than looked up */

static int keep(struct kd_txn *txn, struct kd_str text, struct kd_str *ret)
{
    *ret = (struct kd_str){ NULL, 0 };
    if (text.len) {
        *ret = kd_arena_copy(&txn->arena, text);
        KD_ENSURE(ret->ptr, KD_ETOOBIG);
    }
    return 0;
}

static int load_row(struct kd_txn *txn, sqlite3_stmt *stmt, struct kd_saying *ret)
{
    *ret = (struct kd_saying){ .rel.id = sqlite3_column_int64(stmt, 0) };
    ret->subject.version = sqlite3_column_int64(stmt, 2);
    ret->object.version = sqlite3_column_int64(stmt, 3);
    KD_TRY(keep(txn, kd_db_text(stmt, 1), &ret->rel.extra));
    KD_TRY(keep(txn, kd_db_text(stmt, 4), &ret->subject.uid));
    return keep(txn, kd_db_text(stmt, 5), &ret->object.uid);
}

/* Room for one more; the array doubles, its old parts stay in the arena until the write is done. */
static int grow(struct kd_txn *txn, struct kd_sayings *sayings, size_t *cap)
{
    if (sayings->n < *cap) {
        return 0;
    }
    size_t more = *cap ? *cap * 2 : 8;
    struct kd_saying *items = kd_arena_alloc(&txn->arena, more * sizeof(*items));
    KD_ENSURE(items, KD_ETOOBIG);
    if (sayings->n) {
        memcpy(items, sayings->items, sayings->n * sizeof(*items));
    }
    sayings->items = items;
    *cap = more;
    return 0;
}

int kd_sayings_load(struct kd_txn *txn, const struct kd_speaker *speaker, struct kd_sayings *ret)
{
    struct kd_sayings sayings = { 0 };
    size_t cap = 0;
    sqlite3_stmt *stmt = NULL;
    KD_TRY(
        kd_db_select(&txn->db, KD_SQL_ORIGIN_SAYS, &stmt, "ii", speaker->node, speaker->instance));
    int rc;
    while ((rc = kd_db_next(stmt)) == 1) {
        rc = grow(txn, &sayings, &cap);
        rc = rc ? rc : load_row(txn, stmt, &sayings.items[sayings.n]);
        if (rc < 0) {
            break;
        }
        sayings.n++;
    }
    kd_db_end(&txn->db, KD_SQL_ORIGIN_SAYS, stmt);
    KD_TRY(rc);
    *ret = sayings;
    return 0;
}

static int find_rel(struct kd_txn *txn, struct kd_rel *rel, bool *ret_found)
{
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(&txn->db, KD_SQL_FIND_REL, &stmt, "iii", rel->object, rel->type,
                        rel->subject));
    int rc;
    while ((rc = kd_db_next(stmt)) == 1) {
        if (kd_str_eq(kd_db_text(stmt, 1), rel->attrs)) {
            rel->id = sqlite3_column_int64(stmt, 0);
            break;
        }
    }
    kd_db_end(&txn->db, KD_SQL_FIND_REL, stmt);
    *ret_found = rc == 1;
    return rc < 0 ? rc : 0;
}

static int make_rel(struct kd_txn *txn, struct kd_rel *rel)
{
    rel->id = (int64_t)txn->next_rel++;
    txn->rows[KD_ROW_RELATION]++;
    return kd_db_run(&txn->db, KD_SQL_ADD_REL, "iiiitt", rel->id, rel->subject, rel->type,
                     rel->object, rel->attrs, rel->extra);
}

static int write_attrs(struct kd_txn *txn, const struct kd_relation *relation, struct kd_rel *rel)
{
    struct kd_buf *text = &txn->text;
    kd_buf_clear(text, KD_MAX_KEPT_TEXT);
    KD_TRY(kd_attrs_write(text, relation->attrs, relation->n_attrs, 0));
    KD_ENSURE(text->len <= KD_MAX_ATTRS_TEXT, KD_ETOOBIG);
    KD_TRY(keep(txn, kd_buf_str(text), &rel->attrs));
    kd_buf_clear(text, KD_MAX_KEPT_TEXT);
    KD_TRY(kd_attrs_write(text, relation->attrs, relation->n_attrs, KD_ATTR_ANY));
    KD_ENSURE(text->len <= KD_MAX_ATTRS_TEXT, KD_ETOOBIG);
    return keep(txn, kd_buf_str(text), &rel->extra);
}

/*
 * The uid of an end that is the owner's own object is its resource's, for as long as the row lives:
 * it is left out. Another instance may speak about a uid that the owner has not brought yet.
 */
static int mention(struct kd_txn *txn, const struct kd_speaker *speaker, const struct kd_put *put,
                   const struct kd_ref *ref, int64_t node, struct kd_mention *ret)
{
    bool own = put->owner && node == speaker->node && kd_str_eq(put->ref.uid, ref->uid);
    ret->uid = own ? (struct kd_str){ NULL, 0 } : ref->uid;
    ret->version = 0;
    return ref->version.len ? kd_terms_word(&txn->terms, &txn->db, ref->version, &ret->version) : 0;
}

/* Most relations have the speaker at one end, whose node is known. */
static int find_end(struct kd_txn *txn, const struct kd_speaker *speaker, const struct kd_put *put,
                    const struct kd_ref *ref, int64_t *ret, bool *ret_new)
{
    if (kd_ref_same(ref, &put->ref)) {
        *ret = speaker->node;
        *ret_new = speaker->is_new;
        return 0;
    }
    return kd_node_make(txn, ref, ret, ret_new);
}

static bool find_among(const struct kd_sayings *sayings, struct kd_rel *rel)
{
    for (size_t i = 0; i < sayings->n; i++) {
        const struct kd_rel *other = &sayings->items[i].rel;
        if (other->subject == rel->subject && other->object == rel->object &&
            other->type == rel->type && kd_str_eq(other->attrs, rel->attrs)) {
            rel->id = other->id;
            return true;
        }
    }
    return false;
}

/* A new node can only be named by what the same put said before. */
static int find_saying(struct kd_txn *txn, const struct kd_sayings *sayings, struct kd_rel *rel,
                       bool has_new_end, bool *ret_found)
{
    if (has_new_end && sayings->n <= FEW) {
        *ret_found = find_among(sayings, rel);
        return 0;
    }
    return find_rel(txn, rel, ret_found);
}

/* Adds what one relation of the put says. */
static int make_saying(struct kd_txn *txn, const struct kd_speaker *speaker,
                       const struct kd_put *put, const struct kd_relation *relation,
                       struct kd_sayings *sayings)
{
    struct kd_saying *saying = &sayings->items[sayings->n];
    struct kd_rel *rel = &saying->rel;
    bool new_subject = false;
    bool new_object = false;
    bool found = false;
    *saying = (struct kd_saying){ .order = sayings->n };
    KD_TRY(kd_terms_word(&txn->terms, &txn->db, relation->type, &rel->type));
    KD_TRY(find_end(txn, speaker, put, &relation->subject, &rel->subject, &new_subject));
    KD_TRY(find_end(txn, speaker, put, &relation->object, &rel->object, &new_object));
    KD_TRY(write_attrs(txn, relation, rel));
    KD_TRY(mention(txn, speaker, put, &relation->subject, rel->subject, &saying->subject));
    KD_TRY(mention(txn, speaker, put, &relation->object, rel->object, &saying->object));
    KD_TRY(find_saying(txn, sayings, rel, new_subject || new_object, &found));
    saying->made = !found;
    sayings->n++;
    return found ? 0 : make_rel(txn, rel);
}

static int by_relation(const void *a, const void *b)
{
    const struct kd_saying *x = a;
    const struct kd_saying *y = b;
    if (x->rel.id != y->rel.id) {
        return x->rel.id > y->rel.id ? 1 : -1;
    }
    return (x->order > y->order) - (x->order < y->order);
}

static int merge_double(struct kd_txn *txn, struct kd_saying *saying, const struct kd_saying *twin)
{
    KD_AUTO_BUF struct kd_buf extra;
    kd_buf_init(&extra, KD_MAX_ATTRS_TEXT);
    KD_TRY(kd_buf_put_str(&extra, saying->rel.extra));
    KD_TRY(kd_attrs_merge(&extra, twin->rel.extra));
    KD_TRY(keep(txn, kd_buf_str(&extra), &saying->rel.extra));
    if (!saying->made && !twin->made) {
        return 0;
    }
    saying->made = true; /* with the row as the first of them made it */
    return kd_db_run(&txn->db, KD_SQL_SET_EXTRA, "it", saying->rel.id, saying->rel.extra);
}

int kd_sayings_make(struct kd_txn *txn, const struct kd_speaker *speaker, const struct kd_put *put,
                    struct kd_sayings *ret)
{
    struct kd_sayings sayings = { 0 };
    KD_ENSURE(put->n_relations <= KD_MAX_RELATIONS, KD_ETOOBIG);
    sayings.items = kd_arena_alloc(&txn->arena, put->n_relations * sizeof(*sayings.items));
    KD_ENSURE(sayings.items, KD_ETOOBIG);
    for (size_t i = 0; i < put->n_relations; i++) {
        KD_TRY(make_saying(txn, speaker, put, &put->relations[i], &sayings));
    }
    qsort(sayings.items, sayings.n, sizeof(*sayings.items), by_relation);
    sayings.n = 0;
    for (size_t i = 0; i < put->n_relations; i++) {
        struct kd_saying *last = sayings.n ? &sayings.items[sayings.n - 1] : NULL;
        if (last && last->rel.id == sayings.items[i].rel.id) {
            KD_TRY(merge_double(txn, last, &sayings.items[i]));
        } else {
            sayings.items[sayings.n++] = sayings.items[i];
        }
    }
    *ret = sayings;
    return 0;
}
