#include "archive/data.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "informer/record.h"

#include <sqlite3ext.h>
#include <stdbool.h>
SQLITE_EXTENSION_INIT3

#define CACHED 64 /* dictionaries, and bases, that a connection keeps at hand */
#define JSON_SUBTYPE 74
#define RECORD_SQL                                                                                 \
    "SELECT r.data, c.encoding, c.raw_len, c.dict, c.base, c.bytes FROM resource r "               \
    "LEFT JOIN record c ON c.node = r.node WHERE r.node = ?1"
#define DICT_SQL "SELECT bytes FROM dict WHERE id = ?1"
#define BASE_SQL "SELECT encoding, raw_len, dict, bytes FROM base WHERE id = ?1"

struct cache {
    struct kd_dict *dicts[CACHED];
    struct kd_base *bases[CACHED];
    size_t n_dicts, n_bases;
    struct kd_arena arena; /* of one call */
};

static void forget_dicts(struct cache *cache)
{
    while (cache->n_dicts > 0) {
        kd_dict_unref(cache->dicts[--cache->n_dicts]);
    }
}

static void forget_bases(struct cache *cache)
{
    while (cache->n_bases > 0) {
        kd_base_unref(cache->bases[--cache->n_bases]);
    }
}

static void free_cache(void *arg)
{
    struct cache *cache = arg;
    forget_dicts(cache);
    forget_bases(cache);
    kd_arena_release(&cache->arena);
    kd_free(cache);
}

/* The row of an id: 1, 0 when there is none. */
static int find_row(sqlite3 *handle, const char *sql, int64_t id, sqlite3_stmt **ret)
{
    int rc = sqlite3_prepare_v2(handle, sql, -1, ret, NULL);
    rc = rc == SQLITE_OK ? sqlite3_bind_int64(*ret, 1, id) : rc;
    rc = rc == SQLITE_OK ? sqlite3_step(*ret) : rc;
    return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : KD_ESTORE;
}

static struct kd_str text_of(sqlite3_stmt *stmt, int column)
{
    const void *ptr = sqlite3_column_blob(stmt, column); /* no conversion, no cut at a NUL */
    return (struct kd_str){ ptr, (uint64_t)sqlite3_column_bytes(stmt, column) };
}

static struct kd_encoded encoded_of(sqlite3_stmt *stmt, int encoding, int bytes)
{
    return (struct kd_encoded){
        .encoding = (uint32_t)sqlite3_column_int64(stmt, encoding),
        .raw_len = (uint32_t)sqlite3_column_int64(stmt, encoding + 1),
        .dict_id = (uint64_t)sqlite3_column_int64(stmt, encoding + 2),
        .bytes = text_of(stmt, bytes),
    };
}

static int find_dict(sqlite3 *handle, struct cache *cache, uint64_t id, struct kd_dict **ret)
{
    sqlite3_stmt *stmt = NULL;
    for (size_t i = 0; i < cache->n_dicts; i++) {
        if (kd_dict_id(cache->dicts[i]) == id) {
            *ret = cache->dicts[i];
            return 0;
        }
    }
    int rc = find_row(handle, DICT_SQL, (int64_t)id, &stmt);
    struct kd_dict *dict = rc == 1 ? kd_dict_new(text_of(stmt, 0)) : NULL;
    (void)sqlite3_finalize(stmt); /* repeats the error of the step, here and below */
    KD_ENSURE(dict, rc < 0 ? rc : KD_ESTORE);
    if (cache->n_dicts == CACHED) {
        forget_dicts(cache);
    }
    cache->dicts[cache->n_dicts++] = dict;
    *ret = dict;
    return 0;
}

static int load_base(sqlite3 *handle, struct cache *cache, sqlite3_stmt *stmt, uint64_t id,
                     struct kd_base **ret)
{
    struct kd_dict *dict = NULL;
    const struct kd_encoded encoded = encoded_of(stmt, 0, 3);
    if (encoded.encoding == KD_ENCODING_ZSTD_DICT) {
        KD_TRY(find_dict(handle, cache, encoded.dict_id, &dict));
    }
    return kd_base_load(id, &encoded, dict, ret);
}

