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
    struct kd_said_at at;
    uint64_t forgotten;
    int64_t rest_ns; /* after an error: not before this time */
};

/* (Again) from the beginning. */
void kd_purge_begin(struct kd_purge *purge);
/* Some milliseconds of work. True while there is more to do. */
bool kd_purge_step(struct kd_purge *purge, struct kd_kinds *kinds, struct kd_store *store);

#endif
