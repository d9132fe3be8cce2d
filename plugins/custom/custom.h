/*
 * Any kind from configuration alone: what its settings say, read once. Everything here is of fixed
 * size, so that describe, which has no memory of its own, can read the settings too.
 */
#ifndef CUSTOM_H
#define CUSTOM_H

#include <kindred/plugin.h>

#define CUSTOM_RULES 64       /* of each setting */
#define CUSTOM_TEXT 256       /* of one rule */
#define CUSTOM_REASON 480     /* of an error's text */
#define CUSTOM_SCOPE_SAME 0u  /* what is named lies in the object's namespace, if it has one */
#define CUSTOM_SCOPE_NONE 1u  /* in none */
#define CUSTOM_SCOPE_FIELD 2u /* where a member beside the name says */

struct custom_settings {
    struct kd_str group;
    struct kd_str version;
    struct kd_str kind;
    struct kd_str resource;
    struct kd_strs short_names;
    struct kd_strs labels;
    struct kd_strs relations;
    uint32_t namespaced;
    uint32_t reserved;
};

/* "PATH -> KIND.GROUP PREDICATE": the texts lie in `text`, each with a NUL behind it. */
struct custom_rule {
    char text[CUSTOM_TEXT];
    const char *path;     /* up to its first "*", which is the field that the host finds */
    struct kd_str rest;   /* what follows the path, "*" first; empty: nothing */
    const char *kind;     /* NULL: the value says it */
    const char *group;    /* "" for core */
    const char *version;  /* "" where it is not told */
    const char *type;     /* of the relation */
    uint32_t scope;       /* CUSTOM_SCOPE_* */
    struct kd_str member; /* CUSTOM_SCOPE_FIELD: which one */
};

/* "KEY = PATH" */
struct custom_label {
    char text[CUSTOM_TEXT];
    const char *key;
    const char *path;
};

struct custom {
    struct custom_rule rules[CUSTOM_RULES];
    struct custom_label labels[CUSTOM_RULES];
    uint32_t n_rules;
    uint32_t n_labels;
    const char *paths[2 * CUSTOM_RULES]; /* of the rules, then of the labels */
};

/* 0, or KD_ECONFIG with a sentence in `reason` that says which rule is wrong and how one reads. */
int32_t custom_read(struct custom *custom, const struct custom_settings *settings,
                    char reason[CUSTOM_REASON]);

/* The callbacks; self is a struct custom. */
int32_t custom_relate(void *self, struct kd_ctx *ctx, const struct kd_object *obj,
                      struct kd_relations *out);
int32_t custom_convert(void *self, struct kd_ctx *ctx, const struct kd_object *obj,
                       struct kd_resource *res);

#endif
