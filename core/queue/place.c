#include "queue/place.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"
#include "metrics/metrics.h"

static uint64_t hash_key(struct kd_key key)
{
    return kd_hash(key.name.ptr, key.name.len, kd_hash_str(key.ns));
}

static struct kd_queue_entry *find_hashed(struct kd_queue *queue, struct kd_key key, uint64_t hash)
{
    struct kd_hnode *node = kd_hmap_first(&queue->entries, hash);
    for (; node; node = kd_hmap_next_same(node)) {
        struct kd_queue_entry *entry = KD_CONTAINER_OF(node, struct kd_queue_entry, node);
        if (kd_str_eq(entry->run.key.name, key.name) && kd_str_eq(entry->run.key.ns, key.ns)) {
            return entry;
        }
    }
    return NULL;
}

struct kd_queue_entry *kd_queue_find_locked(struct kd_queue *queue, struct kd_key key)
{
    return find_hashed(queue, key, hash_key(key));
}

static struct kd_queue_entry *make_entry(struct kd_key key)
{
    size_t size = sizeof(struct kd_queue_entry) + key.ns.len + key.name.len;
    struct kd_queue_entry *entry = kd_alloc(size);
    *entry = (struct kd_queue_entry){ .place = KD_PLACE_NONE };
    if (key.ns.len) {
        memcpy(entry->text, key.ns.ptr, key.ns.len);
    }
    if (key.name.len) {
        memcpy(entry->text + key.ns.len, key.name.ptr, key.name.len);
    }
    entry->run.key.ns = (struct kd_str){ entry->text, key.ns.len };
    entry->run.key.name = (struct kd_str){ entry->text + key.ns.len, key.name.len };
    return entry;
}

struct kd_queue_entry *kd_queue_find_or_make_locked(struct kd_queue *queue, struct kd_key key)
{
    uint64_t hash = hash_key(key);
    struct kd_queue_entry *entry = find_hashed(queue, key, hash);
    if (!entry) {
        entry = make_entry(key);
        kd_hmap_add(&queue->entries, &entry->node, hash);
    }
    return entry;
}

void kd_queue_settle_locked(struct kd_queue *queue, struct kd_queue_entry *entry)
{
    if (entry->place == KD_PLACE_NONE && !entry->working && entry->failures == 0) {
        kd_hmap_remove(&queue->entries, &entry->node);
        kd_free(entry);
    }
}

static void make_ready(struct kd_queue *queue, struct kd_queue_entry *entry, int64_t now_ns)
{
    entry->added_ns = now_ns;
    kd_counter_add(queue->meter.adds, 1);
    if (entry->working) {
        entry->place = KD_PLACE_DIRTY;
    } else {
        entry->place = KD_PLACE_READY;
        kd_queue_ready_push(&queue->ready, entry);
    }
}

static void merge(struct kd_queue *queue, struct kd_queue_entry *entry,
                  const struct kd_queue_want *want)
{
    if (entry->place == KD_PLACE_NONE) {
        entry->priority = want->priority;
        entry->why = 0;
        entry->changed = 0;
    } else if (want->priority > entry->priority) {
        if (entry->place == KD_PLACE_READY) { /* placed as newly arrived */
            kd_queue_ready_remove(&queue->ready, entry);
            entry->priority = want->priority;
            kd_queue_ready_push(&queue->ready, entry);
        }
        entry->priority = want->priority;
    }
    entry->why |= want->why;
    entry->changed |= want->changed;
}

static void delay(struct kd_queue *queue, struct kd_queue_entry *entry, int64_t due_ns)
{
    if (entry->place == KD_PLACE_NONE) {
        entry->place = KD_PLACE_DELAYED;
        entry->due_ns = due_ns;
        kd_queue_heap_add(&queue->delayed, entry);
    } else if (entry->place == KD_PLACE_DELAYED && due_ns < entry->due_ns) {
        entry->due_ns = due_ns;
        kd_queue_heap_sooner(&queue->delayed, entry);
    }
}

