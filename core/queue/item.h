/*
 * What the parts of a queue share: the entry of one key, the ready lists and the heap of delayed
 * keys. An entry is one allocation; it lives while its key waits, is in work or has failures.
 * Everything here is guarded by the queue's lock, but for `run`, which the worker that holds the
 * key reads without it: the queue writes it only in kd_queue_get.
 */
#ifndef KD_QUEUE_ITEM_H
#define KD_QUEUE_ITEM_H

#include "base/hmap.h"
#include "queue/queue.h"

#include <stdatomic.h>
#include <pthread.h>

/* Where a key waits for its next run. */
enum kd_queue_place {
    KD_PLACE_NONE,
    KD_PLACE_READY,
    KD_PLACE_DELAYED, /* may be in work at the same time */
    KD_PLACE_DIRTY,   /* in work, and ready again once that is done */
};

struct kd_queue_entry {
    struct kd_hnode node;
    struct kd_queue_item run;           /* what the worker sees */
    struct kd_queue_entry *prev, *next; /* in its ready list, or in the list of keys in work */
    struct kd_queue_turn *turn;         /* whose list that is, while ready */
    size_t heap_index;
    int64_t due_ns;   /* while delayed */
    int64_t added_ns; /* when it became ready or dirty */
    int64_t work_ns;  /* when the work began */
    enum kd_queue_place place;
    bool working;
    int32_t priority; /* of the next run, with why and changed */
    uint32_t why;
    uint32_t changed;
    uint32_t failures;
    char text[]; /* namespace, then name */
};

struct kd_queue_list {
    struct kd_queue_entry *head, *tail;
};

void kd_queue_list_append(struct kd_queue_list *list, struct kd_queue_entry *entry);
void kd_queue_list_remove(struct kd_queue_list *list, struct kd_queue_entry *entry);

/*
 * Ready keys of one priority that are handed out in the order of arrival. A fair queue has one for
 * each namespace with such keys, and these take turns; any other queue has one for all.
 */
struct kd_queue_turn {
    struct kd_hnode node;
    struct kd_queue_turn *prev, *next; /* within the level; the first one is next */
    struct kd_queue_list list;         /* not empty */
    int32_t priority;
    size_t ns_len;
    char ns[];
};

/* Ready keys of one priority. */
struct kd_queue_level {
    int32_t priority;
    uint64_t n;
    struct kd_queue_turn *head, *tail;
};

/* All ready keys: levels by falling priority, none of them empty. Few priorities are in use. */
struct kd_queue_ready {
    struct kd_queue_level *levels;
    size_t n_levels, cap;
    uint64_t n;
    bool fair;            /* set before the first key */
    struct kd_hmap turns; /* of all levels, by priority and namespace */
};

void kd_queue_ready_push(struct kd_queue_ready *ready, struct kd_queue_entry *entry);
void kd_queue_ready_remove(struct kd_queue_ready *ready, struct kd_queue_entry *entry);
/* The first entry, still in place, or NULL. */
struct kd_queue_entry *kd_queue_ready_first(const struct kd_queue_ready *ready);
/* Takes the first entry out, or gives NULL; its namespace stands last in turn now. */
struct kd_queue_entry *kd_queue_ready_take(struct kd_queue_ready *ready);
void kd_queue_ready_release(struct kd_queue_ready *ready);

/* A binary heap on due_ns. */
struct kd_queue_heap {
    struct kd_queue_entry **items;
    size_t n, cap;
};

void kd_queue_heap_add(struct kd_queue_heap *heap, struct kd_queue_entry *entry);
void kd_queue_heap_remove(struct kd_queue_heap *heap, struct kd_queue_entry *entry);
/* After the entry's due_ns has fallen. */
void kd_queue_heap_sooner(struct kd_queue_heap *heap, struct kd_queue_entry *entry);
/* The earliest, or NULL. */
struct kd_queue_entry *kd_queue_heap_first(const struct kd_queue_heap *heap);
void kd_queue_heap_release(struct kd_queue_heap *heap);

#endif
