/* Whole files. Blocking: not on the I/O thread. */
#ifndef KD_BASE_FILE_H
#define KD_BASE_FILE_H

#include "base/buf.h"
#include "base/error.h"

#include <sys/types.h>

/*
 * Reads the file into buf (initialised by the caller, with its max as the bound). The error text
 * names the path and the system's reason. KD_ENOENT, KD_EPERM, KD_ETOOBIG, KD_EIO.
 */
int kd_file_read(const char *path, struct kd_buf *buf, struct kd_error *reterr) KD_MUST_USE;
/* All of the text to a descriptor. KD_EIO, with errno as the system left it. */
int kd_fd_write(int fd, struct kd_str text) KD_MUST_USE;
/*
 * A new file with this text; one that could not be filled is taken away again. The error text names
 * the path and the system's reason. KD_EEXIST, KD_ENOENT, KD_EPERM, KD_EIO.
 */
int kd_file_create(const char *path, mode_t mode, struct kd_str text,
                   struct kd_error *reterr) KD_MUST_USE;
/* "folder/name" from the folder of `base_file` for a relative path, a copy of an absolute one. */
char *kd_path_beside(const char *base_file, const char *path) KD_MUST_USE;
char *kd_path_join(const char *folder, const char *name) KD_MUST_USE;

#endif
