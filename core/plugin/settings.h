/* Turns a config entry's `settings` into the struct that the plugin declared by its options. */
#ifndef KD_PLUGIN_SETTINGS_H
#define KD_PLUGIN_SETTINGS_H

#include "base/arena.h"
#include "config/settings.h"
#include "plugin/loader.h"

/*
 * *ret is settings_size bytes in the arena, defaults filled in; NULL when the plugin has no
 * settings. A key that the plugin does not know is refused with the nearest one named.
 */
int kd_plugin_settings_fill(const struct kd_loaded *loaded, const struct kd_kind_entry *entry,
                            struct kd_arena *arena, void **ret,
                            struct kd_refusal *refusal) KD_MUST_USE;

#endif
