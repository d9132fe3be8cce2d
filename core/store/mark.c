#include "store/mark.h"

#include "base/str.h"
#include "store/state.h"

static int drop(struct kd_txn *txn, int64_t kind)
{
    KD_TRY(kd_db_run(&txn->db, KD_SQL_DROP_PENDING, "i", kind));
    return kd_db_run(&txn->db, KD_SQL_DROP_MARK, "i", kind);
}

int kd_mark_set(struct kd_txn *txn, const struct kd_mark *mark)
{
    struct kd_kind_term *kind = NULL;
    KD_TRY(kd_terms_kind(&txn->terms, &txn->db, mark->group, mark->kind, true, &kind));
    if (mark->version.len == 0) {
        return drop(txn, kind->id);
    }
    KD_TRY(kd_db_run(&txn->db, KD_SQL_DROP_PENDING, "i", kind->id));
    for (size_t i = 0; i < mark->n_pending; i++) {
        KD_TRY(kd_db_run(&txn->db, KD_SQL_ADD_PENDING, "itt", kind->id, mark->pending[i].ns,
                         mark->pending[i].name));
    }
    return kd_db_run(&txn->db, KD_SQL_SET_MARK, "itt", kind->id, mark->scope, mark->version);
}

static int copy(struct kd_arena *arena, struct kd_str text, struct kd_str *ret)
{
    *ret = kd_arena_copy(arena, text);
    return ret->ptr ? 0 : KD_ENOMEM;
}

static int read_head(struct kd_db *db, int64_t kind, struct kd_arena *arena, struct kd_mark *mark)
{
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(db, KD_SQL_GET_MARK, &stmt, "i", kind));
    int rc = kd_db_next(stmt);
    if (rc == 1) {
        rc = copy(arena, kd_db_text(stmt, 0), &mark->scope);
        rc = rc < 0 ? rc : copy(arena, kd_db_text(stmt, 1), &mark->version);
    } else if (rc == 0) {
        rc = KD_ENOENT;
    }
    kd_db_end(db, KD_SQL_GET_MARK, stmt);
    return rc;
}

/* Keys in blocks of growing size, the last of which holds them all. */
static int add_key(struct kd_arena *arena, struct kd_key key, struct kd_key **keys, size_t *n)
{
    bool full = (*n & (*n - 1)) == 0; /* a power of two: the block is full */
    if (full) {
        size_t room = *n ? *n * 2 : 1;
        struct kd_key *more = kd_arena_alloc(arena, room * sizeof(*more));
        KD_ENSURE(more, KD_ENOMEM);
        if (*n) {
            memcpy(more, *keys, *n * sizeof(*more));
        }
        *keys = more;
    }
    KD_TRY(copy(arena, key.ns, &(*keys)[*n].ns));
    KD_TRY(copy(arena, key.name, &(*keys)[*n].name));
    (*n)++;
    return 0;
}

static int read_pending(struct kd_db *db, int64_t kind, struct kd_arena *arena,
                        struct kd_mark *mark)
{
    struct kd_key *keys = NULL;
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(db, KD_SQL_GET_PENDING, &stmt, "i", kind));
    int rc;
    while ((rc = kd_db_next(stmt)) == 1) {
        const struct kd_key key = { kd_db_text(stmt, 0), kd_db_text(stmt, 1) };
        rc = add_key(arena, key, &keys, &mark->n_pending);
        if (rc < 0) {
            break;
        }
    }
    mark->pending = keys;
    kd_db_end(db, KD_SQL_GET_PENDING, stmt);
    return rc;
}

static int read_mark(struct kd_db *db, struct kd_arena *arena, struct kd_mark *mark)
{
    int64_t kind = 0;
    int rc = kd_db_number(db, KD_SQL_FIND_KIND, &kind, "tt", mark->kind, mark->group);
    if (rc != 1) {
        return rc < 0 ? rc : KD_ENOENT;
    }
    KD_TRY(read_head(db, kind, arena, mark));
    return read_pending(db, kind, arena, mark);
}

int kd_store_read_mark(struct kd_store *store, const char *group, const char *kind,
                       struct kd_arena *arena, struct kd_mark *ret)
{
    struct kd_mark mark = { .group = kd_cstr(group), .kind = kd_cstr(kind) };
    struct kd_reader *reader = NULL;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_reader_take(&store->readers, &reader));
    int rc = read_mark(&reader->db, arena, &mark);
    kd_reader_give(&store->readers, reader);
    KD_TRY(rc);
    *ret = mark;
    return 0;
}
