/*
 * What the API server serves: every kind with its group, version, resource and scope, from the
 * aggregated documents, or, where the server has none, from those of each group and version.
 * Thread: the loop's, but for a finished kd_served, which is immutable and anyone's to read.
 */
#ifndef KD_CLIENT_DISCOVERY_H
#define KD_CLIENT_DISCOVERY_H

#include "client/client.h"

struct kd_served_kind {
    char *group; /* "" for core */
    char *version;
    char *kind;
    char *resource;
    bool namespaced;
};

struct kd_served {
    struct kd_served_kind *items; /* a group's preferred version first */
    size_t n;
};

struct kd_discovery;

/* error 0: served is the callee's. Else why. The discovery is gone when it returns. */
typedef void kd_discovery_done(void *arg, int error, const char *why, struct kd_served *served);

/* Begins; ends later from the loop. */
struct kd_discovery *kd_discovery_start(struct kd_client *client, kd_discovery_done *done,
                                        void *arg);
/* Without done; accepts NULL. */
void kd_discovery_cancel(struct kd_discovery *discovery);

void kd_served_free(struct kd_served *served);
/* By group and kind; version NULL: the preferred one. NULL when it is not served. */
const struct kd_served_kind *kd_served_find(const struct kd_served *served, const char *group,
                                            const char *version, const char *kind);

#endif
