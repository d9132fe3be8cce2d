/*
 * Attributes of a relation as JSON members, `"ip":"10.0.0.1","port":80`, in the order of their
 * keys, so that equal sets give equal texts. Those that are part of the identity and those that are
 * not (KD_ATTR_ANY, `extra`) are two texts.
 */
#ifndef KD_STORE_ATTRS_H
#define KD_STORE_ATTRS_H

#include "base/buf.h"
#include "base/limits.h"
#include "store/store.h"

#define KD_MAX_ATTRS_TEXT KD_MIB /* each of the two */
#define KD_MAX_RELATION_TEXT (2 * KD_MAX_ATTRS_TEXT + 3)

/* Appends the members with (flags & KD_ATTR_ANY) == any. KD_ETOOBIG, KD_ENOMEM, KD_EINVAL. */
int kd_attrs_write(struct kd_buf *out, const struct kd_attr *attrs, uint32_t n_attrs,
                   uint32_t any) KD_MUST_USE;
/*
 * Merges the extras of another origin into *out: a boolean is true when either says so, anything
 * else stays as the first one said.
 */
int kd_attrs_merge(struct kd_buf *out, struct kd_str extra) KD_MUST_USE;
/* Appends the JSON object of both texts. */
int kd_attrs_object(struct kd_buf *out, struct kd_str attrs, struct kd_str extra) KD_MUST_USE;

#endif
