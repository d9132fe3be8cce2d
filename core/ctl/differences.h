/* How two states of a resource or a relation differ, as a line for people or for programs. */
#ifndef KD_CTL_DIFFERENCES_H
#define KD_CTL_DIFFERENCES_H

#include "archive/archive.h"
#include "base/arena.h"
#include "ctl/session.h"

struct kd_ctl_differences {
    struct kd_ctl_session *session;
    uint64_t n;          /* that were told */
    struct kd_buf parts; /* of the current one: JSON strings, "," between */
    struct kd_arena arena;
};

void kd_ctl_differences_init(struct kd_ctl_differences *differences,
                             struct kd_ctl_session *session);
void kd_ctl_differences_release(struct kd_ctl_differences *differences);

/*
 * NULL stands for "not there". Nothing is told of two that are alike; the resource version, and
 * when the graph took it, make no difference.
 */
void kd_ctl_differ_resource(struct kd_ctl_differences *differences,
                            const struct kd_archive_resource *old,
                            const struct kd_archive_resource *new);
void kd_ctl_differ_relation(struct kd_ctl_differences *differences,
                            const struct kd_archive_relation *old,
                            const struct kd_archive_relation *new);

#endif
