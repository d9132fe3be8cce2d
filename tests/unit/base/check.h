/* What the tests of core/base share. */
#ifndef TESTS_UNIT_BASE_CHECK_H
#define TESTS_UNIT_BASE_CHECK_H

#include "base/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The seed of a random test, said aloud; KD_TEST_SEED repeats a run. */
static inline uint64_t test_seed(void)
{
    const char *given = getenv("KD_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 20240611;
    print_message("seed: KD_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

#endif
