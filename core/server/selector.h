/*
 * Label selectors in full Kubernetes syntax ("a=b,c!=d,e in (x,y),f notin (z),g,!h,i>5") and field
 * selectors ("metadata.name=x,spec.nodeName!=n1") on any path; in a field's value a backslash takes
 * the meaning from "," "=" and itself.
 */
#ifndef KD_SERVER_SELECTOR_H
#define KD_SERVER_SELECTOR_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

struct kd_selector; /* in the arena */

/* Empty text selects everything (*ret is NULL). KD_EINVAL says what is wrong and where. */
int kd_label_selector_parse(struct kd_str text, struct kd_arena *arena,
                            const struct kd_selector **ret, struct kd_error *reterr) KD_MUST_USE;
int kd_field_selector_parse(struct kd_str text, struct kd_arena *arena,
                            const struct kd_selector **ret, struct kd_error *reterr) KD_MUST_USE;
/* `json` is the labels object, or for fields the whole object. scratch takes decoded texts. */
bool kd_selector_matches(const struct kd_selector *selector, struct kd_str json,
                         struct kd_arena *scratch);

#endif
