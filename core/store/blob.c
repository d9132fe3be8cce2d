#include "store/blob.h"

#include "base/alloc.h"

#define MAX_CACHED_DICTS 64

uint32_t kd_blob_raw_len(const struct kd_record *record)
{
    struct kd_encoded encoded = { 0 };
    if (record) {
        kd_record_encoded(record, &encoded);
    }
    return encoded.raw_len;
}

static void count_use(struct kd_dict_uses *uses, int64_t id, int64_t change)
{
    for (size_t i = 0; i < uses->n; i++) { /* one or two per kind */
        if (uses->items[i].id == id) {
            uses->items[i].change += change;
            return;
        }
    }
    uses->items = kd_realloc_array(uses->items, uses->n + 1, sizeof(*uses->items));
    uses->items[uses->n++] = (struct kd_dict_use){ .id = id, .change = change };
}

static bool is_met(const struct kd_dict_uses *uses, int64_t id)
{
    for (size_t i = 0; i < uses->n; i++) {
        if (uses->items[i].id == id) {
            return true;
        }
    }
    return false;
}

static int use_dict(struct kd_db *db, struct kd_dict_uses *uses, const struct kd_record *record,
                    int64_t *ret)
{
    const struct kd_dict *dict = kd_record_dict(record);
    if (!dict) {
        *ret = 0;
        return 0;
    }
    int64_t id = (int64_t)kd_dict_id(dict);
    if (!is_met(uses, id)) {
        int64_t one = 0;
        int found = kd_db_number(db, KD_SQL_FIND_DICT, &one, "i", id);
        KD_TRY(found);
        if (!found) {
            KD_TRY(kd_db_run(db, KD_SQL_ADD_DICT, "ib", id, kd_dict_bytes(dict)));
        }
    }
    count_use(uses, id, 1);
    *ret = id;
    return 0;
}

static int release_dict(struct kd_db *db, struct kd_dict_uses *uses, int64_t node)
{
    int64_t old = 0;
    int found = kd_db_number(db, KD_SQL_RECORD_DICT, &old, "i", node);
    KD_TRY(found);
    if (found) {
        count_use(uses, old, -1);
    }
    return 0;
}

int kd_blob_set(struct kd_db *db, struct kd_dict_uses *uses, int64_t node, bool replace,
                const struct kd_record *record)
{
    struct kd_encoded encoded = { 0 };
    int64_t dict = 0;
    if (replace && !record) {
        return kd_blob_drop(db, uses, node);
    }
    if (replace) {
        KD_TRY(release_dict(db, uses, node));
    }
    if (!record) {
        return 0;
    }
    kd_record_encoded(record, &encoded);
    KD_TRY(use_dict(db, uses, record, &dict));
    return kd_db_run(db, KD_SQL_SET_RECORD, "iiizb", node, (int64_t)encoded.encoding,
                     (int64_t)encoded.raw_len, dict, encoded.bytes);
}

int kd_blob_drop(struct kd_db *db, struct kd_dict_uses *uses, int64_t node)
{
    KD_TRY(release_dict(db, uses, node));
    return kd_db_run(db, KD_SQL_DROP_RECORD, "i", node);
}

int kd_dict_uses_write(struct kd_db *db, struct kd_dict_uses *uses)
{
    bool fewer = false;
    for (size_t i = 0; i < uses->n; i++) {
        if (uses->items[i].change) {
            KD_TRY(kd_db_run(db, KD_SQL_USE_DICT, "ii", uses->items[i].id, uses->items[i].change));
        }
        fewer = fewer || uses->items[i].change <= 0;
    }
    return fewer ? kd_db_run(db, KD_SQL_DROP_DICTS, "") : 0;
}

void kd_dict_uses_reset(struct kd_dict_uses *uses)
{
    kd_free(uses->items);
    *uses = (struct kd_dict_uses){ 0 };
}

void kd_dict_cache_release(struct kd_dict_cache *cache)
{
    for (size_t i = 0; i < cache->n; i++) {
        kd_dict_unref(cache->items[i]);
    }
    kd_free(cache->items);
    *cache = (struct kd_dict_cache){ 0 };
}

/* Borrowed from the cache. */
static int get_dict(struct kd_db *db, struct kd_dict_cache *cache, int64_t id, struct kd_dict **ret)
{
    for (size_t i = 0; i < cache->n; i++) {
        if ((int64_t)kd_dict_id(cache->items[i]) == id) {
            *ret = cache->items[i];
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
    if (cache->n == MAX_CACHED_DICTS) {
        kd_dict_cache_release(cache);
    }
    cache->items = kd_realloc_array(cache->items, cache->n + 1, sizeof(struct kd_dict *));
    cache->items[cache->n++] = dict;
    *ret = dict;
    return 0;
}

static int decode(struct kd_db *db, struct kd_dict_cache *cache, sqlite3_stmt *stmt,
                  struct kd_arena *arena, struct kd_str *ret)
{
    struct kd_dict *dict = NULL;
    struct kd_encoded encoded = {
        .encoding = (uint32_t)sqlite3_column_int64(stmt, 0),
        .raw_len = (uint32_t)sqlite3_column_int64(stmt, 1),
        .dict_id = (uint64_t)sqlite3_column_int64(stmt, 2),
        .bytes = kd_db_text(stmt, 3),
    };
    if (encoded.encoding == KD_ENCODING_ZSTD_DICT) {
        KD_TRY(get_dict(db, cache, (int64_t)encoded.dict_id, &dict));
    }
    return kd_encoded_decode(&encoded, dict, arena, ret);
}

int kd_blob_get(struct kd_db *db, struct kd_dict_cache *cache, int64_t node, struct kd_arena *arena,
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
