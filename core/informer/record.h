/*
 * A record: one cached object. A small fixed head (key, uid, resource version, six section hashes)
 * and the object's bytes without managedFields, compressed. Records, bases and dictionaries are
 * immutable and ref-counted; any thread may hold and decode them.
 */
#ifndef KD_INFORMER_RECORD_H
#define KD_INFORMER_RECORD_H

#include "base/arena.h"
#include "base/error.h"

#include <kindred/plugin.h>

struct kd_record;
struct kd_dict;
struct kd_base;

struct kd_record *kd_record_ref(struct kd_record *record);
void kd_record_unref(struct kd_record *record); /* accepts NULL */

#define KD_UID_MAX 64
#define KD_VERSION_MAX 32

/* Borrowed from the record. */
struct kd_key kd_record_key(const struct kd_record *record);
/* Texts are written to the caller's memory (they are kept packed). */
struct kd_str kd_record_uid(const struct kd_record *record, char out[KD_UID_MAX]);
struct kd_str kd_record_version(const struct kd_record *record, char out[KD_VERSION_MAX]);
/* KD_CHANGED_* bits between two states; 0 when only noise or the version differs. */
uint32_t kd_record_changed(const struct kd_record *a, const struct kd_record *b);
/* The object's JSON, decompressed into the arena. KD_ENOMEM, KD_EIO when it is damaged. */
int kd_record_decode(const struct kd_record *record, struct kd_arena *arena,
                     struct kd_str *ret) KD_MUST_USE;
/* A record's decoded text as a value: it was checked when it came in, or out of the store. */
struct kd_value kd_record_value(struct kd_str json);

/* The encoded form, which the store keeps as it is. */
#define KD_ENCODING_PLAIN 0u
#define KD_ENCODING_ZSTD 1u
#define KD_ENCODING_ZSTD_DICT 2u
#define KD_ENCODING_ZSTD_BASE 3u

struct kd_encoded {
    struct kd_str bytes; /* borrowed */
    uint32_t encoding;
    uint32_t raw_len;
    uint64_t dict_id; /* for KD_ENCODING_ZSTD_DICT, else 0 */
    uint64_t base_id; /* for KD_ENCODING_ZSTD_BASE, else 0 */
};

/* An object as the store kept it; borrowed. */
struct kd_kept {
    struct kd_encoded encoded;
    struct kd_dict *dict; /* what the encoding needs, or NULL */
    struct kd_base *base;
};

void kd_record_encoded(const struct kd_record *record, struct kd_encoded *ret);
/* The dictionary that the record's own bytes need, or NULL. Borrowed from the record. */
struct kd_dict *kd_record_dict(const struct kd_record *record);
/* The base that they need, or NULL. Borrowed from the record. */
struct kd_base *kd_record_base(const struct kd_record *record);
/* dict and base may be NULL where the encoding needs none. */
int kd_encoded_decode(const struct kd_encoded *encoded, const struct kd_dict *dict,
                      const struct kd_base *base, struct kd_arena *arena,
                      struct kd_str *ret) KD_MUST_USE;

/* A dictionary. Its id is a hash of its bytes, so equal ones are one. */
struct kd_dict *kd_dict_new(struct kd_str bytes);
struct kd_dict *kd_dict_ref(struct kd_dict *dict);
void kd_dict_unref(struct kd_dict *dict);
uint64_t kd_dict_id(const struct kd_dict *dict);
struct kd_str kd_dict_bytes(const struct kd_dict *dict);

/*
 * A base: the frozen text that records of one controller owner are compressed against, itself
 * encoded with at most a dictionary. Its id is a hash of the text, seeded for each process.
 */
struct kd_base *kd_base_ref(struct kd_base *base);
void kd_base_unref(struct kd_base *base);
uint64_t kd_base_id(const struct kd_base *base);
void kd_base_encoded(const struct kd_base *base, struct kd_encoded *ret);
/* The dictionary that its bytes need, or NULL. Borrowed from the base. */
struct kd_dict *kd_base_dict(const struct kd_base *base);
/* From what kd_base_encoded gave, maybe in another process. Takes a reference of the dictionary,
 * copies the bytes. KD_EIO for what is no base, KD_ENOMEM. */
int kd_base_load(uint64_t id, const struct kd_encoded *encoded, struct kd_dict *dict,
                 struct kd_base **ret) KD_MUST_USE;

#endif
