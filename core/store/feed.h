/* The change feed: one row per change, its seq rising by one in commit order. */
#ifndef KD_STORE_FEED_H
#define KD_STORE_FEED_H

#include "store/txn.h"

/* How an end of a relation was mentioned. */
struct kd_mention {
    int64_t version; /* word; 0: none */
    struct kd_str uid;
};

/* A relation as it stands in the tables. */
struct kd_rel {
    int64_t id;
    int64_t subject;
    int64_t type;
    int64_t object;
    struct kd_str attrs;
    struct kd_str extra;
};

int kd_feed_resource(struct kd_txn *txn, enum kd_change_type type, int64_t node, int64_t version,
                     struct kd_str uid) KD_MUST_USE;
int kd_feed_relation(struct kd_txn *txn, enum kd_change_type type, const struct kd_rel *rel,
                     const struct kd_mention *subject, const struct kd_mention *object) KD_MUST_USE;
/* Takes away what is more than feed_keep rows back. */
int kd_feed_trim(struct kd_txn *txn) KD_MUST_USE;

#endif
