/* Scratch memory: alignment, its bound, and what stays after a reset. */
#include "check.h"

#include "base/arena.h"
#include "base/rand.h"

static void pieces_are_aligned_and_apart(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_rand rand;
    unsigned char *pieces[500];
    size_t sizes[500];
    (void)state;
    kd_rand_init(&rand, test_seed());
    kd_arena_init(&arena, 1u << 20);
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < KD_ARRAY_LEN(pieces); i++) {
            sizes[i] = kd_rand_below(&rand, 10) ? kd_rand_below(&rand, 200) : 20000;
            pieces[i] = kd_arena_alloc(&arena, sizes[i]);
            if (!pieces[i]) {
                assert_true(arena.used + sizes[i] + 16 > arena.max);
                sizes[i] = 0;
                continue;
            }
            assert_int_equal((uintptr_t)pieces[i] % 16, 0);
            memset(pieces[i], (int)(i % 251), sizes[i]);
        }
        for (size_t i = 0; i < KD_ARRAY_LEN(pieces); i++) {
            for (size_t k = 0; k < sizes[i]; k++) {
                assert_int_equal(pieces[i][k], i % 251);
            }
        }
        kd_arena_reset(&arena, kd_rand_below(&rand, 2) ? 1u << 20 : 0);
        assert_int_equal(arena.used, 0);
    }
}

static void fails_past_its_bound(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    (void)state;
    kd_arena_init(&arena, 100);
    assert_non_null(kd_arena_alloc(&arena, 50));
    assert_null(kd_arena_alloc(&arena, 50)); /* 64 bytes are taken: sizes are rounded up */
    assert_non_null(kd_arena_alloc(&arena, 20));
    assert_null(kd_arena_alloc(&arena, 10));
    assert_null(kd_arena_alloc(&arena, SIZE_MAX));
    assert_null(kd_arena_alloc(&arena, SIZE_MAX - 15));
    kd_arena_reset(&arena, 0);
    assert_non_null(kd_arena_alloc(&arena, 90));
    kd_arena_release(&arena);
    kd_arena_init(&arena, 0);
    assert_null(kd_arena_alloc(&arena, 0));
}

static void reset_keeps_the_largest_block(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    (void)state;
    kd_arena_init(&arena, 1u << 20);
    assert_non_null(kd_arena_alloc(&arena, 100));
    void *large = kd_arena_alloc(&arena, 100000);
    assert_non_null(large);
    kd_arena_reset(&arena, 1u << 20);
    assert_ptr_equal(kd_arena_alloc(&arena, 100000), large); /* the same memory again */
    kd_arena_reset(&arena, 99999);
    assert_null(arena.blocks);
    kd_arena_release(NULL);
}

static void copies_end_with_nul(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    (void)state;
    kd_arena_init(&arena, 48);
    struct kd_str copy = kd_arena_copy(&arena, KD_STR("a\0bc"));
    assert_int_equal(copy.len, 4);
    assert_memory_equal(copy.ptr, "a\0bc", 5);
    copy = kd_arena_copy(&arena, (struct kd_str){ NULL, 0 });
    assert_non_null(copy.ptr);
    assert_string_equal(copy.ptr, "");
    assert_null(kd_arena_copy(&arena, KD_STR("0123456789abcdef")).ptr); /* no room for the NUL */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_and_apart),
        cmocka_unit_test(fails_past_its_bound),
        cmocka_unit_test(reset_keeps_the_largest_block),
        cmocka_unit_test(copies_end_with_nul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
