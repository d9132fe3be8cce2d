/*
 * An intrusive hash map with chaining: the element embeds a struct kd_hnode, the map owns only its
 * bucket array. Find by hash, then let the caller compare. Not thread-safe.
 *
 *     for (struct kd_hnode *n = kd_hmap_first(&map, hash); n; n = kd_hmap_next_same(n)) ...
 *     for (struct kd_hnode *n = kd_hmap_begin(&map); n; n = kd_hmap_step(&map, n)) ...  every one
 */
#ifndef KD_BASE_HMAP_H
#define KD_BASE_HMAP_H

#include "base/macros.h"

#include <kindred/types.h>

struct kd_hnode {
    struct kd_hnode *next;
    uint64_t hash;
};

struct kd_hmap {
    struct kd_hnode **buckets;
    size_t mask; /* buckets - 1, or 0 when there are none */
    size_t n;
};

/* A zeroed map is empty and ready. Release frees the buckets, never the elements. */
void kd_hmap_release(struct kd_hmap *map);
void kd_hmap_add(struct kd_hmap *map, struct kd_hnode *node, uint64_t hash);
/* The node must be in the map. */
void kd_hmap_remove(struct kd_hmap *map, struct kd_hnode *node);
/* First and next node with this very hash. */
struct kd_hnode *kd_hmap_first(const struct kd_hmap *map, uint64_t hash);
struct kd_hnode *kd_hmap_next_same(const struct kd_hnode *node);
/* Walk over all, in no order. Removing during a walk may resize: collect first. */
struct kd_hnode *kd_hmap_begin(const struct kd_hmap *map);
struct kd_hnode *kd_hmap_step(const struct kd_hmap *map, const struct kd_hnode *node);

#endif
