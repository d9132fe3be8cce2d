/* Reads of many records, from any thread. */
#include "base/alloc.h"
#include "base/str.h"
#include "informer/parts.h"

static struct kd_value_index *find_index(const struct kd_informer *informer, const char *name)
{
    for (size_t i = 0; i < informer->table.indexes.n; i++) {
        if (strcmp(informer->table.indexes.items[i].name, name) == 0) {
            return &informer->table.indexes.items[i];
        }
    }
    return NULL;
}

static int copy_keys(struct kd_record *const *records, size_t n, struct kd_arena *arena,
                     struct kd_key **ret)
{
    struct kd_key *keys = kd_arena_alloc(arena, (n ? n : 1) * sizeof(struct kd_key));
    KD_ENSURE(keys, KD_ENOMEM);
    for (size_t i = 0; i < n; i++) {
        struct kd_key key = kd_record_key(records[i]);
        keys[i].ns = kd_arena_copy(arena, key.ns);
        keys[i].name = kd_arena_copy(arena, key.name);
        KD_ENSURE(keys[i].ns.ptr && keys[i].name.ptr, KD_ENOMEM);
    }
    *ret = keys;
    return 0;
}

int kd_informer_by_index(const struct kd_informer *informer, const char *name, struct kd_str value,
                         struct kd_arena *arena, struct kd_key **ret, size_t *ret_n)
{
    struct kd_record **records;
    size_t n;
    KD_CHECK(informer, KD_INFORMER_MAGIC);
    struct kd_value_index *index = find_index(informer, name);
    KD_ENSURE(index, KD_ENOENT);
    KD_TRY(kd_index_get(index, value, &records, &n));
    int rc = copy_keys(records, n, arena, ret);
    if (rc == 0) {
        *ret_n = n;
    }
    for (size_t i = 0; i < n; i++) {
        kd_record_unref(records[i]);
    }
    kd_free(records);
    return rc;
}

void kd_informer_each(const struct kd_informer *informer,
                      void (*fn)(void *arg, struct kd_record *record), void *arg)
{
    KD_CHECK(informer, KD_INFORMER_MAGIC);
    for (size_t shard = 0; shard < KD_TABLE_SHARDS; shard++) {
        struct kd_record **records;
        size_t n;
        /* Without memory for the pointers of a shard, the shard is left out. */
        if (kd_table_shard(&informer->table, shard, &records, &n) < 0) {
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            fn(arg, records[i]);
            kd_record_unref(records[i]);
        }
        kd_free(records);
    }
}
