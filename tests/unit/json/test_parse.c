/* The strict reader: what it takes, what it refuses and where, and that it agrees with an oracle.
 */
#include "oracle.h"
#include "tree.h"

static int parse(const char *text, size_t len, struct kd_error *err)
{
    /* A heap copy without a byte to spare, so that the sanitizer sees a read past the end. */
    char *copy = kd_alloc(len);
    struct kd_value value;
    memcpy(copy, text, len);
    int rc = kd_json_parse((struct kd_str){ copy, len }, &value, err);
    kd_free(copy);
    return rc;
}

static void takes_what_is_valid(void **state)
{
    static const char *const texts[] = { "{}",
                                         "[]",
                                         " \t\r\n{ } ",
                                         "null",
                                         "true",
                                         "false",
                                         "0",
                                         "-0",
                                         "-0.0e-0",
                                         "10",
                                         "1.5E+10",
                                         "1e5",
                                         "123456789012345678901234567890",
                                         "\"\"",
                                         "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\"",
                                         "\"\\ud800\"",
                                         "\"\\uDC00\\uD800\"",
                                         "[[],{},[[]]]",
                                         "{\"\":{\"\":[]}}",
                                         "[1,2 , 3]",
                                         "{\"a\":1,\"a\":2}",
                                         "\"\x7f\"",
                                         "\"\xc3\xa9\"",
                                         "\"\xff\xfe\"",
                                         "\"exactly16bytes..\"" };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(texts); i++) {
        struct kd_error err = { 0 };
        if (parse(texts[i], strlen(texts[i]), &err) != 0) {
            fail_msg("%s: %s", texts[i], err.text);
        }
        assert_int_equal(err.code, 0);
    }
}

static const struct {
    const char *text;
    int at;
} refused_rows[] = {
    { "", 0 },
    { " ", 1 },
    { "{", 1 },
    { "[", 1 },
    { "}", 0 },
    { "[}", 1 },
    { "{]", 1 },
    { "[1,]", 3 },
    { "{\"a\":1,}", 7 },
    { "[,1]", 1 },
    { "{,}", 1 },
    { "[1 2]", 3 },
    { "{\"a\" 1}", 5 },
    { "{\"a\":}", 5 },
    { "{a:1}", 1 },
    { "{\"a\":1 \"b\":2}", 7 },
    { "01", 0 },
    { "-01", 1 },
    { "-", 1 },
    { "+1", 0 },
    { ".5", 0 },
    { "1.", 2 },
    { "1.e1", 2 },
    { "1e", 2 },
    { "1e+", 3 },
    { "0x1", 1 },
    { "nul", 3 },
    { "nulL", 3 },
    { "True", 0 },
    { "NaN", 0 },
    { "\"", 1 },
    { "\"\\", 2 },
    { "\"\\x\"", 2 },
    { "\"\\u12\"", 5 },
    { "\"\\u12g4\"", 5 },
    { "\"\\u123", 6 },
    { "\"a\nb\"", 2 },
    { "\"a\tb\"", 2 },
    { "\"0123456789abcdef\x01\"", 17 },
    { "{} {}", 3 },
    { "[] ]", 3 },
    { "1 1", 2 },
    { "'a'", 0 },
    { "\xef\xbb\xbf{}", 0 },
    { "{\"a\":1}x", 7 },
    { "/**/1", 0 },
    { "[1,\v2]", 3 },
};

static void refuses_what_is_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(refused_rows); i++) {
        struct kd_error err = { 0 };
        char place[32];
        assert_int_equal(parse(refused_rows[i].text, strlen(refused_rows[i].text), &err),
                         KD_EPARSE);
        (void)snprintf(place, sizeof(place), "byte %d:", refused_rows[i].at);
        if (!strstr(err.text, place)) {
            fail_msg("%s: %s, not %s", refused_rows[i].text, err.text, place);
        }
    }
    assert_int_equal(parse("\"a\0b\"", 5, NULL), KD_EPARSE); /* a raw NUL, and no error wanted */
}

static void bounds_depth(void **state)
{
    (void)state;
    char text[2 * KD_MAX_JSON_DEPTH + 2];
    struct kd_error err = { 0 };
    memset(text, '[', KD_MAX_JSON_DEPTH + 1);
    memset(text + KD_MAX_JSON_DEPTH + 1, ']', KD_MAX_JSON_DEPTH + 1);
    assert_int_equal(parse(text + 1, (size_t)(2 * KD_MAX_JSON_DEPTH), &err), 0);
    assert_int_equal(parse(text, sizeof(text), &err), KD_ETOOBIG);
    assert_non_null(strstr(err.text, "byte 512: nested too deep"));
}

