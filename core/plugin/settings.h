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

/* Option number i, whatever the plugin's stride is. Of a plugin whose table was found valid. */
struct kd_option kd_plugin_option_at(const struct kd_plugin *plugin, uint32_t index);
/* Writes what it takes, cut to fit: "a whole number from 1 to 10". */
void kd_plugin_option_takes(const struct kd_option *option, char *out, size_t size);

#endif
