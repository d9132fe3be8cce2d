/* Mark and sweep over a table or over one namespace of it. A mark shares its 16 bits with a tag
 * that readers look at, so it is set under the shard's lock; the I/O thread reads it without. */
#include "base/alloc.h"
#include "base/str.h"
#include "informer/table.h"

static struct kd_shard *find_slot(struct kd_table *table, struct kd_key key, uint32_t *ret_slot)
{
    uint64_t hash = kd_key_hash(key);
    struct kd_shard *shard = &table->shards[kd_table_shard_of(key)];
    *ret_slot = kd_slots_find(&shard->slots, key, hash);
    return shard;
}

static struct kd_slots *namespace_slots(struct kd_table *table, struct kd_str ns)
{
    struct kd_index_bucket *bucket = kd_index_find(&table->indexes.items[KD_INDEX_NAMESPACE], ns);
    return bucket ? &bucket->slots : NULL;
}

static void set_mark(struct kd_table *table, struct kd_key key, bool mark)
{
    uint32_t slot;
    struct kd_shard *shard = find_slot(table, key, &slot);
    if (slot != KD_NO_SLOT) {
        (void)pthread_mutex_lock(&shard->lock);
        kd_slots_mark(&shard->slots, slot, mark);
        (void)pthread_mutex_unlock(&shard->lock);
    }
}

void kd_table_mark(struct kd_table *table, struct kd_key key)
{
    set_mark(table, key, true);
}

static void unmark_shard(struct kd_shard *shard)
{
    (void)pthread_mutex_lock(&shard->lock);
    for (uint32_t slot = 0; slot < shard->slots.cap; slot++) {
        kd_slots_mark(&shard->slots, slot, false);
    }
    (void)pthread_mutex_unlock(&shard->lock);
}

void kd_table_unmark(struct kd_table *table, struct kd_str ns)
{
    const struct kd_slots *members = ns.ptr ? namespace_slots(table, ns) : NULL;
    for (uint32_t i = 0; members && i < members->cap; i++) {
        if (members->records[i]) {
            set_mark(table, kd_record_key(members->records[i]), false);
        }
    }
    for (size_t i = 0; !ns.ptr && i < KD_TABLE_SHARDS; i++) {
        unmark_shard(&table->shards[i]);
    }
}

#define SWEEP_BATCH 512

struct sweep {
    struct kd_table *table;
    struct kd_str ns;
    size_t shard; /* when every namespace is swept */
    void (*fn)(void *arg, struct kd_record *record);
    void *arg;
};

/* What is walked over. Fetched anew for each batch: a bucket goes with its last record. */
static const struct kd_slots *source(const struct sweep *sweep)
{
    return sweep->ns.ptr ? namespace_slots(sweep->table, sweep->ns)
                         : &sweep->table->shards[sweep->shard].slots;
}

static bool is_unmarked(const struct sweep *sweep, const struct kd_slots *from, uint32_t at)
{
    uint32_t slot = at;
    if (sweep->ns.ptr) {
        from = &find_slot(sweep->table, kd_record_key(from->records[at]), &slot)->slots;
        KD_ASSERT(slot != KD_NO_SLOT);
    }
    return !kd_slots_marked(from, slot);
}

/* One walk from slot to slot; true when something went. Taking records out moves others, so some
 * may be passed over: the caller walks again until nothing went. */
static bool sweep_once(const struct sweep *sweep)
{
    struct kd_record *gone[SWEEP_BATCH];
    const struct kd_slots *from = source(sweep);
    bool some = false;
    for (uint32_t at = 0; from && at < from->cap; from = source(sweep)) {
        size_t n = 0;
        for (; at < from->cap && n < SWEEP_BATCH; at++) {
            if (from->records[at] && is_unmarked(sweep, from, at)) {
                gone[n++] = from->records[at];
            }
        }
        for (size_t i = 0; i < n; i++) {
            some = true;
            sweep->fn(sweep->arg, kd_table_take(sweep->table, kd_record_key(gone[i])));
        }
    }
    return some;
}

void kd_table_sweep(struct kd_table *table, struct kd_str ns,
                    void (*fn)(void *arg, struct kd_record *record), void *arg)
{
    struct sweep sweep = { table, ns, 0, fn, arg };
    size_t rounds = ns.ptr ? 1 : KD_TABLE_SHARDS;
    for (; sweep.shard < rounds; sweep.shard++) {
        while (sweep_once(&sweep)) {
        }
    }
}
