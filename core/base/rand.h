/* A small seeded generator: jitter in production, reproducible runs in tests. One owner. */
#ifndef KD_BASE_RAND_H
#define KD_BASE_RAND_H

#include <stdint.h>

struct kd_rand {
    uint64_t state;
};

void kd_rand_init(struct kd_rand *rand, uint64_t seed);
uint64_t kd_rand_next(struct kd_rand *rand);
/* Below n; 0 for n = 0. */
uint64_t kd_rand_below(struct kd_rand *rand, uint64_t n);
/* In [0, 1). */
double kd_rand_unit(struct kd_rand *rand);

#endif
