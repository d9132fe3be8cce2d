/* Who has said something about which object: for sweeps, and for what is no longer served. */
#include "base/str.h"
#include "store/state.h"

static int walk_said(struct kd_reader *reader, struct kd_ref *ref, int64_t kind, int64_t instance,
                     int (*fn)(void *arg, const struct kd_ref *ref, struct kd_str version_text),
                     void *arg)
{
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(&reader->db, KD_SQL_SAID_OF, &stmt, "ii", kind, instance));
    int rc;
    while ((rc = kd_db_next(stmt)) == 1) {
        ref->ns = kd_db_text(stmt, 0);
        ref->name = kd_db_text(stmt, 1);
        rc = fn(arg, ref, KD_STR(""));
        if (rc < 0) {
            break;
        }
    }
    kd_db_end(&reader->db, KD_SQL_SAID_OF, stmt);
    return rc;
}

int kd_store_each_said(struct kd_store *store, const char *group, const char *kind,
                       const char *instance,
                       int (*fn)(void *arg, const struct kd_ref *ref, struct kd_str version_text),
                       void *arg)
{
    struct kd_ref ref = { .group = kd_cstr(group), .kind = kd_cstr(kind) };
    struct kd_reader *reader = NULL;
    int64_t kind_id = 0;
    int64_t instance_id = 0;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_reader_take(&store->readers, &reader));
    int rc = kd_db_number(&reader->db, KD_SQL_FIND_KIND, &kind_id, "tt", ref.kind, ref.group);
    if (rc == 1) {
        rc = kd_db_number(&reader->db, KD_SQL_FIND_WORD, &instance_id, "t", kd_cstr(instance));
    }
    if (rc == 1) {
        rc = walk_said(reader, &ref, kind_id, instance_id, fn, arg);
    }
    kd_reader_give(&store->readers, reader);
    return rc;
}

static int hand_on(struct kd_reader *reader, sqlite3_stmt *stmt,
                   int (*fn)(void *arg, const struct kd_ref *ref, struct kd_str instance),
                   void *arg)
{
    struct kd_kind_term *kind = NULL;
    struct kd_str instance;
    KD_TRY(kd_terms_kind_by_id(&reader->terms, &reader->db, sqlite3_column_int64(stmt, 2), &kind));
    KD_TRY(kd_terms_text(&reader->terms, &reader->db, sqlite3_column_int64(stmt, 1), &instance));
    const struct kd_ref ref = { .group = kind->group,
                                .kind = kind->name,
                                .ns = kd_db_text(stmt, 3),
                                .name = kd_db_text(stmt, 4) };
    return fn(arg, &ref, instance);
}

static int walk_page(struct kd_reader *reader, struct kd_said_at *at, size_t max,
                     int (*fn)(void *arg, const struct kd_ref *ref, struct kd_str instance),
                     void *arg)
{
    sqlite3_stmt *stmt = NULL;
    int n = 0;
    int rc;
    KD_TRY(kd_db_select(&reader->db, KD_SQL_SAID_PAGE, &stmt, "iii", at->node, at->instance,
                        (int64_t)max));
    while ((rc = kd_db_next(stmt)) == 1) {
        rc = hand_on(reader, stmt, fn, arg);
        if (rc < 0) {
            break;
        }
        at->node = sqlite3_column_int64(stmt, 0);
        at->instance = sqlite3_column_int64(stmt, 1);
        n++;
    }
    kd_db_end(&reader->db, KD_SQL_SAID_PAGE, stmt);
    return rc < 0 ? rc : n;
}

int kd_store_walk_said(struct kd_store *store, struct kd_said_at *at, size_t max,
                       int (*fn)(void *arg, const struct kd_ref *ref, struct kd_str instance),
                       void *arg)
{
    struct kd_reader *reader = NULL;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_reader_take(&store->readers, &reader));
    int rc = walk_page(reader, at, max, fn, arg);
    kd_reader_give(&store->readers, reader);
    return rc;
}
