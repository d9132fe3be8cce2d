/*
 * Errors: negative KD_E* codes (the list stands in <kindred/types.h>) and struct kd_error with a
 * text. An output `reterr` may be NULL; it is untouched on success.
 */
#ifndef KD_BASE_ERROR_H
#define KD_BASE_ERROR_H

#include "base/macros.h"

#include <kindred/types.h>

/* Name of a code, "KD_ENOENT"; "KD_?" for an unknown one. Static. */
const char *kd_errno_name(int code);
/* Text of a code, "not found". Static. */
const char *kd_errno_text(int code);

/* Sets code and text (one line, cut to fit) when err is not NULL; returns code, so
 * `return kd_fail(...)`. */
int kd_fail(struct kd_error *err, int code, const char *fmt, ...) KD_PRINTF(3, 4);

/* Puts "prefix: " before the text of an error that is set. err may be NULL. Returns its code. */
int kd_fail_prefix(struct kd_error *err, int code, const char *fmt, ...) KD_PRINTF(3, 4);

/* A broken promise inside the program: says where and aborts. Stays on in release. */
void kd_bug(const char *file, int line, const char *what) KD_NORETURN;
#define KD_ASSERT(cond) ((cond) ? (void)0 : kd_bug(__FILE__, __LINE__, #cond))

/* Magic numbers of long-lived structs. */
#define KD_CHECK(obj, magic_value) KD_ASSERT((obj) != NULL && (obj)->magic == (magic_value))

#endif
