#include "informer/intern.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/hmap.h"
#include "base/str.h"

#include <pthread.h>
#include <stdatomic.h>

struct kd_interned {
    struct kd_hnode node;
    _Atomic size_t refs; /* falls to zero, and rises from it, under the lock only */
    size_t len;
    char text[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all */
static struct kd_hmap all;

static struct kd_interned *find_locked(struct kd_str text, uint64_t hash)
{
    for (struct kd_hnode *node = kd_hmap_first(&all, hash); node; node = kd_hmap_next_same(node)) {
        struct kd_interned *interned = KD_CONTAINER_OF(node, struct kd_interned, node);
        if (kd_str_eq(kd_interned_str(interned), text)) {
            return interned;
        }
    }
    return NULL;
}

static struct kd_interned *add_locked(struct kd_str text, uint64_t hash)
{
    size_t size = 0;
    if (!kd_size_add(sizeof(struct kd_interned), text.len, &size)) {
        return NULL;
    }
    struct kd_interned *interned = kd_try_alloc(size);
    if (interned) {
        atomic_init(&interned->refs, 0);
        interned->len = text.len;
        if (text.len) {
            memcpy(interned->text, text.ptr, text.len);
        }
        kd_hmap_add(&all, &interned->node, hash);
    }
    return interned;
}

struct kd_interned *kd_intern(struct kd_str text)
{
    uint64_t hash = kd_hash_str(text);
    (void)pthread_mutex_lock(&lock);
    struct kd_interned *interned = find_locked(text, hash);
    if (!interned) {
        interned = add_locked(text, hash);
    }
    if (interned) {
        atomic_fetch_add_explicit(&interned->refs, 1, memory_order_relaxed);
    }
    (void)pthread_mutex_unlock(&lock);
    return interned;
}

struct kd_interned *kd_interned_ref(struct kd_interned *interned)
{
    atomic_fetch_add_explicit(&interned->refs, 1, memory_order_relaxed);
    return interned;
}

/* All but the last reference go without the lock. */
static bool drop_shared(struct kd_interned *interned)
{
    size_t refs = atomic_load_explicit(&interned->refs, memory_order_relaxed);
    while (refs > 1) {
        if (atomic_compare_exchange_weak_explicit(&interned->refs, &refs, refs - 1,
                                                  memory_order_release, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

void kd_interned_unref(struct kd_interned *interned)
{
    if (!interned || drop_shared(interned)) {
        return;
    }
    (void)pthread_mutex_lock(&lock);
    if (atomic_fetch_sub_explicit(&interned->refs, 1, memory_order_acq_rel) == 1) {
        kd_hmap_remove(&all, &interned->node);
        kd_free(interned);
    }
    if (all.n == 0) {
        kd_hmap_release(&all);
    }
    (void)pthread_mutex_unlock(&lock);
}

struct kd_str kd_interned_str(const struct kd_interned *interned)
{
    return (struct kd_str){ interned->text, interned->len };
}

uint64_t kd_interned_hash(const struct kd_interned *interned)
{
    return interned->node.hash;
}
