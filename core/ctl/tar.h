/* A tar archive (POSIX ustar) of a few small files, made in memory. */
#ifndef KD_CTL_TAR_H
#define KD_CTL_TAR_H

#include "base/buf.h"

/* Appends a file; name has at most 99 bytes. Failures are remembered by the buffer. */
void kd_ctl_tar_put(struct kd_buf *out, const char *name, int64_t time_s, struct kd_str content);
void kd_ctl_tar_end(struct kd_buf *out);

#endif
