/*
 * Interned texts of one connection: words (relation types, API versions, instance names) and kinds
 * (group and kind) with their integer ids. Rows are made once and stay, so a cached id is good for
 * ever; only a rolled-back transaction takes back what it made: reset then.
 */
#ifndef KD_STORE_TERMS_H
#define KD_STORE_TERMS_H

#include "base/hmap.h"
#include "store/db.h"

enum kd_action { KD_ACTION_CREATED, KD_ACTION_UPDATED, KD_ACTION_DELETED, KD_ACTION_UNCHANGED };
#define KD_ACTIONS 4

struct kd_word {
    struct kd_hnode by_text;
    struct kd_hnode by_id;
    int64_t id;
    struct kd_str text; /* owned, NUL-terminated too */
};

struct kd_kind_term {
    struct kd_hnode by_text;
    struct kd_hnode by_id;
    int64_t id;
    struct kd_str group; /* owned, NUL-terminated too */
    struct kd_str name;
    /* The writer's: resources of this kind with this transaction's changes, and what it did. */
    int64_t stored;
    bool stored_changed;
    int64_t version; /* word of the version last seen */
    uint64_t done[KD_ACTIONS];
};

struct kd_terms {
    struct kd_hmap words_by_text, words_by_id;
    struct kd_hmap kinds_by_text, kinds_by_id;
};

/* A zeroed struct is empty and ready. Reset forgets everything; the next use reads it again. */
void kd_terms_reset(struct kd_terms *terms);

/* Finds or makes. */
int kd_terms_word(struct kd_terms *terms, struct kd_db *db, struct kd_str text,
                  int64_t *ret) KD_MUST_USE;
/* Text of an id; id 0 is "". Borrowed until reset. */
int kd_terms_text(struct kd_terms *terms, struct kd_db *db, int64_t id,
                  struct kd_str *ret) KD_MUST_USE;
/* KD_ENOENT when it is not there and make is false. Borrowed until reset. */
int kd_terms_kind(struct kd_terms *terms, struct kd_db *db, struct kd_str group, struct kd_str name,
                  bool make, struct kd_kind_term **ret) KD_MUST_USE;
int kd_terms_kind_by_id(struct kd_terms *terms, struct kd_db *db, int64_t id,
                        struct kd_kind_term **ret) KD_MUST_USE;

#endif
