#include "store/blob.h"

#include "base/alloc.h"

#define MAX_CACHED_DICTS 64
#define MAX_CACHED_BASES 64

/* The number of rows that use one dictionary or base, as far as a transaction changes it. */
struct use {
    struct kd_hnode node;
    int64_t id;
    int64_t change;
};

uint32_t kd_blob_raw_len(const struct kd_record *record)
{
    struct kd_encoded encoded = { 0 };
    if (record) {
        kd_record_encoded(record, &encoded);
    }
    return encoded.raw_len;
}

static struct use *find_use(const struct kd_hmap *uses, int64_t id)
{
    /* ids are hashes themselves */
    struct kd_hnode *node = kd_hmap_first(uses, (uint64_t)id);
    return node ? KD_CONTAINER_OF(node, struct use, node) : NULL;
}

static void count_use(struct kd_hmap *uses, int64_t id, int64_t change)
{
    struct use *use = find_use(uses, id);
    if (!use) {
        use = kd_zalloc(sizeof(*use));
        use->id = id;
        kd_hmap_add(uses, &use->node, (uint64_t)id);
    }
    use->change += change;
}

static int use_dict(struct kd_db *db, struct kd_blob_uses *uses, const struct kd_dict *dict,
                    int64_t *ret)
{
    if (!dict) {
        *ret = 0;
        return 0;
    }
    int64_t id = (int64_t)kd_dict_id(dict);
    if (!find_use(&uses->dicts, id)) {
        int64_t one = 0;
        int found = kd_db_number(db, KD_SQL_FIND_DICT, &one, "i", id);
        KD_TRY(found);
        if (!found) {
            KD_TRY(kd_db_run(db, KD_SQL_ADD_DICT, "ib", id, kd_dict_bytes(dict)));
        }
    }
    count_use(&uses->dicts, id, 1);
    *ret = id;
    return 0;
}

static int add_base(struct kd_db *db, struct kd_blob_uses *uses, const struct kd_base *base)
{
    struct kd_encoded encoded;
    int64_t dict = 0;
    kd_base_encoded(base, &encoded);
    KD_TRY(use_dict(db, uses, kd_base_dict(base), &dict));
    return kd_db_run(db, KD_SQL_ADD_BASE, "iiizb", (int64_t)kd_base_id(base),
                     (int64_t)encoded.encoding, (int64_t)encoded.raw_len, dict, encoded.bytes);
}

static int use_base(struct kd_db *db, struct kd_blob_uses *uses, const struct kd_base *base,
                    int64_t *ret)
{
    if (!base) {
        *ret = 0;
        return 0;
    }
    int64_t id = (int64_t)kd_base_id(base);
    if (!find_use(&uses->bases, id)) {
        int64_t one = 0;
        int found = kd_db_number(db, KD_SQL_FIND_BASE, &one, "i", id);
        KD_TRY(found);
        if (!found) {
            KD_TRY(add_base(db, uses, base));
        }
    }
    count_use(&uses->bases, id, 1);
    *ret = id;
    return 0;
}

/* What the row of a node used, it uses no more. */
static int release_uses(struct kd_db *db, struct kd_blob_uses *uses, int64_t node)
{
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(db, KD_SQL_RECORD_USES, &stmt, "i", node));
    int rc = kd_db_next(stmt);
    if (rc == 1 && !kd_db_is_null(stmt, 0)) {
        count_use(&uses->dicts, sqlite3_column_int64(stmt, 0), -1);
    }
    if (rc == 1 && !kd_db_is_null(stmt, 1)) {
        count_use(&uses->bases, sqlite3_column_int64(stmt, 1), -1);
    }
    kd_db_end(db, KD_SQL_RECORD_USES, stmt);
    return rc < 0 ? rc : 0;
}

int kd_blob_set(struct kd_db *db, struct kd_blob_uses *uses, int64_t node, bool replace,
                const struct kd_record *record)
{
    struct kd_encoded encoded = { 0 };
    int64_t dict = 0;
    int64_t base = 0;
    if (replace && !record) {
        return kd_blob_drop(db, uses, node);
    }
    if (replace) {
        KD_TRY(release_uses(db, uses, node));
    }
    if (!record) {
        return 0;
    }
    kd_record_encoded(record, &encoded);
    KD_TRY(use_dict(db, uses, kd_record_dict(record), &dict));
    KD_TRY(use_base(db, uses, kd_record_base(record), &base));
    return kd_db_run(db, KD_SQL_SET_RECORD, "iiizzb", node, (int64_t)encoded.encoding,
                     (int64_t)encoded.raw_len, dict, base, encoded.bytes);
}

