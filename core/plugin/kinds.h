/*
 * Takes over the kinds that a plugin declares: each is checked and deep-copied into a whole struct
 * of the host's size, whatever the plugin's strides are.
 */
#ifndef KD_PLUGIN_KINDS_H
#define KD_PLUGIN_KINDS_H

#include "base/arena.h"
#include "plugin/loader.h"
#include "plugin/plugins.h"

/*
 * Fills instance->kinds from the static table and from describe(settings). Copies live in the
 * arena. A plugin that yields no kind is refused.
 */
int kd_kinds_take(struct kd_instance *instance, const struct kd_loaded *loaded,
                  const void *settings, struct kd_arena *arena,
                  struct kd_refusal *refusal) KD_MUST_USE;
void kd_kinds_release(struct kd_instance *instance);

#endif
