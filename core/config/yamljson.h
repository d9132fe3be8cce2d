/* A part of a YAML document as JSON text. */
#ifndef KD_CONFIG_YAMLJSON_H
#define KD_CONFIG_YAMLJSON_H

#include "config/yaml.h"

/* NULL for NULL and for what has no JSON form (keys that are no text, nesting over the limit). */
char *kd_yaml_json(struct kd_yaml *yaml, const yaml_node_t *node) KD_MUST_USE;

#endif
