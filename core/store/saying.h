/* One relation as one speaker says it: rows of `origin`, and what they make of a row of `rel`. */
#ifndef KD_STORE_SAYING_H
#define KD_STORE_SAYING_H

#include "store/relate.h"

struct kd_saying {
    struct kd_rel rel; /* of one read from the tables, only the id and extra */
    bool made;         /* the row of rel is new */
    size_t order;      /* in its put; the first of two that are one names the ends */
    struct kd_mention subject;
    struct kd_mention object;
};

struct kd_sayings {
    struct kd_saying *items; /* in txn->arena, by rising id of the relation */
    size_t n;
};

/* What the speaker said before. */
int kd_sayings_load(struct kd_txn *txn, const struct kd_speaker *speaker,
                    struct kd_sayings *ret) KD_MUST_USE;
/* What a put says: finds or makes nodes and rows of rel. The same relation twice is one. */
int kd_sayings_make(struct kd_txn *txn, const struct kd_speaker *speaker, const struct kd_put *put,
                    struct kd_sayings *ret) KD_MUST_USE;

#endif
