/* Names of kinds and references as people write them in a query. */
#ifndef KD_SERVER_KINDNAME_H
#define KD_SERVER_KINDNAME_H

#include "server/answer.h"

/* A kind of the graph: group is NULL when the query left it open. Texts live in the arena. */
struct kd_kind_name {
    const char *group;
    const char *kind;
};

/*
 * Takes Kind, plural, singular (lower-case kind) or short name, each with ".group" or
 * ".version.group" where wanted; case counts in a short name
 * alone. KD_ENOENT when no running kind has that
 * name.
 */
int kd_kind_find(const struct kd_context *context, struct kd_str text, struct kd_arena *arena,
                 struct kd_kind_name *ret) KD_MUST_USE;

/*
 * Reads "Kind/namespace/name" or "Kind//name" into a match whose parts live in the arena. A kind
 * that no plugin runs is taken as it is written: others may mention it. KD_EINVAL with the form.
 */
int kd_reference_parse(const struct kd_context *context, struct kd_str text, struct kd_arena *arena,
                       struct kd_match *ret, struct kd_error *reterr) KD_MUST_USE;

#endif
