/*
 * Loads one plugin file through the whole check order: one file is loaded once per process, and
 * once it is kept its code stays resident. A refusal leaves nothing behind, so that a repaired file
 * can be loaded later. Life: kd_loader_load, the caller's own checks, then kd_loader_keep or
 * kd_loader_drop. Thread: the main thread only.
 */
#ifndef KD_PLUGIN_LOADER_H
#define KD_PLUGIN_LOADER_H

#include "plugin/file_check.h"
#include "plugin/refusal.h"
#include "plugin/signature.h"

#include <kindred/plugin.h>
#include <stdbool.h>

struct kd_loaded {
    struct kd_loaded *next;
    struct kd_plugin_file file;
    char *open_path; /* what was loaded: the file, or the copy of a signed one */
    struct kd_signed signature;
    void *handle;
    struct kd_plugin plugin; /* whole, zero-filled copy of what the file declares */
    bool resident;           /* kept: lives as long as the process */
};

/*
 * The loaded file for `name`, one that is kept already or a new one. *ret_path (owned by the
 * caller) is set whenever a path is known, also on refusal.
 */
int kd_loader_load(const struct kd_plugins_settings *settings, const char *name,
                   struct kd_loaded **ret, char **ret_path, struct kd_refusal *refusal) KD_MUST_USE;
/* Makes the code resident; the file lives as long as the process. */
int kd_loader_keep(struct kd_loaded *loaded, struct kd_refusal *refusal) KD_MUST_USE;
/* Closes and frees a file that is not kept; leaves a kept one alone. Accepts NULL. */
void kd_loader_drop(struct kd_loaded *loaded);

#endif
