/*
 * A plan: many paths compiled into one trie, found in one pass over a document. This is how fields
 * are read on the hot path: cost grows with the document, not with the number of fields.
 * Paths: "/spec/nodeName"; "*" stands for any element or member (only where allow_wild).
 * A number stands for an array's element as well as for a member of that name. At most
 * KD_MAX_PLAN_DEPTH segments a path and KD_MAX_PLAN_NODES nodes a plan, else KD_ETOOBIG.
 * Strip and keep leave the buffer as it was when they fail.
 * A plan is immutable and may be used by any number of threads.
 */
#ifndef KD_JSON_PLAN_H
#define KD_JSON_PLAN_H

#include "json/json.h"

struct kd_json_plan;

/*
 * Compiles n paths. A path that does not begin with "/", is empty or has a bad escape is KD_EINVAL
 * with the path in the text; so is "*" in a plan without wildcards.
 */
int kd_json_plan_new(const char *const *paths, size_t n, bool allow_wild, struct kd_json_plan **ret,
                     struct kd_error *reterr) KD_MUST_USE;
void kd_json_plan_free(struct kd_json_plan *plan);
size_t kd_json_plan_size(const struct kd_json_plan *plan);

/* Fills slots[0..n) (KD_JSON_NONE where absent). For plans without wildcards. */
void kd_json_plan_run(const struct kd_json_plan *plan, struct kd_value root,
                      struct kd_value *slots);

/*
 * Calls fn for every value that any path matches, in text order; a match inside a match is not
 * reported. Works with wildcards; `path` is the number of the path, the lowest of several. A key
 * that is given twice is reported twice.
 */
void kd_json_plan_each(const struct kd_json_plan *plan, struct kd_value root,
                       void (*fn)(void *arg, size_t path, struct kd_value value), void *arg);

/* Appends root's text with every matched member or element left out; stays valid JSON. */
int kd_json_plan_strip(const struct kd_json_plan *plan, struct kd_value root,
                       struct kd_buf *out) KD_MUST_USE;
/*
 * Appends a document that holds only what the paths match, "{}" or "[]" when that is nothing. An
 * element left out before one that stays becomes null, so that every path reads as before.
 */
int kd_json_plan_keep(const struct kd_json_plan *plan, struct kd_value root,
                      struct kd_buf *out) KD_MUST_USE;

#endif