static int find_base(sqlite3 *handle, struct cache *cache, uint64_t id, struct kd_base **ret)
{
    sqlite3_stmt *stmt = NULL;
    struct kd_base *base = NULL;
    for (size_t i = 0; i < cache->n_bases; i++) {
        if (kd_base_id(cache->bases[i]) == id) {
            *ret = cache->bases[i];
            return 0;
        }
    }
    int rc = find_row(handle, BASE_SQL, (int64_t)id, &stmt);
    rc = rc == 1 ? load_base(handle, cache, stmt, id, &base) : rc < 0 ? rc : KD_ESTORE;
    (void)sqlite3_finalize(stmt);
    KD_TRY(rc);
    if (cache->n_bases == CACHED) {
        forget_bases(cache);
    }
    cache->bases[cache->n_bases++] = base;
    *ret = base;
    return 0;
}

static int decode(sqlite3 *handle, struct cache *cache, sqlite3_stmt *stmt, struct kd_str *ret)
{
    struct kd_dict *dict = NULL;
    struct kd_base *base = NULL;
    struct kd_encoded encoded = encoded_of(stmt, 1, 5);
    encoded.base_id = (uint64_t)sqlite3_column_int64(stmt, 4);
    if (encoded.encoding == KD_ENCODING_ZSTD_DICT) {
        KD_TRY(find_dict(handle, cache, encoded.dict_id, &dict));
    }
    if (encoded.encoding == KD_ENCODING_ZSTD_BASE) {
        KD_TRY(find_base(handle, cache, encoded.base_id, &base));
    }
    return kd_encoded_decode(&encoded, dict, base, &cache->arena, ret);
}

static bool is_null(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) == SQLITE_NULL;
}

static int read_data(sqlite3 *handle, struct cache *cache, int64_t id, struct kd_str *ret)
{
    sqlite3_stmt *stmt = NULL;
    int rc = find_row(handle, RECORD_SQL, id, &stmt);
    if (rc == 1 && !is_null(stmt, 0)) {
        *ret = kd_arena_copy(&cache->arena, text_of(stmt, 0));
        rc = ret->ptr ? 0 : KD_ENOMEM;
    } else if (rc == 1 && !is_null(stmt, 1)) {
        rc = decode(handle, cache, stmt, ret);
    }
    (void)sqlite3_finalize(stmt);
    return rc < 0 ? rc : 0;
}

/* NULL for an id of no resource, and for a resource without an object. */
static void kindred_data(sqlite3_context *context, int n, sqlite3_value **args)
{
    struct cache *cache = sqlite3_user_data(context);
    struct kd_str json = { NULL, 0 };
    (void)n;
    if (sqlite3_value_type(args[0]) == SQLITE_NULL) {
        return;
    }
    kd_arena_reset(&cache->arena, KD_MIB);
    int rc =
        read_data(sqlite3_context_db_handle(context), cache, sqlite3_value_int64(args[0]), &json);
    if (rc < 0) {
        sqlite3_result_error(context, "kindred_data: this is no whole store of kindred's", -1);
    } else if (json.len > 0) {
        sqlite3_result_text64(context, json.ptr, json.len, SQLITE_TRANSIENT, SQLITE_UTF8);
        sqlite3_result_subtype(context, JSON_SUBTYPE);
    }
}

int kd_data_register(sqlite3 *handle)
{
    struct cache *cache = kd_zalloc(sizeof(*cache));
    kd_arena_init(&cache->arena, KD_MAX_SCRATCH);
    return sqlite3_create_function_v2(handle, "kindred_data", 1, SQLITE_UTF8, cache, kindred_data,
                                      NULL, NULL, free_cache); /* frees it on failure too */
}
