/* Short questions about one node. */
#include "base/str.h"
#include "store/state.h"

static int read_identity(struct kd_reader *reader, int64_t kind, struct kd_arena *arena,
                         struct kd_ref *node)
{
    struct kd_str version;
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(&reader->db, KD_SQL_WHO_IS, &stmt, "itt", kind, node->ns, node->name));
    int rc = kd_db_next(stmt);
    if (rc == 1) {
        node->uid = kd_arena_copy(arena, kd_db_text(stmt, 0));
        rc = kd_terms_text(&reader->terms, &reader->db, sqlite3_column_int64(stmt, 1), &version);
        node->version = rc < 0 ? node->version : kd_arena_copy(arena, version);
        rc = rc < 0 ? rc : node->uid.ptr && node->version.ptr ? 0 : KD_ENOMEM;
    } else if (rc == 0) {
        rc = KD_ENOENT;
    }
    kd_db_end(&reader->db, KD_SQL_WHO_IS, stmt);
    return rc;
}

int kd_store_identify(struct kd_store *store, struct kd_arena *arena, struct kd_ref *node)
{
    struct kd_reader *reader = NULL;
    int64_t kind = 0;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_reader_take(&store->readers, &reader));
    int rc = kd_db_number(&reader->db, KD_SQL_FIND_KIND, &kind, "tt", node->kind, node->group);
    rc = rc == 1 ? read_identity(reader, kind, arena, node) : rc < 0 ? rc : KD_ENOENT;
    kd_reader_give(&store->readers, reader);
    return rc;
}

static int find_related(struct kd_db *db, const struct kd_ref *node, int64_t *ret)
{
    int64_t kind = 0;
    int64_t id = 0;
    int rc = kd_db_number(db, KD_SQL_FIND_KIND, &kind, "tt", node->kind, node->group);
    rc = rc == 1 ? kd_db_number(db, KD_SQL_FIND_NODE, &id, "itt", kind, node->ns, node->name) : rc;
    return rc == 1 ? kd_db_number(db, KD_SQL_IS_RELATED, ret, "i", id) : rc;
}

int kd_store_is_related(struct kd_store *store, const struct kd_ref *node, bool *ret)
{
    struct kd_reader *reader = NULL;
    int64_t related = 0;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_reader_take(&store->readers, &reader));
    int rc = find_related(&reader->db, node, &related);
    kd_reader_give(&store->readers, reader);
    KD_TRY(rc);
    *ret = related != 0;
    return 0;
}