int kd_blob_drop(struct kd_db *db, struct kd_blob_uses *uses, int64_t node)
{
    KD_TRY(release_uses(db, uses, node));
    return kd_db_run(db, KD_SQL_DROP_RECORD, "i", node);
}

/* A base that goes leaves its dictionary with one use less. */
static int drop_base(struct kd_db *db, struct kd_blob_uses *uses, int64_t id)
{
    int64_t dict = 0;
    int found = kd_db_number(db, KD_SQL_UNUSED_BASE, &dict, "i", id);
    KD_TRY(found);
    if (found) {
        count_use(&uses->dicts, dict, -1);
    }
    return kd_db_run(db, KD_SQL_DROP_BASE, "i", id);
}

static int write_bases(struct kd_db *db, struct kd_blob_uses *uses)
{
    struct kd_hnode *node = kd_hmap_begin(&uses->bases);
    for (; node; node = kd_hmap_step(&uses->bases, node)) {
        const struct use *use = KD_CONTAINER_OF(node, struct use, node);
        if (use->change) {
            KD_TRY(kd_db_run(db, KD_SQL_USE_BASE, "ii", use->id, use->change));
        }
        if (use->change <= 0) {
            KD_TRY(drop_base(db, uses, use->id));
        }
    }
    return 0;
}

static int write_dicts(struct kd_db *db, const struct kd_blob_uses *uses)
{
    struct kd_hnode *node = kd_hmap_begin(&uses->dicts);
    for (; node; node = kd_hmap_step(&uses->dicts, node)) {
        const struct use *use = KD_CONTAINER_OF(node, struct use, node);
        if (use->change) {
            KD_TRY(kd_db_run(db, KD_SQL_USE_DICT, "ii", use->id, use->change));
        }
        if (use->change <= 0) {
            KD_TRY(kd_db_run(db, KD_SQL_DROP_DICT, "i", use->id));
        }
    }
    return 0;
}

int kd_blob_uses_write(struct kd_db *db, struct kd_blob_uses *uses)
{
    KD_TRY(write_bases(db, uses));
    return write_dicts(db, uses);
}

static void uses_reset(struct kd_hmap *uses)
{
    struct kd_hnode *node = kd_hmap_begin(uses);
    while (node) {
        struct kd_hnode *next = kd_hmap_step(uses, node);
        kd_free(KD_CONTAINER_OF(node, struct use, node));
        node = next;
    }
    kd_hmap_release(uses);
}

void kd_blob_uses_reset(struct kd_blob_uses *uses)
{
    uses_reset(&uses->dicts);
    uses_reset(&uses->bases);
}

static void forget_dicts(struct kd_blob_cache *cache)
{
    for (size_t i = 0; i < cache->n_dicts; i++) {
        kd_dict_unref(cache->dicts[i]);
    }
    cache->n_dicts = 0;
}

static void forget_bases(struct kd_blob_cache *cache)
{
    for (size_t i = 0; i < cache->n_bases; i++) {
        kd_base_unref(cache->bases[i]);
    }
    cache->n_bases = 0;
}

void kd_blob_cache_release(struct kd_blob_cache *cache)
{
    forget_bases(cache);
    forget_dicts(cache);
    kd_free(cache->bases);
    kd_free(cache->dicts);
    *cache = (struct kd_blob_cache){ 0 };
}

int kd_blob_dict(struct kd_db *db, struct kd_blob_cache *cache, int64_t id, struct kd_dict **ret)
{
    for (size_t i = 0; i < cache->n_dicts; i++) {
        if ((int64_t)kd_dict_id(cache->dicts[i]) == id) {
            *ret = cache->dicts[i];
            return 0;
        }
    }
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(db, KD_SQL_GET_DICT, &stmt, "i", id));
    int rc = kd_db_next(stmt);
    struct kd_dict *dict = rc == 1 ? kd_dict_new(kd_db_text(stmt, 0)) : NULL;
    kd_db_end(db, KD_SQL_GET_DICT, stmt);
    KD_TRY(rc);
    KD_ENSURE(dict, KD_ESTORE);
    if (cache->n_dicts == MAX_CACHED_DICTS) {
        forget_dicts(cache);
    }
    cache->dicts = kd_realloc_array(cache->dicts, cache->n_dicts + 1, sizeof(struct kd_dict *));
    cache->dicts[cache->n_dicts++] = dict;
    *ret = dict;
    return 0;
}

