/* Helpers on strings with a length. */
#include "check.h"

#include "base/rand.h"
#include "base/str.h"

static void compares(void **state)
{
    struct kd_str none = { NULL, 0 };
    (void)state;
    assert_true(kd_str_eq(none, KD_STR("")));
    assert_true(kd_str_eq(KD_STR("a\0b"), KD_STR("a\0b")));
    assert_false(kd_str_eq(KD_STR("a\0b"), KD_STR("a\0c")));
    assert_true(kd_str_is(KD_STR("pod"), "pod"));
    assert_false(kd_str_is(KD_STR("pod"), "pods"));
    assert_true(kd_str_is(none, ""));
    assert_int_equal(kd_str_cmp(none, KD_STR("")), 0);
    assert_true(kd_str_cmp(KD_STR("a"), KD_STR("b")) < 0);
    assert_true(kd_str_cmp(KD_STR("ab"), KD_STR("a")) > 0);
    assert_true(kd_str_cmp(none, KD_STR("a")) < 0);
    assert_true(kd_str_cmp(KD_STR("\xff"), KD_STR("a")) > 0); /* by bytes, not by sign */
    assert_true(kd_str_starts(KD_STR("abc"), KD_STR("ab")));
    assert_true(kd_str_starts(KD_STR("abc"), none));
    assert_false(kd_str_starts(KD_STR("ab"), KD_STR("abc")));
    assert_true(kd_str_eq_nocase(KD_STR("Content-Type"), KD_STR("content-TYPE")));
    assert_false(kd_str_eq_nocase(KD_STR("a[b"), KD_STR("a{b")));
    assert_false(kd_str_eq_nocase(KD_STR("ab"), KD_STR("abc")));
    assert_int_equal(kd_str_from(NULL).len, 0);
}

static void trims_and_cuts(void **state)
{
    (void)state;
    assert_true(kd_str_is(kd_str_trim(KD_STR(" \t\r\n\v\f a b \n")), "a b"));
    assert_int_equal(kd_str_trim(KD_STR(" \t ")).len, 0);
    assert_int_equal(kd_str_trim((struct kd_str){ NULL, 0 }).len, 0);
    struct kd_str rest = KD_STR("a,,b,");
    static const char *const parts[] = { "a", "", "b", "" };
    for (size_t i = 0; i < KD_ARRAY_LEN(parts); i++) {
        assert_non_null(rest.ptr);
        assert_true(kd_str_is(kd_str_cut(&rest, ','), parts[i]));
    }
    assert_null(rest.ptr); /* the last part has been taken */
}

static void reads_numbers(void **state)
{
    static const char *const bad[] = {
        "", "-1", "+1", " 1", "1 ", "0x1", "1.0", "18446744073709551616", "99999999999999999999"
    };
    uint64_t value = 7;
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(bad); i++) {
        assert_false(kd_str_to_u64(kd_str_from(bad[i]), &value));
        assert_int_equal(value, 7);
    }
    assert_true(kd_str_to_u64(KD_STR("18446744073709551615"), &value));
    assert_true(value == UINT64_MAX);
    assert_true(kd_str_to_u64(KD_STR("000"), &value));
    assert_int_equal(value, 0);
}

static void distance_by_example(void **state)
{
    static const struct {
        const char *a;
        const char *b;
        size_t distance;
    } rows[] = {
        { "", "", 0 },         { "", "abc", 3 },           { "abc", "", 3 },
        { "abc", "abc", 0 },   { "worker", "workers", 1 }, { "kitten", "sitting", 3 },
        { "flaw", "lawn", 2 }, { "ab", "ba", 2 },          { "burst", "brust", 2 },
    };
    char long_one[65];
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        assert_int_equal(kd_str_distance(kd_str_from(rows[i].a), kd_str_from(rows[i].b)),
                         rows[i].distance);
    }
    memset(long_one, 'x', sizeof(long_one));
    struct kd_str longest = { long_one, 63 };
    assert_int_equal(kd_str_distance(longest, longest), 0);
    longest.len = 64;
    assert_int_equal(kd_str_distance(longest, longest), 128); /* counts as far */
}

/* Straight from the definition. */
static size_t plain_distance(struct kd_str a, struct kd_str b)
{
    if (!a.len || !b.len) {
        return a.len + b.len;
    }
    struct kd_str a1 = { a.ptr + 1, a.len - 1 };
    struct kd_str b1 = { b.ptr + 1, b.len - 1 };
    if (a.ptr[0] == b.ptr[0]) {
        return plain_distance(a1, b1);
    }
    size_t best = plain_distance(a1, b1);
    size_t drop = plain_distance(a1, b);
    size_t add = plain_distance(a, b1);
    best = drop < best ? drop : best;
    return 1 + (add < best ? add : best);
}

static void distance_follows_its_definition(void **state)
{
    struct kd_rand rand;
    (void)state;
    kd_rand_init(&rand, test_seed());
    for (int round = 0; round < 2000; round++) {
        char text[12];
        for (size_t i = 0; i < sizeof(text); i++) {
            text[i] = (char)('a' + kd_rand_below(&rand, 3));
        }
        struct kd_str a = { text, kd_rand_below(&rand, 7) };
        struct kd_str b = { text + 6, kd_rand_below(&rand, 7) };
        assert_int_equal(kd_str_distance(a, b), plain_distance(a, b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares),
        cmocka_unit_test(trims_and_cuts),
        cmocka_unit_test(reads_numbers),
        cmocka_unit_test(distance_by_example),
        cmocka_unit_test(distance_follows_its_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
