/*
 * Queries over resources. Each runs in one read transaction; rows are handed on as they are read,
 * so that a long answer needs no memory.
 */
#include "base/limits.h"
#include "base/str.h"
#include "store/state.h"

#define KEEP_ARENA (256 * KD_KIB)

/* A walk over resources. */
struct walk {
    struct kd_reader *reader;
    const struct kd_match *match;
    const struct kd_ref *after;
    struct kd_arena *arena;
    bool keep; /* what is handed on lives in the arena; else until the next row */
    bool want_data;
    int (*fn)(void *arg, const struct kd_stored *stored);
    void *arg;
};

static int text(const struct walk *walk, sqlite3_stmt *stmt, int column, struct kd_str *ret)
{
    *ret = kd_db_text(stmt, column);
    if (walk->keep) {
        *ret = kd_arena_copy(walk->arena, *ret);
        KD_ENSURE(ret->ptr, KD_ENOMEM);
    }
    return 0;
}

static int read_texts(const struct walk *walk, sqlite3_stmt *stmt, struct kd_stored *out)
{
    struct kd_reader *reader = walk->reader;
    KD_TRY(text(walk, stmt, 1, &out->ref.ns));
    KD_TRY(text(walk, stmt, 2, &out->ref.name));
    KD_TRY(text(walk, stmt, 3, &out->ref.uid));
    KD_TRY(kd_terms_text(&reader->terms, &reader->db, sqlite3_column_int64(stmt, 4),
                         &out->ref.version));
    KD_TRY(text(walk, stmt, 5, &out->version_text));
    KD_TRY(text(walk, stmt, 6, &out->labels));
    return text(walk, stmt, 7, &out->annotations);
}

static int read_data(const struct walk *walk, sqlite3_stmt *stmt, struct kd_stored *out)
{
    if (!walk->want_data) {
        return 0;
    }
    if (!kd_db_is_null(stmt, 10)) {
        return text(walk, stmt, 10, &out->data);
    }
    return kd_blob_get(&walk->reader->db, &walk->reader->blobs, sqlite3_column_int64(stmt, 0),
                       walk->arena, &out->data);
}

static int hand_on(const struct walk *walk, sqlite3_stmt *stmt, const struct kd_ref *kind)
{
    struct kd_stored stored = { .ref = *kind };
    const struct kd_str *name = walk->match->name;
    if (name && !kd_str_eq(*name, kd_db_text(stmt, 2))) {
        return 0;
    }
    if (!walk->keep) {
        kd_arena_reset(walk->arena, KEEP_ARENA);
    }
    KD_TRY(read_texts(walk, stmt, &stored));
    KD_TRY(read_data(walk, stmt, &stored));
    stored.created_ns = sqlite3_column_int64(stmt, 8);
    stored.updated_ns = sqlite3_column_int64(stmt, 9);
    return walk->fn(walk->arg, &stored);
}

/* Order of two keys of one kind. */
static int key_order(struct kd_str ns_a, struct kd_str name_a, const struct kd_ref *b)
{
    int order = kd_str_cmp(ns_a, b->ns);
    return order ? order : kd_str_cmp(name_a, b->name);
}

/* The statement that finds the resources of a kind behind `after`; 0: there can be none. */
static int select_kind(const struct walk *walk, int64_t kind, const struct kd_ref *after,
                       enum kd_sql *ret_id, sqlite3_stmt **ret)
{
    const struct kd_match *match = walk->match;
    struct kd_db *db = &walk->reader->db;
    if (match->ns && match->name) {
        *ret_id = KD_SQL_EACH_ONE;
        KD_ENSURE(key_order(*match->ns, *match->name, after) > 0, 0);
        KD_TRY(kd_db_select(db, *ret_id, ret, "itt", kind, *match->ns, *match->name));
    } else if (match->ns) {
        int order = kd_str_cmp(*match->ns, after->ns);
        *ret_id = KD_SQL_EACH_AT;
        KD_ENSURE(order >= 0, 0);
        KD_TRY(kd_db_select(db, *ret_id, ret, "itt", kind, *match->ns,
                            order == 0 ? after->name : KD_STR("")));
    } else {
        *ret_id = KD_SQL_EACH;
        KD_TRY(kd_db_select(db, *ret_id, ret, "itt", kind, after->ns, after->name));
    }
    return 1;
}

static int walk_kind(const struct walk *walk, int64_t id, const struct kd_ref *kind,
                     const struct kd_ref *after)
{
    sqlite3_stmt *stmt = NULL;
    enum kd_sql sql = KD_SQL_EACH;
    int rc = select_kind(walk, id, after, &sql, &stmt);
    while (rc > 0 && (rc = kd_db_next(stmt)) == 1) {
        int answer = hand_on(walk, stmt, kind);
        rc = answer < 0 ? answer : 1;
    }
    kd_db_end(&walk->reader->db, sql, stmt);
    return rc;
}

