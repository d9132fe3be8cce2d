/*
 * The base of a family: the text that the objects of one controller owner are compressed against.
 * It is the frozen text of one of them, kept compressed with the kind's dictionary, and lives for
 * as long as a record needs it. While an owner has one object only, its base is without text and
 * the object is compressed with the dictionary alone.
 */
#ifndef KD_INFORMER_BASE_H
#define KD_INFORMER_BASE_H

#include "base/hmap.h"
#include "informer/record.h"

#include <stdatomic.h>
#include <stdbool.h>

struct kd_base {
    /* Immutable, but for the count. */
    _Atomic uint32_t refs;
    uint32_t raw_len; /* of the text; 0: there is none yet */
    uint64_t id;
    struct kd_dict *dict; /* what the text is compressed with, and what its owner's objects use */
    uint32_t blob_len;
    uint8_t encoding;
    /* The family's, see family.h: the I/O thread's alone. */
    uint8_t patience; /* 2 to the power of it: poor members until another base is tried */
    uint16_t poor;
    uint32_t members;       /* records in the table */
    struct kd_hnode node;   /* its hash is the owner's, in the map or not */
    struct kd_record *sole; /* the only member of a base without text. Borrowed */
    char bytes[];
};

/* Without text. Takes a reference of the dictionary. */
struct kd_base *kd_base_new(uint64_t owner, struct kd_dict *dict);
/* Seeded, so that who writes objects cannot make two bases with one id. */
uint64_t kd_base_text_id(struct kd_str text);
/* Bytes of memory, the allocator's own left out. */
size_t kd_base_size(const struct kd_base *base);

#endif
