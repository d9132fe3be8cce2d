#include "store/relate.h"

#include "base/str.h"
#include "store/attrs.h"
#include "store/nodes.h"
#include "store/saying.h"

/* What all origins of a relation say outside of its identity; *ret_n: how many there are. */
static int merged_extra(struct kd_txn *txn, int64_t rel, struct kd_buf *out, size_t *ret_n)
{
    sqlite3_stmt *stmt = NULL;
    size_t n = 0;
    KD_TRY(kd_db_select(&txn->db, KD_SQL_REL_SAYS, &stmt, "i", rel));
    int rc;
    while ((rc = kd_db_next(stmt)) == 1) {
        rc = kd_attrs_merge(out, kd_db_text(stmt, 0));
        if (rc < 0) {
            break;
        }
        n++;
    }
    kd_db_end(&txn->db, KD_SQL_REL_SAYS, stmt);
    *ret_n = n;
    return rc < 0 ? rc : 0;
}

static int load_rel(struct kd_txn *txn, int64_t id, struct kd_rel *ret)
{
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(&txn->db, KD_SQL_GET_REL, &stmt, "i", id));
    int rc = kd_db_next(stmt);
    if (rc == 1) {
        *ret = (struct kd_rel){
            .id = id,
            .subject = sqlite3_column_int64(stmt, 0),
            .type = sqlite3_column_int64(stmt, 1),
            .object = sqlite3_column_int64(stmt, 2),
            .attrs = kd_arena_copy(&txn->arena, kd_db_text(stmt, 3)),
            .extra = kd_arena_copy(&txn->arena, kd_db_text(stmt, 4)),
        };
        rc = ret->attrs.ptr && ret->extra.ptr ? 1 : KD_ETOOBIG;
    }
    kd_db_end(&txn->db, KD_SQL_GET_REL, stmt);
    return rc == 0 ? KD_ESTORE : rc < 0 ? rc : 0;
}

/* An end that was left without uid because it is the speaker's own object has the speaker's. */
static struct kd_mention named(const struct kd_speaker *speaker, int64_t node,
                               struct kd_mention mention)
{
    if (mention.uid.len == 0 && node == speaker->node) {
        mention.uid = speaker->uid;
    }
    return mention;
}

static int tell(struct kd_txn *txn, const struct kd_speaker *speaker, enum kd_change_type type,
                const struct kd_rel *rel, const struct kd_saying *said)
{
    struct kd_mention subject = named(speaker, rel->subject, said->subject);
    struct kd_mention object = named(speaker, rel->object, said->object);
    return kd_feed_relation(txn, type, rel, &subject, &object);
}

/* The origins of a relation have changed: brings its row in line. `said` names its ends. */
static int settle(struct kd_txn *txn, const struct kd_speaker *speaker,
                  const struct kd_saying *said)
{
    KD_AUTO_BUF struct kd_buf extra;
    struct kd_rel rel = { 0 };
    size_t n = 0;
    kd_buf_init(&extra, KD_MAX_ATTRS_TEXT);
    KD_TRY(load_rel(txn, said->rel.id, &rel));
    KD_TRY(merged_extra(txn, rel.id, &extra, &n));
    if (n == 0) {
        kd_node_touch(txn, rel.subject);
        kd_node_touch(txn, rel.object);
        txn->rows[KD_ROW_RELATION]++;
        KD_TRY(tell(txn, speaker, KD_CHANGE_UNRELATE, &rel, said));
        return kd_db_run(&txn->db, KD_SQL_DROP_REL, "i", rel.id);
    }
    if (kd_str_eq(rel.extra, kd_buf_str(&extra))) {
        return 0;
    }
    rel.extra = kd_buf_str(&extra);
    txn->rows[KD_ROW_RELATION]++;
    KD_TRY(kd_db_run(&txn->db, KD_SQL_SET_EXTRA, "it", rel.id, rel.extra));
    return tell(txn, speaker, KD_CHANGE_RELATE, &rel, said);
}

static int set_origin(struct kd_txn *txn, const struct kd_speaker *speaker,
                      const struct kd_saying *now)
{
    return kd_db_run(&txn->db, KD_SQL_SET_ORIGIN, "iiitzzoo", now->rel.id, speaker->node,
                     speaker->instance, now->rel.extra, now->subject.version, now->object.version,
                     now->subject.uid, now->object.uid);
}

static int say(struct kd_txn *txn, const struct kd_speaker *speaker, const struct kd_saying *now)
{
    KD_TRY(set_origin(txn, speaker, now));
    if (!now->made) {
        return settle(txn, speaker, now);
    }
    return tell(txn, speaker, KD_CHANGE_RELATE, &now->rel, now);
}

static int unsay(struct kd_txn *txn, const struct kd_speaker *speaker,
                 const struct kd_saying *before)
{
    KD_TRY(kd_db_run(&txn->db, KD_SQL_DROP_ORIGIN, "iii", before->rel.id, speaker->node,
                     speaker->instance));
    return settle(txn, speaker, before);
}

static bool same_mention(const struct kd_mention *a, const struct kd_mention *b)
{
    return a->version == b->version && kd_str_eq(a->uid, b->uid);
}

static int say_again(struct kd_txn *txn, const struct kd_speaker *speaker,
                     const struct kd_saying *before, const struct kd_saying *now)
{
    bool same_extra = kd_str_eq(before->rel.extra, now->rel.extra);
    if (same_extra && same_mention(&before->subject, &now->subject) &&
        same_mention(&before->object, &now->object)) {
        return 0;
    }
    KD_TRY(set_origin(txn, speaker, now));
    return same_extra ? 0 : settle(txn, speaker, now);
}

static int64_t id_at(const struct kd_sayings *sayings, size_t i)
{
    return i < sayings->n ? sayings->items[i].rel.id : INT64_MAX;
}

int kd_relate(struct kd_txn *txn, const struct kd_speaker *speaker, const struct kd_put *put)
{
    struct kd_sayings before = { 0 };
    struct kd_sayings now = { 0 };
    if (speaker->has_said) {
        KD_TRY(kd_sayings_load(txn, speaker, &before));
    }
    KD_TRY(kd_sayings_make(txn, speaker, put, &now));
    size_t b = 0;
    size_t n = 0;
    while (b < before.n || n < now.n) {
        if (id_at(&before, b) < id_at(&now, n)) {
            KD_TRY(unsay(txn, speaker, &before.items[b++]));
        } else if (id_at(&before, b) > id_at(&now, n)) {
            KD_TRY(say(txn, speaker, &now.items[n++]));
        } else {
            KD_TRY(say_again(txn, speaker, &before.items[b++], &now.items[n++]));
        }
    }
    return 0;
}

int kd_unrelate(struct kd_txn *txn, const struct kd_speaker *speaker)
{
    struct kd_sayings before = { 0 };
    KD_TRY(kd_sayings_load(txn, speaker, &before));
    for (size_t i = 0; i < before.n; i++) {
        KD_TRY(unsay(txn, speaker, &before.items[i]));
    }
    return 0;
}
