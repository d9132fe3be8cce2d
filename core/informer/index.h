/*
 * Indexes: the records of a table by a string, such as the namespace or a declared path. A bucket
 * is made with its first record and goes with its last. Written by the I/O thread; a lock for each
 * index guards it against readers.
 */
#ifndef KD_INFORMER_INDEX_H
#define KD_INFORMER_INDEX_H

#include "informer/slots.h"

#include "base/hmap.h"

#include <pthread.h>

struct kd_index_bucket {
    struct kd_hnode node;
    struct kd_slots slots;
    size_t len;
    char value[];
};

struct kd_value_index {
    char *name;
    pthread_mutex_t lock; /* guards buckets against readers */
    struct kd_hmap buckets;
};

/* The first index is always "namespace". */
struct kd_index_list {
    struct kd_value_index *items;
    size_t n;
};

#define KD_INDEX_NAMESPACE 0u

void kd_index_init(struct kd_value_index *index, const char *name);
void kd_index_release(struct kd_value_index *index);
/* I/O thread. An empty value has no bucket. KD_ENOMEM: the record is in the index nowhere. */
int kd_index_add(struct kd_value_index *index, struct kd_str value,
                 struct kd_record *record) KD_MUST_USE;
void kd_index_remove(struct kd_value_index *index, struct kd_str value, struct kd_key key);
/* Puts the record in the place of the one with the same key and value; false without one. */
bool kd_index_swap(struct kd_value_index *index, struct kd_str value, struct kd_record *record);
/* I/O thread: the bucket, or NULL. */
struct kd_index_bucket *kd_index_find(const struct kd_value_index *index, struct kd_str value);
/* Any thread. References to the records of a bucket, in memory that the caller frees. */
int kd_index_get(struct kd_value_index *index, struct kd_str value, struct kd_record ***ret,
                 size_t *ret_n) KD_MUST_USE;
/* New references to a set's records; NULL and 0 when it is empty. */
int kd_slots_copy(const struct kd_slots *slots, struct kd_record ***ret, size_t *ret_n) KD_MUST_USE;
size_t kd_index_memory(const struct kd_value_index *index);

#endif
