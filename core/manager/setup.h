/*
 * What `kindred run` and `kindred check` have in common: the config file, the settings that are not
 * served yet, and the plugins, each fault collected with its place.
 */
#ifndef KD_MANAGER_SETUP_H
#define KD_MANAGER_SETUP_H

#include "config/settings.h"
#include "plugin/plugins.h"

struct kd_setup {
    struct kd_config *config;
    struct kd_plugins *plugins;
    struct kd_faults faults;
};

/*
 * Loads everything without touching the cluster and without calling a plugin's init. Refused
 * plugins and a missing plugin folder are faults when `strict` or plugins.required says so, else
 * they are logged. KD_ECONFIG when there are faults.
 */
int kd_setup_load(struct kd_setup *setup, const char *path, char *const *env,
                  bool strict) KD_MUST_USE;
/* Level and format of the log, from now on. */
void kd_setup_log(const struct kd_log_settings *settings);
void kd_setup_release(struct kd_setup *setup);

#endif
