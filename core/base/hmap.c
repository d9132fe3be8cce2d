#include "base/hmap.h"

#include "base/alloc.h"
#include "base/error.h"

#define HMAP_MIN 16

void kd_hmap_release(struct kd_hmap *map)
{
    if (map) {
        kd_free(map->buckets);
        *map = (struct kd_hmap){ 0 };
    }
}

static void resize(struct kd_hmap *map, size_t n_buckets)
{
    struct kd_hnode **buckets = kd_zalloc_array(n_buckets, sizeof(struct kd_hnode *));
    for (size_t i = 0; map->buckets && i <= map->mask; i++) {
        struct kd_hnode *node = map->buckets[i];
        while (node) {
            struct kd_hnode *next = node->next;
            struct kd_hnode **slot = &buckets[node->hash & (n_buckets - 1)];
            node->next = *slot;
            *slot = node;
            node = next;
        }
    }
    kd_free(map->buckets);
    map->buckets = buckets;
    map->mask = n_buckets - 1;
}

void kd_hmap_add(struct kd_hmap *map, struct kd_hnode *node, uint64_t hash)
{
    if (!map->buckets) {
        resize(map, HMAP_MIN);
    } else if (map->n > map->mask) {
        resize(map, (map->mask + 1) * 2);
    }
    node->hash = hash;
    node->next = map->buckets[hash & map->mask];
    map->buckets[hash & map->mask] = node;
    map->n++;
}

void kd_hmap_remove(struct kd_hmap *map, struct kd_hnode *node)
{
    KD_ASSERT(map->buckets != NULL);
    struct kd_hnode **link = &map->buckets[node->hash & map->mask];
    while (*link && *link != node) {
        link = &(*link)->next;
    }
    KD_ASSERT(*link == node);
    *link = node->next;
    node->next = NULL;
    map->n--;
    if (map->mask >= HMAP_MIN * 4 && map->n < map->mask / 8) { /* give memory back */
        resize(map, (map->mask + 1) / 4);
    }
}

static struct kd_hnode *same_hash(struct kd_hnode *node, uint64_t hash)
{
    while (node && node->hash != hash) {
        node = node->next;
    }
    return node;
}

struct kd_hnode *kd_hmap_first(const struct kd_hmap *map, uint64_t hash)
{
    return map->buckets ? same_hash(map->buckets[hash & map->mask], hash) : NULL;
}

struct kd_hnode *kd_hmap_next_same(const struct kd_hnode *node)
{
    return same_hash(node->next, node->hash);
}

static struct kd_hnode *from_bucket(const struct kd_hmap *map, size_t index)
{
    for (; map->buckets && index <= map->mask; index++) {
        if (map->buckets[index]) {
            return map->buckets[index];
        }
    }
    return NULL;
}

struct kd_hnode *kd_hmap_begin(const struct kd_hmap *map)
{
    return from_bucket(map, 0);
}

struct kd_hnode *kd_hmap_step(const struct kd_hmap *map, const struct kd_hnode *node)
{
    return node->next ? node->next : from_bucket(map, (node->hash & map->mask) + 1);
}
