/* Delayed keys by due time. Each entry knows its place, so that it can leave from the middle. */
#include "base/alloc.h"
#include "base/error.h"
#include "queue/item.h"

#define HEAP_MIN 16

static void put(struct kd_queue_heap *heap, size_t at, struct kd_queue_entry *entry)
{
    heap->items[at] = entry;
    entry->heap_index = at;
}

static void sift_up(struct kd_queue_heap *heap, size_t at)
{
    struct kd_queue_entry *entry = heap->items[at];
    while (at > 0 && heap->items[(at - 1) / 2]->due_ns > entry->due_ns) {
        put(heap, at, heap->items[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(heap, at, entry);
}

static void sift_down(struct kd_queue_heap *heap, size_t at)
{
    struct kd_queue_entry *entry = heap->items[at];
    for (;;) {
        size_t child = at * 2 + 1;
        if (child + 1 < heap->n && heap->items[child + 1]->due_ns < heap->items[child]->due_ns) {
            child++;
        }
        if (child >= heap->n || heap->items[child]->due_ns >= entry->due_ns) {
            break;
        }
        put(heap, at, heap->items[child]);
        at = child;
    }
    put(heap, at, entry);
}

static void resize(struct kd_queue_heap *heap, size_t cap)
{
    heap->items = kd_realloc_array(heap->items, cap, sizeof(*heap->items));
    heap->cap = cap;
}

void kd_queue_heap_add(struct kd_queue_heap *heap, struct kd_queue_entry *entry)
{
    if (heap->n == heap->cap) {
        resize(heap, heap->cap ? heap->cap * 2 : HEAP_MIN);
    }
    heap->items[heap->n] = entry;
    sift_up(heap, heap->n++);
}

void kd_queue_heap_remove(struct kd_queue_heap *heap, struct kd_queue_entry *entry)
{
    size_t at = entry->heap_index;
    KD_ASSERT(at < heap->n && heap->items[at] == entry);
    struct kd_queue_entry *last = heap->items[--heap->n];
    if (last != entry) {
        put(heap, at, last);
        sift_up(heap, at);
        sift_down(heap, last->heap_index);
    }
    if (heap->cap > HEAP_MIN && heap->n < heap->cap / 8) { /* gives memory back */
        resize(heap, heap->cap / 4);
    }
}

void kd_queue_heap_sooner(struct kd_queue_heap *heap, struct kd_queue_entry *entry)
{
    sift_up(heap, entry->heap_index);
}

struct kd_queue_entry *kd_queue_heap_first(const struct kd_queue_heap *heap)
{
    return heap->n ? heap->items[0] : NULL;
}

void kd_queue_heap_release(struct kd_queue_heap *heap)
{
    kd_free(heap->items);
    *heap = (struct kd_queue_heap){ 0 };
}
