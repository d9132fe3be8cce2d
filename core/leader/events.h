/*
 * Events on the Lease: "<id> became leader", "<id> stopped leading" (events.k8s.io/v1). The same
 * again within six minutes becomes a series. They are told in order and may be lost: nothing waits
 * for them but the end, for a moment.
 */
#ifndef KD_LEADER_EVENTS_H
#define KD_LEADER_EVENTS_H

#include "base/loop.h"
#include "client/client.h"

struct kd_lease_events;

struct kd_lease_events *kd_lease_events_new(struct kd_loop *loop, struct kd_client *client,
                                            const char *ns, const char *name, const char *identity);
void kd_lease_events_free(struct kd_lease_events *events); /* accepts NULL */

/* became: leader, else stopped leading. lease: the object, for its uid; may be empty. */
void kd_lease_events_tell(struct kd_lease_events *events, bool became, struct kd_str lease);
/* Calls fn(arg) once nothing is left to be told; at once when that is so. */
void kd_lease_events_when_told(struct kd_lease_events *events, void (*fn)(void *arg), void *arg);

#endif
