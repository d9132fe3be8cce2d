/* Certificates and keys as PEM text: from a file or from base64. Blocking. */
#ifndef KD_CONFIG_PEM_H
#define KD_CONFIG_PEM_H

#include "base/error.h"

/*
 * Reads the file; `what` is the field that names it, for the error. *ret is owned (wipe a key with
 * kd_free_secret). Parts that follow each other without a line break are set apart.
 */
int kd_pem_read(const char *path, const char *what, char **ret,
                struct kd_error *reterr) KD_MUST_USE;
/* The same from base64 text, white space allowed. */
int kd_pem_decode(const char *base64, const char *what, char **ret,
                  struct kd_error *reterr) KD_MUST_USE;
/* Overwrites and frees a NUL-terminated text; returns NULL. */
char *kd_secret_free(char *text);

#endif
