#include "informer/table.h"

#include "base/alloc.h"
#include "base/str.h"

void kd_table_init(struct kd_table *table)
{
    *table = (struct kd_table){ 0 };
    for (size_t i = 0; i < KD_TABLE_SHARDS; i++) {
        KD_ASSERT(pthread_mutex_init(&table->shards[i].lock, NULL) == 0);
    }
}

static size_t shard_of(uint64_t hash)
{
    return (size_t)(hash >> 58);
}

_Static_assert(KD_TABLE_SHARDS == 64, "shard_of takes six bits");

size_t kd_table_shard_of(struct kd_key key)
{
    return shard_of(kd_key_hash(key));
}

void kd_table_release(struct kd_table *table)
{
    for (size_t i = 0; i < table->indexes.n; i++) {
        kd_index_release(&table->indexes.items[i]);
    }
    table->indexes.items = kd_free(table->indexes.items);
    table->indexes.n = 0;
    kd_families_release(&table->families);
    for (size_t i = 0; i < KD_TABLE_SHARDS; i++) {
        struct kd_slots *slots = &table->shards[i].slots;
        for (uint32_t slot = 0; slot < slots->cap; slot++) {
            kd_record_unref(slots->records[slot]);
        }
        kd_slots_release(slots);
        (void)pthread_mutex_destroy(&table->shards[i].lock);
    }
}

/* Counts a record in or out. One that takes another's place is counted in first. */
static void count(struct kd_table *table, struct kd_record *record, bool in)
{
    uint64_t one = in ? 1 : UINT64_MAX; /* adding the latter takes one away */
    size_t of_base = in ? kd_families_enter(&table->families, record)
                        : kd_families_leave(&table->families, record);
    (void)atomic_fetch_add_explicit(&table->n, one, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&table->bytes, one * (kd_record_size(record) + of_base),
                                    memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&table->raw_bytes, one * kd_record_raw_len(record),
                                    memory_order_relaxed);
    if (kd_record_is_early(record)) {
        (void)atomic_fetch_add_explicit(&table->n_early, one, memory_order_relaxed);
    }
}

struct kd_record *kd_table_peek(const struct kd_table *table, struct kd_key key)
{
    uint64_t hash = kd_key_hash(key);
    const struct kd_slots *slots = &table->shards[shard_of(hash)].slots;
    uint32_t slot = kd_slots_find(slots, key, hash);
    return slot == KD_NO_SLOT ? NULL : slots->records[slot];
}

struct kd_record *kd_table_get(const struct kd_table *table, struct kd_key key)
{
    /* A reader changes nothing but the lock. */
    struct kd_shard *shard = (struct kd_shard *)(uintptr_t)&table->shards[kd_table_shard_of(key)];
    (void)pthread_mutex_lock(&shard->lock);
    struct kd_record *record = kd_table_peek(table, key);
    if (record) {
        (void)kd_record_ref(record);
    }
    (void)pthread_mutex_unlock(&shard->lock);
    return record;
}

int kd_table_put(struct kd_table *table, struct kd_record *record, struct kd_record **ret_old)
{
    uint64_t hash = kd_record_hash(record);
    struct kd_shard *shard = &table->shards[shard_of(hash)];
    struct kd_record *old = NULL;
    (void)pthread_mutex_lock(&shard->lock);
    uint32_t slot = kd_slots_find(&shard->slots, kd_record_key(record), hash);
    if (slot == KD_NO_SLOT) {
        slot = kd_slots_add(&shard->slots, record, hash);
    } else {
        old = shard->slots.records[slot];
        shard->slots.records[slot] = record;
    }
    if (slot != KD_NO_SLOT) {
        kd_slots_mark(&shard->slots, slot, true);
    }
    (void)pthread_mutex_unlock(&shard->lock);
    KD_ENSURE(slot != KD_NO_SLOT, KD_ENOMEM);
    count(table, record, true);
    if (old) {
        count(table, old, false);
    }
    *ret_old = old;
    return 0;
}

bool kd_table_replace(struct kd_table *table, struct kd_record *record, struct kd_record **ret_old)
{
    uint64_t hash = kd_record_hash(record);
    struct kd_shard *shard = &table->shards[shard_of(hash)];
    uint32_t slot = kd_slots_find(&shard->slots, kd_record_key(record), hash);
    if (slot == KD_NO_SLOT) {
        return false;
    }
    *ret_old = shard->slots.records[slot];
    (void)pthread_mutex_lock(&shard->lock);
    shard->slots.records[slot] = record;
    (void)pthread_mutex_unlock(&shard->lock);
    count(table, record, true);
    count(table, *ret_old, false);
    return true;
}

static struct kd_record *take_slot(struct kd_table *table, struct kd_shard *shard, uint32_t slot)
{
    struct kd_record *record = shard->slots.records[slot];
    (void)pthread_mutex_lock(&shard->lock);
    kd_slots_remove(&shard->slots, slot);
    (void)pthread_mutex_unlock(&shard->lock);
    count(table, record, false);
    return record;
}

struct kd_record *kd_table_take(struct kd_table *table, struct kd_key key)
{
    uint64_t hash = kd_key_hash(key);
    struct kd_shard *shard = &table->shards[shard_of(hash)];
    uint32_t slot = kd_slots_find(&shard->slots, key, hash);
    return slot == KD_NO_SLOT ? NULL : take_slot(table, shard, slot);
}

int kd_table_shard(const struct kd_table *table, size_t shard, struct kd_record ***ret,
                   size_t *ret_n)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&table->shards[shard].lock;
    (void)pthread_mutex_lock(lock);
    int rc = kd_slots_copy(&table->shards[shard].slots, ret, ret_n);
    (void)pthread_mutex_unlock(lock);
    return rc;
}

uint64_t kd_table_overhead(const struct kd_table *table)
{
    uint64_t sum = sizeof(*table);
    for (size_t i = 0; i < KD_TABLE_SHARDS; i++) {
        sum += kd_slots_memory(&table->shards[i].slots);
    }
    for (size_t i = 0; i < table->indexes.n; i++) {
        sum += kd_index_memory(&table->indexes.items[i]);
    }
    return sum;
}
