/* Listening sockets from bind texts: ":PORT", "HOST:PORT", "[V6]:PORT", "unix:PATH", "0" for off.
 */
#ifndef KD_SERVER_BIND_H
#define KD_SERVER_BIND_H

#include "base/error.h"

#include <stdbool.h>

/*
 * A bound, non-blocking socket that listens, or -1 in *ret when the bind is off. A unix socket is
 * made with mode 0660; a stale file is replaced, one that answers is KD_EBUSY. KD_ECONFIG names the
 * bind.
 */
int kd_bind_listen(const char *bind_text, const char *what, int *ret,
                   struct kd_error *reterr) KD_MUST_USE;
/* Path of a unix bind, NULL for any other. */
const char *kd_bind_unix_path(const char *bind);

#endif
