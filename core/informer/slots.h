/*
 * A set of records by key: open addressing with a pointer and a 16-bit tag for each slot, nothing
 * else. It is the shard of a table and the bucket of an index. It owns no references. No locks of
 * its own.
 */
#ifndef KD_INFORMER_SLOTS_H
#define KD_INFORMER_SLOTS_H

#include "informer/build.h"

struct kd_slots {
    struct kd_record **records; /* NULL: free. One allocation with tags */
    uint16_t *tags;             /* 15 bits of the hash and the mark */
    uint32_t cap;               /* a power of two, or 0 */
    uint32_t n;
};

#define KD_NO_SLOT UINT32_MAX

/* Frees the arrays, never the records. A zeroed set is empty. */
void kd_slots_release(struct kd_slots *slots);
/* Slot of the key, or KD_NO_SLOT. hash is kd_key_hash of it. */
uint32_t kd_slots_find(const struct kd_slots *slots, struct kd_key key, uint64_t hash);
/* Puts a record whose key is not there; returns its slot, KD_NO_SLOT without memory. */
uint32_t kd_slots_add(struct kd_slots *slots, struct kd_record *record, uint64_t hash);
/* Takes the record of a slot out. Others may move. */
void kd_slots_remove(struct kd_slots *slots, uint32_t slot);

bool kd_slots_marked(const struct kd_slots *slots, uint32_t slot);
void kd_slots_mark(struct kd_slots *slots, uint32_t slot, bool mark);
/* Memory of the arrays. */
size_t kd_slots_memory(const struct kd_slots *slots);

#endif
