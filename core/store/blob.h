/*
 * An object's encoded bytes and the dictionaries that they need: the only place of the store that
 * knows what a record is. Bytes are kept as the record has them, so nothing is compressed twice.
 */
#ifndef KD_STORE_BLOB_H
#define KD_STORE_BLOB_H

#include "base/arena.h"
#include "informer/record.h"
#include "store/db.h"

/* How a transaction changes the number of rows that use each dictionary. */
struct kd_dict_use {
    int64_t id;
    int64_t change;
};

struct kd_dict_uses {
    struct kd_dict_use *items;
    size_t n;
};

/* Dictionaries that a reader has met. */
struct kd_dict_cache {
    struct kd_dict **items;
    size_t n;
};

uint32_t kd_blob_raw_len(const struct kd_record *record); /* 0 for NULL */

/* Writes the record of a node, in place of the old one when `replace`; NULL: none. */
int kd_blob_set(struct kd_db *db, struct kd_dict_uses *uses, int64_t node, bool replace,
                const struct kd_record *record) KD_MUST_USE;
int kd_blob_drop(struct kd_db *db, struct kd_dict_uses *uses, int64_t node) KD_MUST_USE;
/* Writes the counts at the end of a transaction and removes dictionaries without use. */
int kd_dict_uses_write(struct kd_db *db, struct kd_dict_uses *uses) KD_MUST_USE;
void kd_dict_uses_reset(struct kd_dict_uses *uses);

/* The object's JSON, "" when the node has no record. */
int kd_blob_get(struct kd_db *db, struct kd_dict_cache *cache, int64_t node, struct kd_arena *arena,
                struct kd_str *ret) KD_MUST_USE;
void kd_dict_cache_release(struct kd_dict_cache *cache);

#endif
