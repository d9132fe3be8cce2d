/* The hash spreads well enough for tables and change detection; the generator repeats itself. */
#include "check.h"

#include "base/hash.h"
#include "base/rand.h"

#include <stdlib.h>

static unsigned count_bits(uint64_t bits)
{
    unsigned n = 0;
    for (; bits; bits &= bits - 1) {
        n++;
    }
    return n;
}

/* Flipping one bit of the input flips about half of the output, for every bit and length. */
static void every_bit_reaches_about_half_of_the_hash(void **state)
{
    struct kd_rand rand;
    unsigned char data[70];
    (void)state;
    kd_rand_init(&rand, test_seed());
    for (size_t len = 1; len <= sizeof(data); len++) {
        for (size_t bit = 0; bit < len * 8; bit++) {
            unsigned flips = 0;
            for (int round = 0; round < 32; round++) {
                for (size_t i = 0; i < len; i++) {
                    data[i] = (unsigned char)kd_rand_next(&rand);
                }
                uint64_t before = kd_hash(data, len, 1);
                data[bit / 8] ^= (unsigned char)(1u << bit % 8);
                unsigned n = count_bits(before ^ kd_hash(data, len, 1));
                assert_true(n > 0);
                flips += n;
            }
            /* 32 x 64 fair coins: 1024 expected, 23 is one standard deviation */
            assert_in_range(flips, 1024 - 8 * 23, 1024 + 8 * 23);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static void near_inputs_do_not_collide(void **state)
{
    static uint64_t hashes[40000];
    size_t n = 0;
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        char name[32] = "web-7c9d8b-00000000";
        memcpy(name + 11, &i, sizeof(i));
        hashes[n++] = kd_hash(name, 19, 5);
    }
    static const char zeros[20000];
    for (size_t len = 0; len < sizeof(zeros); len++) { /* equal bytes of another length */
        hashes[n++] = kd_hash(zeros, len, 5);
    }
    qsort(hashes, n, sizeof(hashes[0]), by_value);
    for (size_t i = 1; i < n; i++) {
        assert_true(hashes[i] != hashes[i - 1]);
    }
}

static void low_bits_fill_buckets_evenly(void **state)
{
    unsigned buckets[256] = { 0 };
    (void)state;
    for (uint64_t i = 0; i < 256 * 100; i++) {
        buckets[kd_hash(&i, sizeof(i), 3) & 255]++;
    }
    for (size_t i = 0; i < 256; i++) {
        assert_in_range(buckets[i], 50, 150); /* five standard deviations */
    }
}

static void seed_order_and_place_matter(void **state)
{
    char text[40];
    (void)state;
    memset(text, 'x', sizeof(text));
    assert_true(kd_hash("pod", 3, 1) != kd_hash("pod", 3, 2));
    assert_true(kd_hash(text, 20, 1) == kd_hash(text + 1, 20, 1)); /* not the alignment */
    assert_true(kd_hash_mix(kd_hash_mix(0, 1), 2) != kd_hash_mix(kd_hash_mix(0, 2), 1));
    assert_true(kd_hash_seed() == kd_hash_seed());
    assert_true(kd_hash(NULL, 0, 1) == kd_hash("", 0, 1));
    assert_true(kd_hash_str(KD_STR("a")) != kd_hash_str(KD_STR("b")));
}

static void the_generator_repeats_and_spreads(void **state)
{
    struct kd_rand a;
    struct kd_rand b;
    unsigned buckets[10] = { 0 };
    double sum = 0;
    (void)state;
    kd_rand_init(&a, 9);
    kd_rand_init(&b, 9);
    for (int i = 0; i < 10000; i++) {
        assert_true(kd_rand_next(&a) == kd_rand_next(&b));
        uint64_t below = kd_rand_below(&a, 10);
        assert_true(below < 10 && below == kd_rand_below(&b, 10));
        double unit = kd_rand_unit(&a);
        assert_true(unit >= 0 && unit < 1);
        (void)kd_rand_unit(&b); /* keeps in step */
        buckets[below]++;
        sum += unit;
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(buckets); i++) {
        assert_in_range(buckets[i], 850, 1150);
    }
    assert_true(sum > 4850 && sum < 5150);
    assert_int_equal(kd_rand_below(&a, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_reaches_about_half_of_the_hash),
        cmocka_unit_test(near_inputs_do_not_collide),
        cmocka_unit_test(low_bits_fill_buckets_evenly),
        cmocka_unit_test(seed_order_and_place_matter),
        cmocka_unit_test(the_generator_repeats_and_spreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
