/*
 * Which kinds of which instances share one informer, and what that informer is made for. Pure:
 * nothing is started here. A group borrows the instances that it names.
 */
#ifndef KD_MANAGER_GROUP_H
#define KD_MANAGER_GROUP_H

#include "informer/informer.h"
#include "plugin/plugins.h"

struct kd_group {
    const struct kd_instance_kind **members; /* whose own kind it is; the owner stands first */
    size_t n;
};

struct kd_groups {
    struct kd_group *items;
    size_t n;
};

void kd_groups_make(struct kd_groups *groups, struct kd_instance *const *instances, size_t n);
void kd_groups_release(struct kd_groups *groups);

/* The informer of a group: the union of what its members declare, in the first one's scope. */
void kd_group_spec(const struct kd_group *group, int64_t max_object_bytes,
                   struct kd_informer_spec *ret);
void kd_group_spec_release(struct kd_informer_spec *spec);
/*
 * Whether an informer that was made for `have` can go on for `want`: the same scope and ways, at
 * least these fields and indexes, and no noise that `want` would hear.
 */
bool kd_spec_serves(const struct kd_informer_spec *have, const struct kd_informer_spec *want);

#endif
