#include "base/rand.h"

#include "base/hash.h"

#define STEP UINT64_C(0x9e3779b97f4a7c15)

void kd_rand_init(struct kd_rand *rand, uint64_t seed)
{
    rand->state = kd_hash_mix(seed, STEP);
}

uint64_t kd_rand_next(struct kd_rand *rand)
{
    rand->state += STEP;
    return kd_hash_mix(rand->state, rand->state >> 32);
}

uint64_t kd_rand_below(struct kd_rand *rand, uint64_t n)
{
    return n ? kd_rand_next(rand) % n : 0;
}

double kd_rand_unit(struct kd_rand *rand)
{
    return (double)(kd_rand_next(rand) >> 11) / 9007199254740992.0;
}
