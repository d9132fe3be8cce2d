/*
 * Takes out of the graph what instances have said that do not run any more: after a reload, and at
 * the start for what an earlier process has left. In small steps on the main thread, which has
 * signals to look after.
 */
#ifndef KD_MANAGER_PURGE_H
#define KD_MANAGER_PURGE_H

#include "manager/kinds.h"

struct kd_purge {
    bool under_way;
    bool unsettled; /* something of it may not be committed yet */
    struct kd_said_at at;
    uint64_t forgotten;
    int64_t rest_ns;    /* after an error: not before this time */
    uint64_t *unmarked; /* hashes of the kinds that are no longer said to be complete */
    size_t n_unmarked;
};

/* A zeroed one does nothing. (Again) from the beginning. */
void kd_purge_begin(struct kd_purge *purge);
void kd_purge_release(struct kd_purge *purge);
/*
 * Whether all of it is committed; waits for that a moment. Who comes back to the graph must not
 * find there what is about to go.
 */
bool kd_purge_is_settled(struct kd_purge *purge, struct kd_store *store);
/* Some milliseconds of work. True while there is more to do. */
bool kd_purge_step(struct kd_purge *purge, struct kd_kinds *kinds, struct kd_store *store);

#endif
