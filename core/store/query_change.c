/* Reading the feed: rows hold ids, and the nodes that they name stay as long as they do. */
#include "base/limits.h"
#include "base/str.h"
#include "store/ends.h"
#include "store/state.h"

#define KEEP_ARENA (64 * KD_KIB)

static int load_node(struct kd_reader *reader, int64_t node, struct kd_arena *arena,
                     struct kd_end *end)
{
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(&reader->db, KD_SQL_NODE_TEXT, &stmt, "i", node));
    int rc = kd_db_next(stmt);
    if (rc == 1) {
        end->kind = sqlite3_column_int64(stmt, 0);
        end->ns = kd_arena_copy(arena, kd_db_text(stmt, 1));
        end->name = kd_arena_copy(arena, kd_db_text(stmt, 2));
        rc = end->ns.ptr && end->name.ptr ? 1 : KD_ENOMEM;
    }
    kd_db_end(&reader->db, KD_SQL_NODE_TEXT, stmt);
    return rc == 0 ? KD_ESTORE : rc < 0 ? rc : 0;
}

/* The end in columns first to first + 2 of a feed row: node, version, uid. */
static int load_end(struct kd_reader *reader, sqlite3_stmt *stmt, int first, struct kd_arena *arena,
                    struct kd_end *ret)
{
    *ret = (struct kd_end){ .said_version = sqlite3_column_int64(stmt, first + 1) };
    ret->said_uid = kd_db_text(stmt, first + 2);
    return load_node(reader, sqlite3_column_int64(stmt, first), arena, ret);
}

/* How the relation stands now: one row per origin when both ends are in the graph, else none. */
static int ask_resolved(struct kd_reader *reader, struct kd_arena *arena, int64_t rel,
                        struct kd_end *subject, struct kd_end *object, bool *ret)
{
    sqlite3_stmt *stmt = NULL;
    bool any = false;
    bool differs = false;
    KD_TRY(kd_db_select(&reader->db, KD_SQL_IS_RESOLVED, &stmt, "i", rel));
    int rc;
    while ((rc = kd_db_next(stmt)) == 1) {
        struct kd_end s = { .uid = kd_db_text(stmt, 0), .said_uid = kd_db_text(stmt, 2) };
        struct kd_end o = { .uid = kd_db_text(stmt, 1), .said_uid = kd_db_text(stmt, 3) };
        differs = differs || kd_end_differs(&s) || kd_end_differs(&o);
        if (!any) {
            any = true;
            subject->uid = kd_arena_copy(arena, s.uid);
            object->uid = kd_arena_copy(arena, o.uid);
        }
    }
    kd_db_end(&reader->db, KD_SQL_IS_RESOLVED, stmt);
    *ret = any && !differs;
    return rc;
}

static int read_relation(struct kd_reader *reader, sqlite3_stmt *stmt, struct kd_arena *arena,
                         struct kd_stored_relation *out)
{
    struct kd_end subject;
    struct kd_end object;
    int64_t rel = sqlite3_column_int64(stmt, 9);
    KD_TRY(load_end(reader, stmt, 2, arena, &subject));
    KD_TRY(load_end(reader, stmt, 5, arena, &object));
    KD_TRY(ask_resolved(reader, arena, rel, &subject, &object, &out->resolved));
    KD_TRY(kd_terms_text(&reader->terms, &reader->db, sqlite3_column_int64(stmt, 8), &out->type));
    KD_TRY(kd_end_ref(reader, &subject, arena, &out->subject));
    KD_TRY(kd_end_ref(reader, &object, arena, &out->object));
    out->attrs = kd_db_text(stmt, 10);
    out->id = (uint64_t)rel;
    return 0;
}

static int read_change(struct kd_reader *reader, sqlite3_stmt *stmt, struct kd_arena *arena,
                       struct kd_change *out)
{
    struct kd_end end;
    *out = (struct kd_change){ .seq = (uint64_t)sqlite3_column_int64(stmt, 0) };
    out->type = (enum kd_change_type)sqlite3_column_int(stmt, 1);
    if (out->type == KD_CHANGE_RELATE || out->type == KD_CHANGE_UNRELATE) {
        return read_relation(reader, stmt, arena, &out->relation);
    }
    KD_TRY(load_end(reader, stmt, 2, arena, &end));
    return kd_end_ref(reader, &end, arena, &out->ref);
}

static int walk_changes(struct kd_reader *reader, uint64_t since, size_t max,
                        int (*fn)(void *arg, const struct kd_change *change), void *arg)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_change change;
    sqlite3_stmt *stmt = NULL;
    kd_arena_init(&arena, KD_MAX_SCRATCH);
    KD_TRY(kd_db_select(&reader->db, KD_SQL_GET_FEED, &stmt, "i", (int64_t)since));
    int rc = 0;
    for (size_t n = 0; n < max && (rc = kd_db_next(stmt)) == 1; n++) {
        kd_arena_reset(&arena, KEEP_ARENA);
        rc = read_change(reader, stmt, &arena, &change);
        rc = rc < 0 ? rc : fn(arg, &change);
        if (rc < 0) {
            break;
        }
    }
    kd_db_end(&reader->db, KD_SQL_GET_FEED, stmt);
    return rc < 0 ? rc : 0;
}

/* A seq that this store never gave out, after a crash of the machine say, is as good as too old. */
static int check_since(struct kd_reader *reader, uint64_t since)
{
    int64_t floor = (int64_t)reader->seq;
    KD_TRY(kd_db_number(&reader->db, KD_SQL_FEED_FLOOR, &floor, ""));
    return since < (uint64_t)floor || since > reader->seq ? KD_ENOENT : 0;
}

int kd_store_changes(struct kd_store *store, uint64_t since, size_t max,
                     int (*fn)(void *arg, const struct kd_change *change), void *arg)
{
    struct kd_reader *reader = NULL;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_reader_take(&store->readers, &reader));
    int rc = check_since(reader, since);
    if (rc == 0) {
        rc = walk_changes(reader, since, max, fn, arg);
    }
    kd_reader_give(&store->readers, reader);
    return rc;
}

uint64_t kd_store_seq(struct kd_store *store)
{
    KD_CHECK(store, KD_STORE_MAGIC);
    const struct kd_reader *held = kd_reader_held(&store->readers);
    return held ? held->seq : kd_hub_seq(&store->hub);
}

int kd_store_view_begin(struct kd_store *store, uint64_t *ret_seq)
{
    struct kd_reader *reader = NULL;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_reader_take(&store->readers, &reader));
    *ret_seq = reader->seq;
    return 0;
}

void kd_store_view_end(struct kd_store *store)
{
    KD_CHECK(store, KD_STORE_MAGIC);
    struct kd_reader *held = kd_reader_held(&store->readers);
    KD_ASSERT(held != NULL);
    kd_reader_give(&store->readers, held);
}