static int walk_row(const struct walk *walk, sqlite3_stmt *kinds)
{
    static const struct kd_ref start = { 0 };
    int64_t id = sqlite3_column_int64(kinds, 0);
    const struct kd_ref kind = { .group = kd_db_text(kinds, 1), .kind = kd_db_text(kinds, 2) };
    if (walk->after) {
        int order = kd_str_cmp(kind.kind, walk->after->kind);
        order = order ? order : kd_str_cmp(kind.group, walk->after->group);
        if (order <= 0) {
            return order < 0 ? 0 : walk_kind(walk, id, &kind, walk->after);
        }
    }
    return walk_kind(walk, id, &kind, &start);
}

static int walk_all(const struct walk *walk)
{
    sqlite3_stmt *kinds = NULL;
    struct kd_db *db = &walk->reader->db;
    KD_TRY(kd_db_select(db, KD_SQL_MATCH_KINDS, &kinds, "nn", kd_cstr(walk->match->kind),
                        kd_cstr(walk->match->group)));
    int rc;
    while ((rc = kd_db_next(kinds)) == 1) {
        rc = walk_row(walk, kinds);
        if (rc < 0) {
            break;
        }
    }
    kd_db_end(db, KD_SQL_MATCH_KINDS, kinds);
    return rc;
}

int kd_store_each(struct kd_store *store, const struct kd_match *match, const struct kd_ref *after,
                  bool want_data, int (*fn)(void *arg, const struct kd_stored *stored), void *arg)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct walk walk = { .match = match, .after = after, .want_data = want_data, .fn = fn };
    KD_CHECK(store, KD_STORE_MAGIC);
    kd_arena_init(&arena, KD_MAX_SCRATCH);
    walk.arena = &arena;
    walk.arg = arg;
    KD_TRY(kd_reader_take(&store->readers, &walk.reader));
    int rc = walk_all(&walk);
    kd_reader_give(&store->readers, walk.reader);
    return rc;
}

/* What kd_store_get looks for, once found. */
struct found {
    bool there;
    struct kd_arena *arena;
    struct kd_stored stored;
};

static int keep_found(void *arg, const struct kd_stored *stored)
{
    struct found *found = arg;
    found->stored = *stored;
    found->stored.ref.group = kd_arena_copy(found->arena, stored->ref.group);
    found->stored.ref.kind = kd_arena_copy(found->arena, stored->ref.kind);
    found->stored.ref.version = kd_arena_copy(found->arena, stored->ref.version);
    found->there =
        found->stored.ref.group.ptr && found->stored.ref.kind.ptr && found->stored.ref.version.ptr;
    return found->there ? KD_ECANCELED : KD_ENOMEM; /* ends the walk */
}

int kd_store_get(struct kd_store *store, const struct kd_match *match, struct kd_arena *arena,
                 struct kd_stored *ret)
{
    struct found found = { .arena = arena };
    struct walk walk = { .match = match, .arena = arena, .keep = true, .want_data = true };
    KD_CHECK(store, KD_STORE_MAGIC);
    walk.fn = keep_found;
    walk.arg = &found;
    KD_TRY(kd_reader_take(&store->readers, &walk.reader));
    int rc = walk_all(&walk);
    kd_reader_give(&store->readers, walk.reader);
    if (!found.there) {
        return rc < 0 ? rc : KD_ENOENT;
    }
    *ret = found.stored;
    return 0;
}

static int walk_keys(struct kd_reader *reader, struct kd_ref *ref, int64_t kind,
                     int (*fn)(void *arg, const struct kd_ref *ref, struct kd_str version_text),
                     void *arg)
{
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(&reader->db, KD_SQL_EACH_KEY, &stmt, "i", kind));
    int rc;
    while ((rc = kd_db_next(stmt)) == 1) {
        ref->ns = kd_db_text(stmt, 0);
        ref->name = kd_db_text(stmt, 1);
        ref->uid = kd_db_text(stmt, 2);
        rc = kd_terms_text(&reader->terms, &reader->db, sqlite3_column_int64(stmt, 3),
                           &ref->version);
        rc = rc ? rc : fn(arg, ref, kd_db_text(stmt, 4));
        if (rc < 0) {
            break;
        }
    }
    kd_db_end(&reader->db, KD_SQL_EACH_KEY, stmt);
    return rc;
}

int kd_store_each_key(struct kd_store *store, const char *group, const char *kind,
                      int (*fn)(void *arg, const struct kd_ref *ref, struct kd_str version_text),
                      void *arg)
{
    struct kd_ref ref = { .group = kd_cstr(group), .kind = kd_cstr(kind) };
    struct kd_reader *reader = NULL;
    int64_t id = 0;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_reader_take(&store->readers, &reader));
    int rc = kd_db_number(&reader->db, KD_SQL_FIND_KIND, &id, "tt", ref.kind, ref.group);
    if (rc == 1) {
        rc = walk_keys(reader, &ref, id, fn, arg);
    }
    kd_reader_give(&store->readers, reader);
    return rc;
}
