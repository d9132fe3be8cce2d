#include "base/hash.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define PRIME_A UINT64_C(0x9e3779b97f4a7c15)
#define PRIME_B UINT64_C(0xc2b2ae3d27d4eb4f)
#define PRIME_C UINT64_C(0x165667b19e3779f9)

__extension__ typedef unsigned __int128 wide;

/* Both halves of the product, folded: every input bit reaches every output bit. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load64(const unsigned char *ptr)
{
    uint64_t value;
    memcpy(&value, ptr, sizeof(value));
    return value;
}

static uint64_t load_tail(const unsigned char *ptr, size_t len)
{
    uint64_t value = 0;
    if (len) {
        memcpy(&value, ptr, len);
    }
    return value;
}

uint64_t kd_hash(const void *data, size_t len, uint64_t seed)
{
    const unsigned char *ptr = data;
    uint64_t hash = fold(seed ^ PRIME_A, (uint64_t)len ^ PRIME_B);
    size_t left = len;
    while (left >= 16) {
        hash = fold(load64(ptr) ^ hash ^ PRIME_B, load64(ptr + 8) ^ PRIME_C) + hash;
        ptr += 16;
        left -= 16;
    }
    uint64_t low = left >= 8 ? load64(ptr) : load_tail(ptr, left);
    uint64_t high = left > 8 ? load_tail(ptr + 8, left - 8) : 0;
    hash = fold(low ^ hash ^ PRIME_A, high ^ PRIME_C) + hash;
    return fold(hash ^ PRIME_C, hash ^ PRIME_B ^ (uint64_t)len);
}

uint64_t kd_hash_mix(uint64_t hash, uint64_t value)
{
    return fold(hash ^ PRIME_A, value ^ PRIME_B) + hash;
}

static uint64_t process_seed;

static void make_seed(void)
{
    if (getrandom(&process_seed, sizeof(process_seed), GRND_NONBLOCK) !=
        (ssize_t)sizeof(process_seed)) {
        struct timespec now;
        (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
        process_seed = kd_hash_mix((uint64_t)now.tv_sec, (uint64_t)now.tv_nsec);
    }
}

uint64_t kd_hash_seed(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make_seed);
    return process_seed;
}
