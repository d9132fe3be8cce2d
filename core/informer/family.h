/*
 * Families: the objects of one controller owner are nearly the same, so that they are compressed
 * with a common base as prefix. Here stands which base an owner's next object gets. A second object
 * of an owner freezes the first base; members that compress badly against it freeze another one,
 * while records of the former keep that one. A family goes with its last record in the table.
 *
 * The I/O thread's alone. Owners are known by a hash: two with the same one are one family, which
 * costs bytes and nothing else.
 */
#ifndef KD_INFORMER_FAMILY_H
#define KD_INFORMER_FAMILY_H

#include "informer/base.h"
#include "json/json.h"

struct kd_families {
    struct kd_hmap bases;        /* by owner: the one that new members get. A reference each */
    struct kd_record *unsettled; /* an owner's first object, after the second came. Borrowed */
};

/* A zeroed one is empty. */
void kd_families_release(struct kd_families *families);

/* Hash of the controller's uid in a metadata.ownerReferences, 0 without one. */
uint64_t kd_owner_hash(struct kd_value references, struct kd_arena *arena);

/* Encodes the text of the object with that key. *ret_base receives a reference, or NULL where
 * nothing ties the object to others; the family begins when its record enters. dict may be NULL. */
int kd_family_encode(struct kd_families *families, uint64_t owner, struct kd_key key,
                     struct kd_str json, struct kd_dict *dict, struct kd_encoded *ret,
                     struct kd_base **ret_base) KD_MUST_USE;

/*
 * The family of an object that is loaded as it was encoded, with the dictionary or against `base`
 * (NULL: none), into *ret_family with a reference, or NULL: it is of none. False when it cannot
 * stay as it is, since its base is another owner's.
 */
bool kd_family_adopt(struct kd_families *families, uint64_t owner, struct kd_dict *dict,
                     struct kd_base *base, struct kd_base **ret_family) KD_MUST_USE;

/* A record has come into the table or gone from it: bytes of bases that came or went with it. A
 * record that takes another's place enters before that one leaves. */
size_t kd_families_enter(struct kd_families *families, struct kd_record *record);
size_t kd_families_leave(struct kd_families *families, const struct kd_record *record);

/* A record that is to be encoded anew now that its owner has a base, or NULL. Asked once. */
struct kd_record *kd_families_unsettled(struct kd_families *families);

#endif
