/*
 * Ready keys: one list for each priority in use, or for each priority and namespace. Adding and
 * taking cost the same at any depth.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "queue/item.h"

#include <string.h>

void kd_queue_list_append(struct kd_queue_list *list, struct kd_queue_entry *entry)
{
    entry->next = NULL;
    entry->prev = list->tail;
    if (list->tail) {
        list->tail->next = entry;
    } else {
        list->head = entry;
    }
    list->tail = entry;
}

void kd_queue_list_remove(struct kd_queue_list *list, struct kd_queue_entry *entry)
{
    if (entry->prev) {
        entry->prev->next = entry->next;
    } else {
        list->head = entry->next;
    }
    if (entry->next) {
        entry->next->prev = entry->prev;
    } else {
        list->tail = entry->prev;
    }
    entry->prev = NULL;
    entry->next = NULL;
}

/* Index of the first level whose priority is not above the given one. */
static size_t find_level(const struct kd_queue_ready *ready, int32_t priority)
{
    size_t at = 0;
    while (at < ready->n_levels && ready->levels[at].priority > priority) {
        at++;
    }
    return at;
}

static void insert_level(struct kd_queue_ready *ready, size_t at, int32_t priority)
{
    if (ready->n_levels == ready->cap) {
        ready->cap = ready->cap ? ready->cap * 2 : 4;
        ready->levels = kd_realloc_array(ready->levels, ready->cap, sizeof(*ready->levels));
    }
    memmove(ready->levels + at + 1, ready->levels + at,
            (ready->n_levels - at) * sizeof(*ready->levels));
    ready->levels[at] = (struct kd_queue_level){ .priority = priority };
    ready->n_levels++;
}

/* Without fair turns all namespaces are one. */
static struct kd_str turn_ns(const struct kd_queue_ready *ready, const struct kd_queue_entry *entry)
{
    return ready->fair ? entry->run.key.ns : (struct kd_str){ "", 0 };
}

static uint64_t turn_hash(int32_t priority, struct kd_str ns)
{
    return kd_hash(ns.ptr, ns.len, (uint64_t)(uint32_t)priority);
}

static struct kd_queue_turn *find_turn(const struct kd_queue_ready *ready, int32_t priority,
                                       struct kd_str ns, uint64_t hash)
{
    struct kd_hnode *node = kd_hmap_first(&ready->turns, hash);
    for (; node; node = kd_hmap_next_same(node)) {
        struct kd_queue_turn *turn = KD_CONTAINER_OF(node, struct kd_queue_turn, node);
        if (turn->priority == priority && turn->ns_len == ns.len &&
            (ns.len == 0 || memcmp(turn->ns, ns.ptr, ns.len) == 0)) {
            return turn;
        }
    }
    return NULL;
}

static void append_turn(struct kd_queue_level *level, struct kd_queue_turn *turn)
{
    turn->next = NULL;
    turn->prev = level->tail;
    if (level->tail) {
        level->tail->next = turn;
    } else {
        level->head = turn;
    }
    level->tail = turn;
}

static void remove_turn(struct kd_queue_level *level, struct kd_queue_turn *turn)
{
    if (turn->prev) {
        turn->prev->next = turn->next;
    } else {
        level->head = turn->next;
    }
    if (turn->next) {
        turn->next->prev = turn->prev;
    } else {
        level->tail = turn->prev;
    }
}

static struct kd_queue_turn *make_turn(struct kd_queue_ready *ready, struct kd_queue_level *level,
                                       struct kd_str ns, uint64_t hash)
{
    struct kd_queue_turn *turn = kd_alloc(sizeof(*turn) + ns.len);
    *turn = (struct kd_queue_turn){ .priority = level->priority, .ns_len = ns.len };
    if (ns.len) {
        memcpy(turn->ns, ns.ptr, ns.len);
    }
    kd_hmap_add(&ready->turns, &turn->node, hash);
    append_turn(level, turn);
    return turn;
}

static struct kd_queue_level *level_of(struct kd_queue_ready *ready, int32_t priority)
{
    size_t at = find_level(ready, priority);
    if (at == ready->n_levels || ready->levels[at].priority != priority) {
        insert_level(ready, at, priority);
    }
    return &ready->levels[at];
}

void kd_queue_ready_push(struct kd_queue_ready *ready, struct kd_queue_entry *entry)
{
    struct kd_queue_level *level = level_of(ready, entry->priority);
    struct kd_queue_turn *turn = ready->fair ? NULL : level->head;
    if (!turn) {
        struct kd_str ns = turn_ns(ready, entry);
        uint64_t hash = turn_hash(entry->priority, ns);
        turn = find_turn(ready, entry->priority, ns, hash);
        turn = turn ? turn : make_turn(ready, level, ns, hash);
    }
    entry->turn = turn;
    kd_queue_list_append(&turn->list, entry);
    level->n++;
    ready->n++;
}

static void drop_level(struct kd_queue_ready *ready, size_t at)
{
    ready->n_levels--;
    memmove(ready->levels + at, ready->levels + at + 1,
            (ready->n_levels - at) * sizeof(*ready->levels));
}

void kd_queue_ready_remove(struct kd_queue_ready *ready, struct kd_queue_entry *entry)
{
    struct kd_queue_turn *turn = entry->turn;
    size_t at = find_level(ready, entry->priority);
    KD_ASSERT(at < ready->n_levels && ready->levels[at].priority == entry->priority);
    struct kd_queue_level *level = &ready->levels[at];
    kd_queue_list_remove(&turn->list, entry);
    entry->turn = NULL;
    if (!turn->list.head) {
        remove_turn(level, turn);
        kd_hmap_remove(&ready->turns, &turn->node);
        kd_free(turn);
    }
    ready->n--;
    if (--level->n == 0) {
        drop_level(ready, at);
    }
}

struct kd_queue_entry *kd_queue_ready_first(const struct kd_queue_ready *ready)
{
    return ready->n_levels ? ready->levels[0].head->list.head : NULL;
}

struct kd_queue_entry *kd_queue_ready_take(struct kd_queue_ready *ready)
{
    struct kd_queue_entry *entry = kd_queue_ready_first(ready);
    if (entry) {
        struct kd_queue_level *level = &ready->levels[0];
        remove_turn(level, entry->turn);
        append_turn(level, entry->turn);
        kd_queue_ready_remove(ready, entry);
    }
    return entry;
}

void kd_queue_ready_release(struct kd_queue_ready *ready)
{
    KD_ASSERT(ready->n == 0);
    kd_hmap_release(&ready->turns);
    kd_free(ready->levels);
    *ready = (struct kd_queue_ready){ 0 };
}
