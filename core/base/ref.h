/* References to resources: as JSON, in order, and as keys of a table. */
#ifndef KD_BASE_REF_H
#define KD_BASE_REF_H

#include "base/buf.h"

#include <stdbool.h>

/* {"group":...,"version":...,"kind":...,"namespace":...,"name":...,"uid":...}. The buffer remembers
 * what does not fit. */
void kd_ref_put_json(struct kd_buf *out, const struct kd_ref *ref);

/* Of what a node of the graph is known by: kind, group, namespace and name, in this order. */
int kd_ref_cmp(const struct kd_ref *a, const struct kd_ref *b);
bool kd_ref_same(const struct kd_ref *a, const struct kd_ref *b);
uint64_t kd_ref_hash(const struct kd_ref *ref);

#endif
