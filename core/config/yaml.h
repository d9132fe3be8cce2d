/*
 * Reading a small YAML document (JSON is one, too) by path. Nodes are borrowed from the document;
 * null, an empty value and a missing one read the same: NULL. Scalars are wiped on release, for
 * the documents read here hold credentials.
 */
#ifndef KD_CONFIG_YAML_H
#define KD_CONFIG_YAML_H

#include "base/error.h"

#include <stdbool.h>
#include <yaml.h>

struct kd_yaml {
    yaml_document_t doc;
    bool loaded;
};

/* Reads and parses the file. KD_ENOENT when it is not there, else KD_ECONFIG with file and line. */
int kd_yaml_read(struct kd_yaml *yaml, const char *path, struct kd_error *reterr) KD_MUST_USE;
void kd_yaml_release(struct kd_yaml *yaml);
/* NULL for an empty document. */
yaml_node_t *kd_yaml_root(struct kd_yaml *yaml);
/* Member of a mapping, the last one of that name; NULL for another type of node, and for null. */
yaml_node_t *kd_yaml_member(struct kd_yaml *yaml, const yaml_node_t *node, const char *name);
/* True for NULL and for a plain null or empty scalar. */
bool kd_yaml_is_null(const yaml_node_t *node);
/* Elements of a sequence; 0 for another type of node. */
size_t kd_yaml_count(const yaml_node_t *node);
yaml_node_t *kd_yaml_item(struct kd_yaml *yaml, const yaml_node_t *node, size_t i);
/* Text of a scalar, NUL-terminated and borrowed; NULL for NULL, "" and another type of node. */
const char *kd_yaml_text(const yaml_node_t *node);
/* False for NULL; KD_ECONFIG when it is neither true nor false. */
int kd_yaml_bool(const yaml_node_t *node, bool *ret) KD_MUST_USE;
/* Line in the file, from 1. */
int kd_yaml_line(const yaml_node_t *node);

#endif