static int load_base(struct kd_db *db, struct kd_blob_cache *cache, sqlite3_stmt *stmt, int64_t id,
                     struct kd_base **ret)
{
    struct kd_dict *dict = NULL;
    const struct kd_encoded encoded = {
        .encoding = (uint32_t)sqlite3_column_int64(stmt, 0),
        .raw_len = (uint32_t)sqlite3_column_int64(stmt, 1),
        .dict_id = (uint64_t)sqlite3_column_int64(stmt, 2),
        .bytes = kd_db_text(stmt, 3),
    };
    if (encoded.encoding == KD_ENCODING_ZSTD_DICT) {
        KD_TRY(kd_blob_dict(db, cache, (int64_t)encoded.dict_id, &dict));
    }
    return kd_base_load((uint64_t)id, &encoded, dict, ret);
}

int kd_blob_base(struct kd_db *db, struct kd_blob_cache *cache, int64_t id, struct kd_base **ret)
{
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(db, KD_SQL_GET_BASE, &stmt, "i", id));
    int rc = kd_db_next(stmt);
    if (rc == 1) {
        rc = load_base(db, cache, stmt, id, ret);
    } else if (rc == 0) {
        rc = KD_ESTORE;
    }
    kd_db_end(db, KD_SQL_GET_BASE, stmt);
    return rc;
}

/* Borrowed from the cache. */
static int get_base(struct kd_db *db, struct kd_blob_cache *cache, int64_t id, struct kd_base **ret)
{
    struct kd_base *base = NULL;
    for (size_t i = 0; i < cache->n_bases; i++) {
        if ((int64_t)kd_base_id(cache->bases[i]) == id) {
            *ret = cache->bases[i];
            return 0;
        }
    }
    KD_TRY(kd_blob_base(db, cache, id, &base));
    if (cache->n_bases == MAX_CACHED_BASES) {
        forget_bases(cache);
    }
    cache->bases = kd_realloc_array(cache->bases, cache->n_bases + 1, sizeof(struct kd_base *));
    cache->bases[cache->n_bases++] = base;
    *ret = base;
    return 0;
}

static int decode(struct kd_db *db, struct kd_blob_cache *cache, sqlite3_stmt *stmt,
                  struct kd_arena *arena, struct kd_str *ret)
{
    struct kd_dict *dict = NULL;
    struct kd_base *base = NULL;
    const struct kd_encoded encoded = {
        .encoding = (uint32_t)sqlite3_column_int64(stmt, 0),
        .raw_len = (uint32_t)sqlite3_column_int64(stmt, 1),
        .dict_id = (uint64_t)sqlite3_column_int64(stmt, 2),
        .base_id = (uint64_t)sqlite3_column_int64(stmt, 3),
        .bytes = kd_db_text(stmt, 4),
    };
    if (encoded.encoding == KD_ENCODING_ZSTD_DICT) {
        KD_TRY(kd_blob_dict(db, cache, (int64_t)encoded.dict_id, &dict));
    }
    if (encoded.encoding == KD_ENCODING_ZSTD_BASE) {
        KD_TRY(get_base(db, cache, (int64_t)encoded.base_id, &base));
    }
    return kd_encoded_decode(&encoded, dict, base, arena, ret);
}

int kd_blob_get(struct kd_db *db, struct kd_blob_cache *cache, int64_t node, struct kd_arena *arena,
                struct kd_str *ret)
{
    sqlite3_stmt *stmt = NULL;
    KD_TRY(kd_db_select(db, KD_SQL_GET_RECORD, &stmt, "i", node));
    int rc = kd_db_next(stmt);
    if (rc == 0) {
        *ret = KD_STR("");
    } else if (rc == 1) {
        rc = decode(db, cache, stmt, arena, ret);
    }
    kd_db_end(db, KD_SQL_GET_RECORD, stmt);
    return rc < 0 ? rc : 0;
}
