/*
 * All records of a kind, for a cache that begins with them. Every base is kept until the end of the
 * walk, so that the records of a family share one.
 */
#include "base/alloc.h"
#include "store/state.h"

struct kept_base {
    struct kd_hnode node; /* ids are hashes themselves */
    struct kd_base *base;
};

struct walk {
    struct kd_reader *reader;
    struct kd_hmap bases;
    int (*fn)(void *arg, const struct kd_kept *kept);
    void *arg;
};

static int find_base(struct walk *walk, int64_t id, struct kd_base **ret)
{
    struct kd_hnode *node = kd_hmap_first(&walk->bases, (uint64_t)id);
    if (!node) {
        struct kd_base *base = NULL;
        KD_TRY(kd_blob_base(&walk->reader->db, &walk->reader->blobs, id, &base));
        struct kept_base *kept = kd_zalloc(sizeof(*kept));
        kept->base = base;
        kd_hmap_add(&walk->bases, &kept->node, (uint64_t)id);
        node = &kept->node;
    }
    *ret = KD_CONTAINER_OF(node, struct kept_base, node)->base;
    return 0;
}

static void release_bases(struct walk *walk)
{
    struct kd_hnode *node = kd_hmap_begin(&walk->bases);
    while (node) {
        struct kept_base *kept = KD_CONTAINER_OF(node, struct kept_base, node);
        node = kd_hmap_step(&walk->bases, node);
        kd_base_unref(kept->base);
        kd_free(kept);
    }
    kd_hmap_release(&walk->bases);
}

static int hand_on(struct walk *walk, sqlite3_stmt *stmt)
{
    struct kd_kept kept = {
        .encoded = {
            .encoding = (uint32_t)sqlite3_column_int64(stmt, 0),
            .raw_len = (uint32_t)sqlite3_column_int64(stmt, 1),
            .dict_id = (uint64_t)sqlite3_column_int64(stmt, 2),
            .base_id = (uint64_t)sqlite3_column_int64(stmt, 3),
            .bytes = kd_db_text(stmt, 4),
        },
    };
    struct kd_reader *reader = walk->reader;
    if (kept.encoded.encoding == KD_ENCODING_ZSTD_DICT) {
        KD_TRY(
            kd_blob_dict(&reader->db, &reader->blobs, (int64_t)kept.encoded.dict_id, &kept.dict));
    }
    if (kept.encoded.encoding == KD_ENCODING_ZSTD_BASE) {
        KD_TRY(find_base(walk, (int64_t)kept.encoded.base_id, &kept.base));
    }
    return walk->fn(walk->arg, &kept);
}

static int walk_kind(struct walk *walk, int64_t kind)
{
    struct kd_db *db = &walk->reader->db;
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(db, KD_SQL_EACH_KEPT, &stmt, "i", kind));
    int rc;
    while ((rc = kd_db_next(stmt)) == 1) {
        rc = hand_on(walk, stmt);
        if (rc < 0) {
            break;
        }
    }
    kd_db_end(db, KD_SQL_EACH_KEPT, stmt);
    return rc;
}

int kd_store_each_kept(struct kd_store *store, const char *group, const char *kind,
                       int (*fn)(void *arg, const struct kd_kept *kept), void *arg)
{
    struct walk walk = { .fn = fn, .arg = arg };
    int64_t id = 0;
    KD_CHECK(store, KD_STORE_MAGIC);
    KD_TRY(kd_reader_take(&store->readers, &walk.reader));
    int rc =
        kd_db_number(&walk.reader->db, KD_SQL_FIND_KIND, &id, "tt", kd_cstr(kind), kd_cstr(group));
    rc = rc == 1 ? walk_kind(&walk, id) : rc;
    release_bases(&walk);
    kd_reader_give(&store->readers, walk.reader);
    return rc;
}
