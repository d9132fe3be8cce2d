/*
 * The start of a term with a graph that holds something already: an object whose stored version is
 * that of the cache needs no work. Both are compared as sets of 128-bit hashes, so that 100,000
 * objects take 1.6 MB for a moment, and nothing is kept.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"
#include "controller/state.h"

#include <stdlib.h>

struct kd_print {
    uint64_t a, b;
};

static uint64_t mix(struct kd_key key, struct kd_str uid, struct kd_str version, uint64_t seed)
{
    uint64_t hash = kd_hash(key.ns.ptr, key.ns.len, seed);
    hash = kd_hash(key.name.ptr, key.name.len, hash);
    hash = kd_hash(uid.ptr, uid.len, hash);
    return kd_hash(version.ptr, version.len, hash);
}

static struct kd_print print_of(struct kd_key key, struct kd_str uid, struct kd_str version)
{
    uint64_t seed = kd_hash_seed();
    return (struct kd_print){ mix(key, uid, version, seed), mix(key, uid, version, ~seed) };
}

static int compare(const void *left, const void *right)
{
    const struct kd_print *x = left;
    const struct kd_print *y = right;
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    return x->b < y->b ? -1 : x->b > y->b;
}

int kd_catchup_add(struct kd_catchup *catchup, const struct kd_ref *ref, struct kd_str version)
{
    if (catchup->n == catchup->cap) {
        size_t cap = catchup->cap ? catchup->cap * 2 : 1024;
        struct kd_print *longer = kd_try_realloc(catchup->prints, cap * sizeof(*longer));
        KD_ENSURE(longer, KD_ENOMEM);
        catchup->prints = longer;
        catchup->cap = cap;
    }
    struct kd_key key = { ref->ns, ref->name };
    catchup->prints[catchup->n++] = print_of(key, ref->uid, version);
    return 0;
}

struct walk {
    const struct kd_catchup *catchup;
    struct kd_controller *controller;
};

static void queue_if_other(void *arg, struct kd_record *record)
{
    struct walk *walk = arg;
    char uid[KD_UID_MAX];
    char version[KD_VERSION_MAX];
    struct kd_key key = kd_record_key(record);
    struct kd_print print =
        print_of(key, kd_record_uid(record, uid), kd_record_version(record, version));
    const struct kd_catchup *catchup = walk->catchup;
    if (catchup->n == 0 || !bsearch(&print, catchup->prints, catchup->n, sizeof(print), compare)) {
        kd_controller_queue(walk->controller, key, KD_PRIORITY_LOW, KD_WHY_ADDED | KD_WHY_FIRST,
                            KD_CHANGED_ALL);
    }
}

void kd_catchup_queue(struct kd_catchup *catchup, struct kd_controller *controller)
{
    struct walk walk = { catchup, controller };
    if (catchup->n > 0) {
        qsort(catchup->prints, catchup->n, sizeof(*catchup->prints), compare);
    }
    kd_informer_each(controller->informer, queue_if_other, &walk);
}

void kd_catchup_release(struct kd_catchup *catchup)
{
    catchup->prints = kd_free(catchup->prints);
    catchup->n = catchup->cap = 0;
}
