/* Whole files, for configuration and credentials. Blocking: not on the I/O thread. */
#ifndef KD_BASE_FILE_H
#define KD_BASE_FILE_H

#include "base/buf.h"
#include "base/error.h"

/*
 * Reads the file into buf (initialised by the caller, with its max as the bound). The error text
 * names the path and the system's reason. KD_ENOENT, KD_EPERM, KD_ETOOBIG, KD_EIO.
 */
int kd_file_read(const char *path, struct kd_buf *buf, struct kd_error *reterr) KD_MUST_USE;
/* "folder/name" from the folder of `base_file` for a relative path, a copy of an absolute one. */
char *kd_path_beside(const char *base_file, const char *path) KD_MUST_USE;
char *kd_path_join(const char *folder, const char *name) KD_MUST_USE;

#endif
