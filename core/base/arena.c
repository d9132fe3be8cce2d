#include "base/arena.h"

#include "base/alloc.h"

#include <stdalign.h>
#include <string.h>

#define ARENA_BLOCK 8192u
#define ARENA_ALIGN 16u

struct kd_arena_block {
    struct kd_arena_block *next;
    size_t used;
    size_t cap;
    size_t reserved; /* keeps data aligned */
    alignas(ARENA_ALIGN) char data[];
};

void kd_arena_init(struct kd_arena *arena, size_t max)
{
    *arena = (struct kd_arena){ .max = max };
}

void kd_arena_reset(struct kd_arena *arena, size_t keep)
{
    struct kd_arena_block *block = arena->blocks;
    arena->used = 0;
    if (block && block->cap <= keep) { /* the newest block is the largest */
        arena->blocks = block->next;
        block->next = NULL;
        block->used = 0;
    } else {
        block = NULL;
    }
    while (arena->blocks) {
        struct kd_arena_block *next = arena->blocks->next;
        kd_free(arena->blocks);
        arena->blocks = next;
    }
    arena->blocks = block;
}

void kd_arena_release(struct kd_arena *arena)
{
    if (arena) {
        kd_arena_reset(arena, 0);
    }
}

static struct kd_arena_block *add_block(struct kd_arena *arena, size_t size)
{
    size_t cap = arena->blocks ? arena->blocks->cap * 2 : ARENA_BLOCK;
    size_t total = 0;
    if (cap < size) {
        cap = size;
    }
    if (!kd_size_add(cap, sizeof(struct kd_arena_block), &total)) {
        return NULL;
    }
    struct kd_arena_block *block = kd_try_alloc(total);
    if (block) {
        *block = (struct kd_arena_block){ .next = arena->blocks, .cap = cap };
        arena->blocks = block;
    }
    return block;
}

void *kd_arena_alloc(struct kd_arena *arena, size_t size)
{
    size_t rounded = 0;
    if (!kd_size_add(size ? size : 1, ARENA_ALIGN - 1, &rounded)) {
        return NULL;
    }
    rounded &= ~(size_t)(ARENA_ALIGN - 1);
    if (rounded > arena->max - arena->used) {
        return NULL;
    }
    struct kd_arena_block *block = arena->blocks;
    if (!block || block->cap - block->used < rounded) {
        block = add_block(arena, rounded);
        if (!block) {
            return NULL;
        }
    }
    void *ptr = block->data + block->used;
    block->used += rounded;
    arena->used += rounded;
    return ptr;
}

struct kd_str kd_arena_copy(struct kd_arena *arena, struct kd_str str)
{
    char *ptr = kd_arena_alloc(arena, str.len + 1);
    if (!ptr) {
        return (struct kd_str){ NULL, 0 };
    }
    if (str.len) {
        memcpy(ptr, str.ptr, str.len);
    }
    ptr[str.len] = '\0';
    return (struct kd_str){ ptr, str.len };
}
