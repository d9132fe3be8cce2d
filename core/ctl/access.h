/* Who asks: certificate file and token, from the command line or the environment. */
#ifndef KD_CTL_ACCESS_H
#define KD_CTL_ACCESS_H

#include "base/buf.h"
#include "ctl/address.h"
#include "ctl/options.h"

/* Whatever the options leave out comes from KINDRED_SERVER, KINDRED_CA and KINDRED_TOKEN. `token`
 * holds a token that was read from a file. KD_EINVAL, KD_EIO. */
int kd_ctl_access_read(const struct kd_ctl_options *options, struct kd_ctl_address *ret,
                       struct kd_buf *token, struct kd_error *reterr) KD_MUST_USE;

#endif
