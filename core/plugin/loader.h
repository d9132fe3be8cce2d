/*
 * Loads one plugin file through the whole check order and keeps it: one file is loaded once per
 * process, its code stays resident. A refusal leaves nothing behind, so that a repaired file can be
 * loaded later.
 * Thread: the main thread only.
 */
#ifndef KD_PLUGIN_LOADER_H
#define KD_PLUGIN_LOADER_H

#include "plugin/file_check.h"
#include "plugin/refusal.h"

#include <kindred/plugin.h>

struct kd_loaded {
    struct kd_loaded *next;
    struct kd_plugin_file file;
    void *handle;
    struct kd_plugin plugin; /* whole, zero-filled copy of what the file declares */
};

/*
 * The loaded file for `name`. *ret_path (owned by the caller) is set whenever a path is known, also
 * on refusal. The result lives as long as the process.
 */
int kd_loader_load(const struct kd_plugins_settings *settings, const char *name,
                   const struct kd_loaded **ret, char **ret_path,
                   struct kd_refusal *refusal) KD_MUST_USE;

/* Letters a-z, digits and '-', 1 to 63 of them, as names of plugins and instances are. */
bool kd_plugin_name_ok(const char *name);

#endif
