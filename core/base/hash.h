/* A fast 64-bit hash for tables and change detection; not for hostile collisions on its own: tables
 * seed it per process, content hashes need no seed. */
#ifndef KD_BASE_HASH_H
#define KD_BASE_HASH_H

#include <kindred/types.h>
#include <stddef.h>

uint64_t kd_hash(const void *ptr, size_t len, uint64_t seed);
/* Mixes one more value into a hash; order matters. */
uint64_t kd_hash_mix(uint64_t hash, uint64_t value);
/* A random seed, the same for the whole process. */
uint64_t kd_hash_seed(void);

static inline uint64_t kd_hash_str(struct kd_str str)
{
    return kd_hash(str.ptr, str.len, kd_hash_seed());
}

#endif
