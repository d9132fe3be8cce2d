/*
 * Memory. kd_alloc and friends are for small sizes that the program itself chooses: without memory
 * they end the process with a clear line. kd_try_alloc and kd_try_realloc are for sizes that input,
 * peers or settings choose: NULL is an error that travels up.
 */
#ifndef KD_BASE_ALLOC_H
#define KD_BASE_ALLOC_H

#include "base/macros.h"

#include <kindred/types.h>
#include <stdbool.h>

void *kd_alloc(size_t size) KD_MUST_USE;  /* uninitialised */
void *kd_zalloc(size_t size) KD_MUST_USE; /* zeroed */
/* Array of n elements, zeroed; ends the process on overflow. */
void *kd_zalloc_array(size_t n, size_t size) KD_MUST_USE;
void *kd_realloc_array(void *ptr, size_t n, size_t size) KD_MUST_USE;
void *kd_try_alloc(size_t size) KD_MUST_USE;
void *kd_try_realloc(void *ptr, size_t size) KD_MUST_USE;
/* NUL-terminated copies; the caller owns them. */
char *kd_strdup(const char *text) KD_MUST_USE;
char *kd_str_dup(struct kd_str str) KD_MUST_USE;
char *kd_asprintf(const char *fmt, ...) KD_PRINTF(1, 2) KD_MUST_USE;
/* free; accepts NULL, returns NULL. */
void *kd_free(void *ptr);
/* Overwrites before free, for secrets. */
void *kd_free_secret(void *ptr, size_t size);

void kd_free_ptr(void *ptr_to_ptr);
#define KD_AUTO_FREE KD_CLEANUP(kd_free_ptr)

/* Sums and products of sizes; false on overflow. */
static inline bool kd_size_add(size_t a, size_t b, size_t *ret)
{
    return !__builtin_add_overflow(a, b, ret);
}

static inline bool kd_size_mul(size_t a, size_t b, size_t *ret)
{
    return !__builtin_mul_overflow(a, b, ret);
}

#endif
