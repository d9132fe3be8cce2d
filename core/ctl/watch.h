/* A selection of resources that stays up to date: get -w. */
#ifndef KD_CTL_WATCH_H
#define KD_CTL_WATCH_H

#include "ctl/resources.h"
#include "ctl/showing.h"

/*
 * Shows what the query selects, and then each change of it. The list says where the feed stood when
 * it began; whatever the feed names after that is looked at again, and shown when it is not what
 * was shown last. So nothing is missed between the two, and nothing is told twice. When the feed
 * breaks, or has lost its place, the list is taken again in the same way. Ends with an error alone.
 */
int kd_ctl_watch(struct kd_ctl_showing *showing, const struct kd_ctl_query *query,
                 struct kd_error *reterr) KD_MUST_USE;

#endif
