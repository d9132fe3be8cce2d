/*
 * The host's side of kd_object: binds a record's JSON to the readers that a plugin calls. One pass
 * over the text finds the metadata and every declared field.
 */
#ifndef KD_PLUGIN_OBJECT_H
#define KD_PLUGIN_OBJECT_H

#include "base/arena.h"
#include "plugin/plugins.h"

/*
 * Makes an object in the arena over `json`, which must outlive it. KD_EPARSE for text that is no
 * JSON object or has no metadata.name; KD_ENOMEM.
 */
int kd_object_bind(const struct kd_instance_kind *kind, struct kd_str json, struct kd_arena *arena,
                   struct kd_object **ret, struct kd_error *reterr) KD_MUST_USE;
/* The same over a value that was checked before: well formed, whatever it is. */
int kd_object_bind_value(const struct kd_instance_kind *kind, struct kd_value root,
                         struct kd_arena *arena, struct kd_object **ret,
                         struct kd_error *reterr) KD_MUST_USE;

#endif
