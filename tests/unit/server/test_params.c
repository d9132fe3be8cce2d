/* The query of a request. */
#include "server/params.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"

struct query {
    struct kd_arena arena;
    struct kd_params params;
};

static int setup(void **state)
{
    static struct query query;
    query = (struct query){ 0 };
    kd_arena_init(&query.arena, KD_MIB);
    *state = &query;
    return 0;
}

static int teardown(void **state)
{
    struct query *query = *state;
    kd_arena_release(&query->arena);
    return 0;
}

static int parse(struct query *query, const char *text)
{
    return kd_params_parse(kd_str_from(text), &query->arena, &query->params, NULL);
}

static void assert_param(const struct query *query, const char *name, const char *value)
{
    struct kd_str found = kd_params_get(&query->params, name);
    assert_non_null(found.ptr);
    assert_string_equal(found.ptr, value);
    assert_int_equal(found.len, strlen(value));
}

static void test_decoding(void **state)
{
    struct query *query = *state;
    assert_int_equal(
        parse(query, "kind=Pod&name=a%2Fb&sel=a+in+(b%2C%20c)&x=1=2&e=&f&%66g=%e2%82%ac"), 0);
    assert_int_equal(query->params.n, 7);
    assert_param(query, "kind", "Pod");
    assert_param(query, "name", "a/b");
    assert_param(query, "sel", "a in (b, c)");
    assert_param(query, "x", "1=2");
    assert_param(query, "e", "");
    assert_param(query, "f", "");
    assert_param(query, "fg", "\xe2\x82\xac");
    assert_true(kd_params_has(&query->params, "f"));
    assert_false(kd_params_has(&query->params, "g"));
    assert_null(kd_params_get(&query->params, "g").ptr);
}

static void test_the_first_of_a_name_counts(void **state)
{
    struct query *query = *state;
    assert_int_equal(parse(query, "a=1&a=2&&=3&"), 0);
    assert_int_equal(query->params.n, 2);
    assert_param(query, "a", "1");
}

static void test_nothing(void **state)
{
    struct query *query = *state;
    assert_int_equal(
        kd_params_parse((struct kd_str){ NULL, 0 }, &query->arena, &query->params, NULL), 0);
    assert_int_equal(query->params.n, 0);
    assert_int_equal(parse(query, "&&"), 0);
    assert_int_equal(query->params.n, 0);
}

static void test_bad_encoding(void **state)
{
    static const char *const bad[] = { "a=%",   "a=%4",  "a=%zz", "a=%4z", "%=1",
                                       "a=b%2", "a=%+1", "a=%00", "a%00b", "a=x%00y" };
    struct query *query = *state;
    struct kd_error error;
    for (size_t i = 0; i < KD_ARRAY_LEN(bad); i++) {
        error = (struct kd_error){ 0 };
        assert_int_equal(
            kd_params_parse(kd_str_from(bad[i]), &query->arena, &query->params, &error), KD_EINVAL);
        assert_true(error.text[0]);
    }
}

static void test_numbers(void **state)
{
    static const char *const bad[] = {
        "n=-1", "n=x", "n=1.5", "n=101", "n=1x", "n=+1", "n=99999999999999999999999"
    };
    struct query *query = *state;
    struct kd_error error = { 0 };
    uint64_t number = 7;
    assert_int_equal(parse(query, "n=100&e="), 0);
    assert_int_equal(kd_params_number(&query->params, "n", 100, 5, &number, NULL), 0);
    assert_int_equal(number, 100);
    assert_int_equal(kd_params_number(&query->params, "e", 100, 5, &number, NULL), 0);
    assert_int_equal(number, 5);
    assert_int_equal(kd_params_number(&query->params, "gone", 100, 6, &number, NULL), 0);
    assert_int_equal(number, 6);
    for (size_t i = 0; i < KD_ARRAY_LEN(bad); i++) {
        assert_int_equal(parse(query, bad[i]), 0);
        assert_int_equal(kd_params_number(&query->params, "n", 100, 5, &number, &error), KD_EINVAL);
        assert_string_equal(error.text, "n must be a whole number from 0 to 100");
        assert_int_equal(number, 6);
    }
}

static void test_no_room(void **state)
{
    struct query *query = *state;
    struct kd_arena small;
    kd_arena_init(&small, 64);
    assert_int_equal(kd_params_parse(KD_STR("a=b&c=d&e=f"), &small, &query->params, NULL),
                     KD_ETOOBIG);
    kd_arena_release(&small);
}

#define QUERY_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        QUERY_TEST(test_decoding), QUERY_TEST(test_the_first_of_a_name_counts),
        QUERY_TEST(test_nothing),  QUERY_TEST(test_bad_encoding),
        QUERY_TEST(test_numbers),  QUERY_TEST(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
