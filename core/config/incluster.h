/* The cluster that this process runs in, from its service account. */
#ifndef KD_CONFIG_INCLUSTER_H
#define KD_CONFIG_INCLUSTER_H

#include "config/cluster.h"

#define KD_SERVICE_ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount"

/* Value of a variable in `environ`, NULL when it is not there. Borrowed. */
const char *kd_environ_get(char *const *environ, const char *name);
/* Both variables must be set, else KD_ENOENT; `folder` holds token and, maybe, ca.crt. */
int kd_cluster_inside(const char *folder, char *const *environ, struct kd_cluster **ret,
                      struct kd_error *reterr) KD_MUST_USE;
/* kd_cluster_find with the service account's files in `folder`. */
int kd_cluster_find_in(const char *folder, const struct kd_cluster_settings *settings,
                       char *const *environ, struct kd_cluster **ret,
                       struct kd_error *reterr) KD_MUST_USE;

#endif
