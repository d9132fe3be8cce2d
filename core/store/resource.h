/* Resources: the row of an object that its owner puts, and its end with all that it gave rise to.
 */
#ifndef KD_STORE_RESOURCE_H
#define KD_STORE_RESOURCE_H

#include "store/txn.h"

struct kd_resource_row {
    bool there;
    struct kd_str uid; /* in txn->arena */
    int64_t version;
    int64_t instance;
    int64_t created_ns;
};

int kd_resource_find(struct kd_txn *txn, int64_t node, struct kd_resource_row *ret) KD_MUST_USE;
/* Writes the row and its record. `old` may be not there. */
int kd_resource_set(struct kd_txn *txn, struct kd_kind_term *kind, int64_t node, int64_t instance,
                    const struct kd_resource_row *old, const struct kd_put *put) KD_MUST_USE;
/*
 * Takes the resource away when it is there, and what was said for the object: for all uids when
 * `uid` is "", else for this uid and for none.
 */
int kd_resource_drop(struct kd_txn *txn, struct kd_kind_term *kind, int64_t node,
                     const struct kd_resource_row *row, struct kd_str uid) KD_MUST_USE;
/* What one instance said for the object, and the resource where it is that instance's. */
int kd_resource_forget(struct kd_txn *txn, struct kd_kind_term *kind, int64_t node,
                       const struct kd_resource_row *row, int64_t instance) KD_MUST_USE;
/* What was said for the object with this very uid. */
int kd_said_drop_uid(struct kd_txn *txn, int64_t node, struct kd_str uid) KD_MUST_USE;

#endif
