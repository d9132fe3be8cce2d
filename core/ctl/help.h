/* The text of --help, made of the list of commands. */
#ifndef KD_CTL_HELP_H
#define KD_CTL_HELP_H

#include "base/buf.h"

/* A failed append is remembered by the buffer. */
void kd_ctl_help_put(struct kd_buf *out);

#endif
