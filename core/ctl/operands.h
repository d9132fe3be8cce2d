/* What stands behind a command besides its options. */
#ifndef KD_CTL_OPERANDS_H
#define KD_CTL_OPERANDS_H

#include "ctl/options.h"

/* Reads the words for options->command, whose other members are read already. KD_EINVAL says what
 * to write. */
int kd_ctl_operands_read(char **words, int n, struct kd_ctl_options *options,
                         struct kd_error *reterr) KD_MUST_USE;

#endif
