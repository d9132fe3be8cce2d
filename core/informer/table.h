/*
 * The table: records by key in KD_TABLE_SHARDS shards, with the indexes beside it. The I/O thread
 * alone writes, and reads without a lock; another thread takes one shard's or index's lock just to
 * copy and ref record pointers.
 *
 * The table owns one reference to each record. Indexes hold borrowed pointers to the same records
 * and are changed before a record leaves the table.
 */
#ifndef KD_INFORMER_TABLE_H
#define KD_INFORMER_TABLE_H

#include "informer/family.h"
#include "informer/index.h"

#include "base/limits.h"

#include <stdatomic.h>

struct kd_shard {
    pthread_mutex_t lock; /* guards slots against readers */
    struct kd_slots slots;
};

struct kd_table {
    struct kd_shard shards[KD_TABLE_SHARDS];
    struct kd_index_list indexes;
    struct kd_families families; /* of the records; the I/O thread's */
    _Atomic uint64_t n;
    _Atomic uint64_t bytes;     /* of the records and their bases */
    _Atomic uint64_t raw_bytes; /* of their JSON */
    _Atomic uint64_t n_early;   /* made before there was a dictionary */
};

void kd_table_init(struct kd_table *table);
/* Drops every record. */
void kd_table_release(struct kd_table *table);

/* I/O thread: the record, borrowed until the next change, or NULL. */
struct kd_record *kd_table_peek(const struct kd_table *table, struct kd_key key);
/* Any thread: a new reference, or NULL. */
struct kd_record *kd_table_get(const struct kd_table *table, struct kd_key key);
/*
 * I/O thread. Takes over the record and puts it in place of one of the same key; *ret_old receives
 * that one's reference, or NULL. The place is marked as seen. KD_ENOMEM: nothing happened and the
 * record is still the caller's.
 */
int kd_table_put(struct kd_table *table, struct kd_record *record,
                 struct kd_record **ret_old) KD_MUST_USE;
/* I/O thread. Puts a record in place of the one with the same key, whose reference *ret_old
 * receives, without a mark. False when there is none; the record is then still the caller's. */
bool kd_table_replace(struct kd_table *table, struct kd_record *record, struct kd_record **ret_old);
/* I/O thread. Takes it out; its reference goes to the caller. NULL when it is not there. */
struct kd_record *kd_table_take(struct kd_table *table, struct kd_key key);

/* Mark and sweep, I/O thread. ns with a NULL pointer: every namespace. */
void kd_table_unmark(struct kd_table *table, struct kd_str ns);
void kd_table_mark(struct kd_table *table, struct kd_key key);
/* Takes what is not marked out and hands each reference to fn. */
void kd_table_sweep(struct kd_table *table, struct kd_str ns,
                    void (*fn)(void *arg, struct kd_record *record), void *arg);

/* Any thread. The records of one shard with new references, in memory that the caller frees; NULL
 * and 0 when it is empty, KD_ENOMEM without memory. */
int kd_table_shard(const struct kd_table *table, size_t shard, struct kd_record ***ret,
                   size_t *ret_n) KD_MUST_USE;
size_t kd_table_shard_of(struct kd_key key);
/* Memory of shards and indexes beside the records. */
uint64_t kd_table_overhead(const struct kd_table *table);

#endif