static void keeps_object_and_array_apart_at_every_depth(void **state)
{
    (void)state;
    struct kd_rand rand;
    kd_rand_init(&rand, test_seed());
    for (int round = 0; round < 200; round++) {
        KD_AUTO_BUF struct kd_buf text;
        char closers[KD_MAX_JSON_DEPTH];
        size_t depth = 1 + kd_rand_below(&rand, KD_MAX_JSON_DEPTH);
        kd_buf_init(&text, KD_MIB);
        for (size_t i = 0; i < depth; i++) {
            bool object = kd_rand_below(&rand, 2);
            bool innermost = i + 1 == depth;
            assert_int_equal(kd_buf_puts(&text, !object ? "[" : innermost ? "{" : "{\"k\":"), 0);
            closers[depth - 1 - i] = object ? '}' : ']';
        }
        size_t wrong = text.len + kd_rand_below(&rand, depth);
        assert_int_equal(kd_buf_put(&text, closers, depth), 0);
        assert_int_equal(parse(text.ptr, text.len, NULL), 0);
        text.ptr[wrong] = text.ptr[wrong] == '}' ? ']' : '}';
        assert_int_equal(parse(text.ptr, text.len, NULL), KD_EPARSE);
    }
}

static void covers_the_value_without_its_space(void **state)
{
    (void)state;
    struct kd_value value;
    assert_int_equal(kd_json_parse(KD_STR(" \n[1] \t"), &value, NULL), 0);
    assert_int_equal(value.type, KD_JSON_ARRAY);
    assert_int_equal(value.len, 3);
    assert_memory_equal(value.ptr, "[1]", 3);
}

static void agrees_with_the_oracle_on_damaged_text(void **state)
{
    static const char bytes[] = "{}[]\",:\\0123456789-+.eEutrfalsn \n\x01\xff";
    struct maker maker;
    KD_AUTO_BUF struct kd_buf text;
    unsigned taken = 0;
    unsigned refused = 0;
    (void)state;
    maker_init(&maker, test_seed());
    kd_buf_init(&text, 16 * KD_MIB);
    for (int round = 0; round < 20000; round++) {
        kd_arena_reset(&maker.arena, KD_MIB);
        kd_buf_clear(&text, KD_MIB);
        tree_print(&maker, tree_random(&maker, 4), &text);
        for (uint64_t n = maker_below(&maker, 3); n > 0; n--) {
            size_t at = maker_below(&maker, text.len);
            text.ptr[at] = bytes[maker_below(&maker, sizeof(bytes) - 1)];
        }
        size_t len = maker_below(&maker, 4) ? text.len : maker_below(&maker, text.len + 1);
        bool expected = oracle_takes(text.ptr, len);
        if ((parse(text.ptr, len, NULL) == 0) != expected) {
            fail_msg("%.*s: expected %d", (int)len, text.ptr, expected);
        }
        taken += expected ? 1 : 0;
        refused += expected ? 0 : 1;
    }
    assert_true(taken > 1000 && refused > 1000);
    kd_arena_release(&maker.arena);
}

static void walks_random_documents(void **state)
{
    struct maker maker;
    KD_AUTO_BUF struct kd_buf text;
    (void)state;
    maker_init(&maker, test_seed());
    kd_buf_init(&text, 16 * KD_MIB);
    for (int round = 0; round < 5000; round++) {
        kd_arena_reset(&maker.arena, KD_MIB);
        kd_buf_clear(&text, KD_MIB);
        maker.twins = maker_below(&maker, 2);
        const struct tree *tree = tree_random(&maker, 5);
        tree_print(&maker, tree, &text);
        if (!tree_matches(tree, must_parse(&text))) {
            fail_msg("walk differs: %s", text.ptr);
        }
    }
    kd_arena_release(&maker.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_what_is_valid),
        cmocka_unit_test(refuses_what_is_not),
        cmocka_unit_test(bounds_depth),
        cmocka_unit_test(keeps_object_and_array_apart_at_every_depth),
        cmocka_unit_test(covers_the_value_without_its_space),
        cmocka_unit_test(agrees_with_the_oracle_on_damaged_text),
        cmocka_unit_test(walks_random_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
