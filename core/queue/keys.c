/* A look at all keys that are still to be done. */
#include "queue/state.h"

static bool is_to_do(const struct kd_queue_entry *entry)
{
    return entry->working || entry->place != KD_PLACE_NONE;
}

static int copy_keys_locked(const struct kd_queue *queue, size_t max, struct kd_arena *arena,
                            struct kd_key *keys, size_t *ret_n)
{
    size_t n = 0;
    struct kd_hnode *node = kd_hmap_begin(&queue->entries);
    for (; node; node = kd_hmap_step(&queue->entries, node)) {
        const struct kd_queue_entry *entry = KD_CONTAINER_OF(node, struct kd_queue_entry, node);
        if (!is_to_do(entry)) {
            continue;
        }
        KD_ENSURE(n < max, KD_ETOOBIG);
        keys[n].ns = kd_arena_copy(arena, entry->run.key.ns);
        keys[n].name = kd_arena_copy(arena, entry->run.key.name);
        KD_ENSURE(keys[n].ns.ptr && keys[n].name.ptr, KD_ENOMEM);
        n++;
    }
    *ret_n = n;
    return 0;
}

int kd_queue_keys(struct kd_queue *queue, size_t max, struct kd_arena *arena, struct kd_key **ret,
                  size_t *ret_n)
{
    struct kd_key *keys = kd_arena_alloc(arena, (max + 1) * sizeof(*keys));
    KD_ENSURE(keys, KD_ENOMEM);
    pthread_mutex_lock(&queue->lock);
    int rc = copy_keys_locked(queue, max, arena, keys, ret_n);
    pthread_mutex_unlock(&queue->lock);
    *ret = keys;
    return rc;
}
