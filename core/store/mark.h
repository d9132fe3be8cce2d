/* Marks: up to which resource version a kind is complete. */
#ifndef KD_STORE_MARK_H
#define KD_STORE_MARK_H

#include "store/txn.h"

/* Replaces the kind's mark and what is pending; one without a version takes them away. */
int kd_mark_set(struct kd_txn *txn, const struct kd_mark *mark) KD_MUST_USE;

#endif
