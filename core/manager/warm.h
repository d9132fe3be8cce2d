/*
 * A start that goes on where the last process left off: when the store's mark of a kind is true for
 * what is listed now, of the same cluster, the cache begins with the stored records and the kind
 * with a watch from the mark's version. Keys that were under way are asked for one by one. Anything
 * that does not fit leads to a list, as without a mark.
 */
#ifndef KD_MANAGER_WARM_H
#define KD_MANAGER_WARM_H

#include "manager/marks.h"

/*
 * Main thread, with the I/O loop running and no kind started. Asks the cluster who it is, and waits
 * for at most a few seconds.
 */
void kd_warm_start(struct kd_marks *marks);

#endif
