/* Ready keys: one list for each priority in use. Adding and taking cost the same at any depth. */
#include "base/alloc.h"
#include "base/error.h"
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

void kd_queue_ready_push(struct kd_queue_ready *ready, struct kd_queue_entry *entry)
{
    size_t at = find_level(ready, entry->priority);
    if (at == ready->n_levels || ready->levels[at].priority != entry->priority) {
        insert_level(ready, at, entry->priority);
    }
    kd_queue_list_append(&ready->levels[at].list, entry);
    ready->levels[at].n++;
    ready->n++;
}

void kd_queue_ready_remove(struct kd_queue_ready *ready, struct kd_queue_entry *entry)
{
    size_t at = find_level(ready, entry->priority);
    KD_ASSERT(at < ready->n_levels && ready->levels[at].priority == entry->priority);
    kd_queue_list_remove(&ready->levels[at].list, entry);
    ready->n--;
    if (--ready->levels[at].n == 0) {
        ready->n_levels--;
        memmove(ready->levels + at, ready->levels + at + 1,
                (ready->n_levels - at) * sizeof(*ready->levels));
    }
}

struct kd_queue_entry *kd_queue_ready_first(const struct kd_queue_ready *ready)
{
    return ready->n_levels ? ready->levels[0].list.head : NULL;
}

void kd_queue_ready_release(struct kd_queue_ready *ready)
{
    kd_free(ready->levels);
    *ready = (struct kd_queue_ready){ 0 };
}
