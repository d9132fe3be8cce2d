/*
 * Several puts of one object in a batch become the last one. What is kept gives the same graph as
 * all of them would: a put of another uid, an add and a remove are borders.
 */
#include "base/ref.h"
#include "base/str.h"
#include "store/write.h"

static bool replaces(const struct kd_write *later, const struct kd_write *earlier)
{
    return kd_str_eq(later->put.instance, earlier->put.instance) &&
           kd_str_eq(later->put.ref.uid, earlier->put.ref.uid) &&
           later->put.owner >= earlier->put.owner &&
           (later->put.created_ns != 0 || earlier->put.created_ns == 0); /* unknown: it is kept */
}

/* An earlier put of the same object that `later` makes needless, or stands behind. */
static struct kd_write *find_earlier(const struct kd_hmap *puts, const struct kd_write *later,
                                     uint64_t hash)
{
    struct kd_hnode *node = kd_hmap_first(puts, hash);
    for (; node; node = kd_hmap_next_same(node)) {
        struct kd_write *earlier = KD_CONTAINER_OF(node, struct kd_write, by_key);
        if (kd_ref_same(&earlier->put.ref, &later->put.ref) &&
            (later->op != KD_WRITE_PUT || kd_str_eq(later->put.instance, earlier->put.instance))) {
            return earlier;
        }
    }
    return NULL;
}

static bool makes_needless(const struct kd_write *later, const struct kd_write *earlier)
{
    return later->op == KD_WRITE_PUT ? replaces(later, earlier)
                                     : later->op == KD_WRITE_REMOVE && later->put.ref.uid.len == 0;
}

void kd_writes_collapse(struct kd_write *list)
{
    struct kd_hmap puts = { 0 }; /* those that a later write may still replace */
    for (struct kd_write *write = list; write; write = write->next) {
        if (write->op == KD_WRITE_NUMBER || write->op == KD_WRITE_MARK) {
            continue; /* stands for no object: what comes behind may come with it */
        }
        uint64_t hash = kd_ref_hash(&write->put.ref);
        struct kd_write *earlier;
        while ((earlier = find_earlier(&puts, write, hash))) {
            kd_hmap_remove(&puts, &earlier->by_key);
            earlier->skip = makes_needless(write, earlier);
        }
        if (write->op == KD_WRITE_PUT) {
            kd_hmap_add(&puts, &write->by_key, hash);
        }
    }
    kd_hmap_release(&puts);
}
