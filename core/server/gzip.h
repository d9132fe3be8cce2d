/* A whole text as one gzip member (RFC 1952), fast rather than small. */
#ifndef KD_SERVER_GZIP_H
#define KD_SERVER_GZIP_H

#include "base/buf.h"

/* Appends. KD_ENOMEM, KD_ETOOBIG. */
int kd_gzip(struct kd_str text, struct kd_buf *out) KD_MUST_USE;

#endif
