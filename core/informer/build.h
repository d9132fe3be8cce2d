/*
 * Making records: what the readers of record.h need not see. A record is one piece of memory: the
 * fixed head, then uid, version (where it is no number), name and the encoded bytes.
 */
#ifndef KD_INFORMER_BUILD_H
#define KD_INFORMER_BUILD_H

#include "informer/record.h"

#include <stdbool.h>

struct kd_families;

enum kd_section {
    KD_SECTION_LABELS,
    KD_SECTION_ANNOTATIONS,
    KD_SECTION_METADATA,
    KD_SECTION_SPEC,
    KD_SECTION_STATUS,
    KD_SECTION_REST,
};
#define KD_N_SECTIONS 6

#define KD_NAME_MAX 1024 /* an object with a longer name or namespace is not taken */

struct kd_record_parts {
    struct kd_key key;
    struct kd_str uid;     /* at most KD_UID_MAX */
    struct kd_str version; /* below KD_VERSION_MAX */
    uint64_t owner;        /* kd_owner_hash of its controller, 0 without one */
    uint64_t hashes[KD_N_SECTIONS];
    struct kd_str json;
};

/* A new record, encoded with the dictionary (NULL: none yet). Borrows everything.
 * KD_ENOMEM, KD_ETOOBIG. */
int kd_record_new(const struct kd_record_parts *parts, struct kd_dict *dict,
                  struct kd_record **ret) KD_MUST_USE;
/* The same as a member of its owner's family, for the table of these families. */
int kd_record_new_in(struct kd_families *families, const struct kd_record_parts *parts,
                     struct kd_dict *dict, struct kd_record **ret) KD_MUST_USE;
/* The same content encoded anew, as a member of its owner's family. */
int kd_record_recode(struct kd_families *families, const struct kd_record *record,
                     struct kd_dict *dict, struct kd_record **ret) KD_MUST_USE;
/* One that was encoded before, with this dictionary or as a member of this family: parts' json is
 * not looked at, references are taken. */
int kd_record_load(const struct kd_record_parts *parts, const struct kd_encoded *encoded,
                   struct kd_dict *dict, struct kd_base *family,
                   struct kd_record **ret) KD_MUST_USE;
/* The base of its owner, with or without text; NULL: it is of no family. Borrowed. */
struct kd_base *kd_record_family(const struct kd_record *record);
/* Whether the record was made before its kind had a dictionary. */
bool kd_record_is_early(const struct kd_record *record);

/* Bytes of memory, the allocator's own left out; and of the JSON. */
size_t kd_record_size(const struct kd_record *record);
size_t kd_record_raw_len(const struct kd_record *record);
/* Hash of a key, and of the record's own. */
uint64_t kd_key_hash(struct kd_key key);
uint64_t kd_record_hash(const struct kd_record *record);
bool kd_record_is(const struct kd_record *record, struct kd_key key);
bool kd_record_same_uid(const struct kd_record *record, struct kd_str uid);
/* Below zero when the record's version is older, above when newer, 0 when equal. False when the two
 * cannot be compared. */
bool kd_record_version_cmp(const struct kd_record *record, struct kd_str version, int *ret);
uint64_t kd_record_section(const struct kd_record *record, enum kd_section section);

#endif
