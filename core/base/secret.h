/*
 * Memory for secrets that are kept: pages of their own, left out of core dumps, overwritten before
 * they go. A secret costs a page, so only what lives long belongs here.
 */
#ifndef KD_BASE_SECRET_H
#define KD_BASE_SECRET_H

#include "base/macros.h"

#include <kindred/types.h>

/* A NUL-terminated copy; ends the process without memory. Only kd_secret_drop frees it. */
char *kd_secret_keep(struct kd_str text) KD_MUST_USE;
/* Overwrites and frees; accepts NULL, returns NULL. */
char *kd_secret_drop(char *secret);

#endif
