/* References as people read them. Appends are remembered by the buffer. */
#ifndef KD_CTL_NAMES_H
#define KD_CTL_NAMES_H

#include "base/buf.h"

/* "shop/web-1", "n1" */
void kd_ctl_place_put(struct kd_buf *out, const struct kd_ref *ref);
/* "Pod shop/web-1", "Node n1" */
void kd_ctl_ref_put(struct kd_buf *out, const struct kd_ref *ref);
/* "PodNodeBinding Pod shop/web-1 -> Node n1" */
void kd_ctl_relation_put(struct kd_buf *out, struct kd_str type, const struct kd_ref *subject,
                         const struct kd_ref *object);

#endif
