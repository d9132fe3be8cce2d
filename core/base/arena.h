/*
 * Scratch memory that is given back all at once. Blocks grow with use; reset keeps up to `keep`
 * bytes for the next round. Not thread-safe: one owner.
 */
#ifndef KD_BASE_ARENA_H
#define KD_BASE_ARENA_H

#include "base/macros.h"

#include <kindred/types.h>

struct kd_arena_block;

struct kd_arena {
    struct kd_arena_block *blocks; /* newest first */
    size_t used;                   /* bytes given out since the last reset */
    size_t max;
};

void kd_arena_init(struct kd_arena *arena, size_t max);
void kd_arena_release(struct kd_arena *arena);
void kd_arena_reset(struct kd_arena *arena, size_t keep);
#define KD_AUTO_ARENA KD_CLEANUP(kd_arena_release)

/* 16-byte aligned, uninitialised; NULL past max or without memory. */
void *kd_arena_alloc(struct kd_arena *arena, size_t size) KD_MUST_USE;
/* Copy, NUL-terminated; ret->ptr is NULL when there was no room. */
struct kd_str kd_arena_copy(struct kd_arena *arena, struct kd_str str) KD_MUST_USE;

#endif
