/*
 * Which file a plugin's name means and whether it may be loaded: inside a plugin folder, a regular
 * file, owned by root or by us, not writable by the world.
 */
#ifndef KD_PLUGIN_FILE_CHECK_H
#define KD_PLUGIN_FILE_CHECK_H

#include "config/settings.h"
#include "plugin/refusal.h"

#include <sys/types.h>

struct kd_plugin_file {
    char *path; /* real path; owned */
    dev_t device;
    ino_t inode;
};

/* Looks for NAME.so in `directory`, then in `extra`. On refusal *ret->path may be set, for the
 * report. */
int kd_plugin_file_find(const struct kd_plugins_settings *settings, const char *name,
                        struct kd_plugin_file *ret, struct kd_refusal *refusal) KD_MUST_USE;
void kd_plugin_file_release(struct kd_plugin_file *file);

#endif
