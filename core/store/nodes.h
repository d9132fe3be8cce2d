/* Nodes of the graph: found or made by reference, removed when nothing refers to them any more. */
#ifndef KD_STORE_NODES_H
#define KD_STORE_NODES_H

#include "store/txn.h"

/* Makes one that is not there. */
int kd_node_add(struct kd_txn *txn, const struct kd_kind_term *kind, const struct kd_ref *ref,
                int64_t *ret) KD_MUST_USE;
/* Finds or makes. *ret_made: it was not there. */
int kd_node_make(struct kd_txn *txn, const struct kd_ref *ref, int64_t *ret,
                 bool *ret_made) KD_MUST_USE;
/* Something that referred to the node went: look at it when the batch ends. */
void kd_node_touch(struct kd_txn *txn, int64_t node);
/* Removes touched nodes without a reference; one that the feed may name stays as long as its rows.
 */
int kd_nodes_sweep(struct kd_txn *txn) KD_MUST_USE;
/* Removes nodes that only trimmed rows of the feed named. */
int kd_nodes_forget(struct kd_txn *txn) KD_MUST_USE;

#endif
