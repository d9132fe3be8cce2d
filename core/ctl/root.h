/* A resource that the command line names, as a whole reference that the API takes. */
#ifndef KD_CTL_ROOT_H
#define KD_CTL_ROOT_H

#include "ctl/session.h"

/*
 * Appends it to the target as the parameter `param`. The kind's full name and the scope are the
 * server's to know: it is asked for what has that name. KD_ENOENT when nothing has, KD_EINVAL when
 * several have.
 */
int kd_ctl_root_add(struct kd_ctl_session *session, struct kd_buf *target, const char *param,
                    const struct kd_ctl_place *place, struct kd_error *reterr) KD_MUST_USE;

#endif