uint32_t kd_queue_want_locked(struct kd_queue *queue, struct kd_queue_entry *entry,
                              const struct kd_queue_want *want, int64_t now_ns)
{
    uint32_t waited = entry->place == KD_PLACE_NONE ? 0 : entry->why;
    merge(queue, entry, want);
    if (want->due_ns > now_ns) {
        delay(queue, entry, want->due_ns);
    } else if (entry->place == KD_PLACE_DELAYED) {
        kd_queue_heap_remove(&queue->delayed, entry);
        make_ready(queue, entry, now_ns);
    } else if (entry->place == KD_PLACE_NONE) {
        make_ready(queue, entry, now_ns);
    }
    return waited;
}

void kd_queue_promote_locked(struct kd_queue *queue, int64_t now_ns)
{
    struct kd_queue_entry *entry = kd_queue_heap_first(&queue->delayed);
    while (entry && entry->due_ns <= now_ns) {
        kd_queue_heap_remove(&queue->delayed, entry);
        make_ready(queue, entry, now_ns);
        entry = kd_queue_heap_first(&queue->delayed);
    }
}

void kd_queue_ready_again_locked(struct kd_queue *queue, struct kd_queue_entry *entry)
{
    entry->place = KD_PLACE_READY;
    kd_queue_ready_push(&queue->ready, entry);
}

static void drop_ready(struct kd_queue *queue)
{
    struct kd_queue_entry *entry;
    while ((entry = kd_queue_ready_first(&queue->ready)) != NULL) {
        kd_queue_ready_remove(&queue->ready, entry);
        entry->place = KD_PLACE_NONE;
        kd_queue_settle_locked(queue, entry);
    }
    for (entry = queue->working.head; entry; entry = entry->next) {
        entry->place = KD_PLACE_NONE; /* what is in work stays until it is done */
    }
}

void kd_queue_drop_locked(struct kd_queue *queue, bool with_ready)
{
    struct kd_queue_entry *entry;
    while ((entry = kd_queue_heap_first(&queue->delayed)) != NULL) {
        kd_queue_heap_remove(&queue->delayed, entry);
        entry->place = KD_PLACE_NONE;
        kd_queue_settle_locked(queue, entry);
    }
    if (with_ready) {
        drop_ready(queue);
    }
}

/* Those that only failures keep; the others settle as they are dropped. */
static void free_idle(struct kd_queue *queue)
{
    struct kd_queue_entry **idle = kd_zalloc_array(queue->entries.n + 1, sizeof(*idle));
    size_t n = 0;
    struct kd_hnode *node = kd_hmap_begin(&queue->entries);
    for (; node; node = kd_hmap_step(&queue->entries, node)) {
        idle[n++] = KD_CONTAINER_OF(node, struct kd_queue_entry, node);
    }
    for (size_t i = 0; i < n; i++) {
        kd_queue_settle_locked(queue, idle[i]);
    }
    kd_free(idle);
}

uint64_t kd_queue_forget_all_locked(struct kd_queue *queue, uint32_t why)
{
    uint64_t n = 0;
    struct kd_hnode *node = kd_hmap_begin(&queue->entries);
    for (; node; node = kd_hmap_step(&queue->entries, node)) {
        struct kd_queue_entry *entry = KD_CONTAINER_OF(node, struct kd_queue_entry, node);
        n += entry->place != KD_PLACE_NONE && (entry->why & why);
        entry->failures = 0;
    }
    kd_queue_drop_locked(queue, true);
    free_idle(queue);
    return n;
}

bool kd_queue_refresh_locked(struct kd_queue *queue)
{
    const struct kd_queue_entry *first = kd_queue_heap_first(&queue->delayed);
    int64_t next_ns = queue->ready.n ? 0 : first ? first->due_ns : KD_NEVER_NS;
    int64_t old_ns = atomic_load_explicit(&queue->next_ns, memory_order_relaxed);
    atomic_store_explicit(&queue->next_ns, next_ns, memory_order_release);
    return next_ns < old_ns;
}
