/*
 * The relations of one object as one instance says them. What it says now replaces what it said
 * before, by difference.
 */
#ifndef KD_STORE_RELATE_H
#define KD_STORE_RELATE_H

#include "store/feed.h"

/* Who says it. */
struct kd_speaker {
    int64_t node;      /* the object that gives rise to it */
    int64_t instance;  /* word */
    struct kd_str uid; /* of the object */
    bool has_said;     /* there is something from before */
    bool is_new;       /* the node was made for this write: no relation names it yet */
};

int kd_relate(struct kd_txn *txn, const struct kd_speaker *speaker,
              const struct kd_put *put) KD_MUST_USE;
/* Takes back everything that the speaker said. */
int kd_unrelate(struct kd_txn *txn, const struct kd_speaker *speaker) KD_MUST_USE;

#endif
