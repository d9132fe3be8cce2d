/*
 * What a loaded file declares, believed only as far as ELF bears it out. No code of the plugin runs
 * here.
 */
#ifndef KD_PLUGIN_TAKE_H
#define KD_PLUGIN_TAKE_H

#include "plugin/refusal.h"

#include <kindred/plugin.h>

/*
 * *ret is a whole, zero-filled copy of the symbol kindred_plugin behind `handle`, after the checks
 * of sizes, magic, ABI and capabilities; its pointers are the file's. `name` is the file's name.
 */
int kd_plugin_take(void *handle, const char *name, struct kd_plugin *ret,
                   struct kd_refusal *refusal) KD_MUST_USE;

#endif
