/*
 * `kindred check --cluster`: where the cluster is, who we are to it, what it serves and what we may
 * read there, one step after the other, each told on stdout; and what to do where a step fails.
 */
#ifndef KD_MANAGER_PROBE_H
#define KD_MANAGER_PROBE_H

#include "plugin/plugins.h"

/* KD_EXIT_CLEAN, _FAILED (the cluster says no) or _CONFIG (there is no such cluster to ask). */
int kd_probe_cluster(const struct kd_config *config, const struct kd_plugins *plugins,
                     char *const *env);

#endif
