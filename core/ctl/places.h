/* Where objects of one name were found, for commands that want exactly one. */
#ifndef KD_CTL_PLACES_H
#define KD_CTL_PLACES_H

#include "base/buf.h"
#include "base/error.h"

struct kd_ctl_places {
    size_t n;
    struct kd_buf names; /* of the namespaces, for the message */
};

void kd_ctl_places_init(struct kd_ctl_places *places);
void kd_ctl_places_release(struct kd_ctl_places *places);
void kd_ctl_places_add(struct kd_ctl_places *places, const struct kd_ref *ref);
/* KD_EINVAL that lists the namespaces when there is more than one. */
int kd_ctl_places_check(const struct kd_ctl_places *places, const char *kind, const char *name,
                        struct kd_error *reterr) KD_MUST_USE;

#endif
