#include "controller/tombstones.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"

static uint64_t hash_key(struct kd_key key)
{
    return kd_hash(key.name.ptr, key.name.len, kd_hash_str(key.ns));
}

void kd_tombstones_init(struct kd_tombstones *all)
{
    pthread_mutex_init(&all->lock, NULL);
    all->by_key = (struct kd_hmap){ 0 };
}

void kd_tombstone_free(struct kd_tombstone *tombstone)
{
    if (tombstone) {
        kd_record_unref(tombstone->record);
        kd_free(tombstone);
    }
}

void kd_tombstones_release(struct kd_tombstones *all)
{
    struct kd_hnode *node;
    while ((node = kd_hmap_begin(&all->by_key)) != NULL) {
        kd_hmap_remove(&all->by_key, node);
        kd_tombstone_free(KD_CONTAINER_OF(node, struct kd_tombstone, node));
    }
    kd_hmap_release(&all->by_key);
    pthread_mutex_destroy(&all->lock);
}

static struct kd_tombstone *find_locked(const struct kd_tombstones *all, struct kd_key key)
{
    struct kd_hnode *node = kd_hmap_first(&all->by_key, hash_key(key));
    for (; node; node = kd_hmap_next_same(node)) {
        struct kd_tombstone *tombstone = KD_CONTAINER_OF(node, struct kd_tombstone, node);
        struct kd_key other = kd_record_key(tombstone->record);
        if (kd_str_eq(other.name, key.name) && kd_str_eq(other.ns, key.ns)) {
            return tombstone;
        }
    }
    return NULL;
}

/* Returns what was there. */
static struct kd_tombstone *take_locked(struct kd_tombstones *all, struct kd_key key)
{
    struct kd_tombstone *tombstone = find_locked(all, key);
    if (tombstone) {
        kd_hmap_remove(&all->by_key, &tombstone->node);
    }
    return tombstone;
}

void kd_tombstones_put(struct kd_tombstones *all, struct kd_record *record, uint32_t flags)
{
    struct kd_key key = kd_record_key(record);
    struct kd_tombstone *tombstone = kd_zalloc(sizeof(*tombstone));
    tombstone->record = kd_record_ref(record);
    tombstone->flags = flags;
    pthread_mutex_lock(&all->lock);
    struct kd_tombstone *old = take_locked(all, key);
    kd_hmap_add(&all->by_key, &tombstone->node, hash_key(key));
    pthread_mutex_unlock(&all->lock);
    kd_tombstone_free(old);
}

struct kd_tombstone *kd_tombstones_take(struct kd_tombstones *all, struct kd_key key)
{
    pthread_mutex_lock(&all->lock);
    struct kd_tombstone *tombstone = take_locked(all, key);
    pthread_mutex_unlock(&all->lock);
    return tombstone;
}

void kd_tombstones_put_back(struct kd_tombstones *all, struct kd_tombstone *tombstone)
{
    struct kd_key key = kd_record_key(tombstone->record);
    pthread_mutex_lock(&all->lock);
    if (!find_locked(all, key)) {
        kd_hmap_add(&all->by_key, &tombstone->node, hash_key(key));
        tombstone = NULL;
    }
    pthread_mutex_unlock(&all->lock);
    kd_tombstone_free(tombstone);
}
