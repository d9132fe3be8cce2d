/*
 * A queued write: a put, an add, a remove, a forget or a number, copied into one block of memory,
 * with the hashes by which the writer sees that nothing changed. The caller's thread makes it.
 */
#ifndef KD_STORE_WRITE_H
#define KD_STORE_WRITE_H

#include "base/hmap.h"
#include "store/store.h"

/* A number: ref.name says which, created_ns holds it. */
enum kd_write_op {
    KD_WRITE_PUT,
    KD_WRITE_ADD,
    KD_WRITE_REMOVE,
    KD_WRITE_FORGET,
    KD_WRITE_NUMBER,
    KD_WRITE_MARK,
};

/* Where kd_store_add waits for its result. Guarded by the inbox's lock. */
struct kd_write_waiter {
    bool done;
    int result;
};

struct kd_write {
    struct kd_write *next;
    enum kd_write_op op;
    struct kd_put put;   /* of a remove only the ref, of a forget also the instance */
    struct kd_mark mark; /* of a mark, which has no put; likewise */
    int64_t resource_hash;
    int64_t relations_hash;
    uint64_t ticket; /* its number in the inbox */
    size_t size;
    struct kd_write_waiter *waiter; /* borrowed; NULL but for an add */

    /* The writer's. */
    struct kd_hnode by_key; /* among the writes of a batch */
    bool skip;              /* a later one of the batch makes it needless, or it cannot be done */
    int result;
};

/* Copies; takes a reference to the record. KD_EINVAL for a ref without kind or name, KD_ENOMEM. */
int kd_write_new(enum kd_write_op op, const struct kd_put *put, uint64_t seed,
                 struct kd_write **ret) KD_MUST_USE;
int kd_write_new_mark(const struct kd_mark *mark, struct kd_write **ret) KD_MUST_USE;
void kd_write_free(struct kd_write *write);

/* Marks those writes of a list that a later one makes needless, so that each object is done once.
 */
void kd_writes_collapse(struct kd_write *list);

#endif
