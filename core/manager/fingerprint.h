/*
 * By what the resources of a kind are made: program, plugin file, settings, mode, and the scopes by
 * which owners are found. A graph that was made by another fingerprint is made anew.
 */
#ifndef KD_MANAGER_FINGERPRINT_H
#define KD_MANAGER_FINGERPRINT_H

#include "plugin/plugins.h"

/* Never 0. plugins may be NULL. */
int64_t kd_fingerprint(const struct kd_plugins *plugins, const struct kd_instance_kind *kind);

#endif
