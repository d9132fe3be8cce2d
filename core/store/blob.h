/*
 * An object's encoded bytes and the bases and dictionaries that they need: the only place of the
 * store that knows what a record is. Bytes are kept as the record has them, so nothing is
 * compressed twice.
 */
#ifndef KD_STORE_BLOB_H
#define KD_STORE_BLOB_H

#include "base/arena.h"
#include "base/hmap.h"
#include "informer/record.h"
#include "store/db.h"

/* How a transaction changes the number of rows that use each dictionary and base. */
struct kd_blob_uses {
    struct kd_hmap dicts;
    struct kd_hmap bases;
};

/* Dictionaries and bases that a reader has met. */
struct kd_blob_cache {
    struct kd_dict **dicts;
    size_t n_dicts;
    struct kd_base **bases;
    size_t n_bases;
};

uint32_t kd_blob_raw_len(const struct kd_record *record); /* 0 for NULL */

/* Writes the record of a node, in place of the old one when `replace`; NULL: none. */
int kd_blob_set(struct kd_db *db, struct kd_blob_uses *uses, int64_t node, bool replace,
                const struct kd_record *record) KD_MUST_USE;
int kd_blob_drop(struct kd_db *db, struct kd_blob_uses *uses, int64_t node) KD_MUST_USE;
/* Writes the counts at the end of a transaction and removes what has no use any more. */
int kd_blob_uses_write(struct kd_db *db, struct kd_blob_uses *uses) KD_MUST_USE;
void kd_blob_uses_reset(struct kd_blob_uses *uses);

/* The object's JSON, "" when the node has no record. */
int kd_blob_get(struct kd_db *db, struct kd_blob_cache *cache, int64_t node, struct kd_arena *arena,
                struct kd_str *ret) KD_MUST_USE;
/* A dictionary, borrowed from the cache; a base, with a reference. */
int kd_blob_dict(struct kd_db *db, struct kd_blob_cache *cache, int64_t id,
                 struct kd_dict **ret) KD_MUST_USE;
int kd_blob_base(struct kd_db *db, struct kd_blob_cache *cache, int64_t id,
                 struct kd_base **ret) KD_MUST_USE;
void kd_blob_cache_release(struct kd_blob_cache *cache);

#endif
