/* Members, pointers, strings and numbers of well-formed text. */
#include "tree.h"

static struct kd_value parsed(const char *text)
{
    struct kd_value value = { 0 };
    assert_int_equal(kd_json_parse(kd_str_from(text), &value, NULL), 0);
    return value;
}

static void assert_text(struct kd_value value, const char *text)
{
    assert_int_equal(value.len, strlen(text));
    assert_memory_equal(value.ptr, text, value.len);
}

static void gets_the_last_of_a_name(void **state)
{
    struct kd_value root = parsed("{\"a\":1,\"b\":[2],\"\\u0061\":{\"x\":3} , \"\":4}");
    struct kd_value value = { 0 };
    (void)state;
    assert_true(kd_json_get(root, KD_STR("a"), &value));
    assert_text(value, "{\"x\":3}");
    assert_int_equal(value.type, KD_JSON_OBJECT);
    assert_true(kd_json_get(root, KD_STR(""), &value));
    assert_text(value, "4");
    assert_true(kd_json_get(root, (struct kd_str){ NULL, 0 }, &value));
    assert_false(kd_json_get(root, KD_STR("ab"), &value));
    assert_false(kd_json_get(parsed("[\"a\"]"), KD_STR("a"), &value));
    assert_false(kd_json_get((struct kd_value){ 0 }, KD_STR("a"), &value));
    assert_text(value, "4"); /* untouched where nothing is found */
}

static void follows_pointers(void **state)
{
    struct kd_value root =
        parsed("{\"metadata\":{\"a/b\":{\"m~n\":[10,[20,21],{\"\":30}]}},\"01\":5,\"~2\":6}");
    struct kd_value value = { 0 };
    static const struct {
        const char *pointer;
        const char *text; /* NULL: not there */
    } rows[] = {
        { "/metadata/a~1b/m~0n/0", "10" },
        { "/metadata/a~1b/m~0n/1/1", "21" },
        { "/metadata/a~1b/m~0n/2/", "30" },
        { "/01", "5" },
        { "/metadata/a~1b/m~0n/3", NULL },
        { "/metadata/a~1b/m~0n/01", NULL },
        { "/metadata/a~1b/m~0n/-", NULL },
        { "/metadata/a~1b/m~0n/99999999999999999999", NULL },
        { "/~2", NULL },
        { "metadata", NULL },
        { "/metadata/a/b", NULL },
        { "/01/x", NULL },
        { "/", NULL },
        { "//", NULL },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        bool found = kd_json_at(root, rows[i].pointer, &value);
        if (found != (rows[i].text != NULL)) {
            fail_msg("%s: found %d", rows[i].pointer, found);
        }
        if (found) {
            assert_text(value, rows[i].text);
        }
    }
    assert_true(kd_json_at(root, "", &value));
    assert_ptr_equal(value.ptr, root.ptr);
    assert_false(kd_json_at((struct kd_value){ 0 }, "", &value));
}

static void walks_end_at_once_over_scalars(void **state)
{
    static const char *const texts[] = { "1", "\"[1]\"", "null", "[]", "{}", " [ ] ", "{\n}" };
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value value;
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(texts); i++) {
        kd_json_iter_init(&iter, parsed(texts[i]));
        assert_false(kd_json_iter_next(&iter, &key, &value));
        assert_false(kd_json_iter_next(&iter, &key, &value)); /* and stays at the end */
    }
}

struct text_row {
    const char *raw;
    const char *decoded;
    size_t len;
};

static const struct text_row text_rows[] = {
    { "\"\"", "", 0 },
    { "\"plain\"", "plain", 5 },
    { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8 },
    { "\"a\\u0000b\"", "a\0b", 3 },
    { "\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac", 6 },
    { "\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!", 5 },
    { "\"\\uDBFF\\uDFFF\"", "\xf4\x8f\xbf\xbf", 4 },
    { "\"\\ud83d\"", "\xef\xbf\xbd", 3 },
    { "\"\\ude00\\ud83d\"", "\xef\xbf\xbd\xef\xbf\xbd", 6 },
    { "\"\\ud83d\\u0041\"",
      "\xef\xbf\xbd"
      "A",
      4 },
    { "\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80", 7 },
    { "\"\\ud83dxyzzyx\"", "\xef\xbf\xbdxyzzyx", 9 },
    { "\"\\ud83d\\n\"", "\xef\xbf\xbd\n", 4 },
    { "\"raw \xff byte\"", "raw \xff byte", 10 },
    { "\"\\\\\"", "\\", 1 },
};

static void decodes_strings(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    kd_arena_init(&arena, KD_MIB);
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(text_rows); i++) {
        KD_AUTO_BUF struct kd_buf buf;
        const struct text_row *row = &text_rows[i];
        struct kd_str expected = { row->decoded, row->len };
        struct kd_value value = parsed(row->raw);
        struct kd_str text;
        kd_buf_init(&buf, row->len + 1); /* just enough */
        assert_int_equal(kd_json_string(value, &arena, &text), 0);
        assert_true(kd_str_eq(text, expected));
        assert_int_equal(kd_buf_putc(&buf, '>'), 0);
        assert_int_equal(kd_json_string_put(value, &buf), 0);
        assert_int_equal(buf.len, row->len + 1);
        assert_memory_equal(buf.ptr + 1, row->decoded, row->len);
        for (size_t k = 0; k < KD_ARRAY_LEN(text_rows); k++) {
            struct kd_str other = { text_rows[k].decoded, text_rows[k].len };
            assert_int_equal(kd_json_string_is(value, other), kd_str_eq(expected, other));
        }
        if (row->len) {
            assert_false(kd_json_string_is(value, (struct kd_str){ row->decoded, row->len - 1 }));
        }
    }
}

static void a_plain_string_stays_in_the_document(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_value value = parsed("\"in place\"");
    struct kd_str text;
    (void)state;
    kd_arena_init(&arena, 0);
    assert_int_equal(kd_json_string(value, &arena, &text), 0);
    assert_ptr_equal(text.ptr, value.ptr + 1);
    assert_int_equal(kd_json_string(parsed("\"\\n\""), &arena, &text), KD_ENOMEM);
    assert_ptr_equal(text.ptr, value.ptr + 1); /* untouched by a failure */
}

static void only_strings_are_text(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    KD_AUTO_BUF struct kd_buf buf;
    struct kd_str text;
    (void)state;
    kd_arena_init(&arena, KD_MIB);
    kd_buf_init(&buf, 3);
    assert_int_equal(kd_json_string(parsed("12"), &arena, &text), KD_EINVAL);
    assert_int_equal(kd_json_string_put((struct kd_value){ 0 }, &buf), KD_EINVAL);
    assert_false(kd_json_string_is(parsed("12"), KD_STR("12")));
    assert_int_equal(kd_json_string_put(parsed("\"\\u0041bcd\""), &buf), KD_ETOOBIG);
    assert_int_equal(buf.len, 0);
}

static void gets_text_of_a_member(void **state)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_value root = parsed("{\"a\":\"x\\ty\",\"n\":1}");
    (void)state;
    kd_arena_init(&arena, KD_MIB);
    assert_true(kd_str_is(kd_json_get_str(root, KD_STR("a"), &arena), "x\ty"));
    assert_int_equal(kd_json_get_str(root, KD_STR("n"), &arena).len, 0);
    assert_int_equal(kd_json_get_str(root, KD_STR("z"), &arena).len, 0);
}

static void reads_whole_numbers_that_fit(void **state)
{
    static const struct {
        const char *text;
        int rc;
        int64_t number;
    } rows[] = {
        { "0", 0, 0 },
        { "-0", 0, 0 },
        { "42", 0, 42 },
        { "-7", 0, -7 },
        { "9223372036854775807", 0, INT64_MAX },
        { "-9223372036854775808", 0, INT64_MIN },
        { "9223372036854775808", KD_EINVAL, 0 },
        { "-9223372036854775809", KD_EINVAL, 0 },
        { "99999999999999999999999", KD_EINVAL, 0 },
        { "1.0", KD_EINVAL, 0 },
        { "1e3", KD_EINVAL, 0 },
        { "\"1\"", KD_EINVAL, 0 },
        { "null", KD_EINVAL, 0 },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        int64_t number = 99;
        assert_int_equal(kd_json_int(parsed(rows[i].text), &number), rows[i].rc);
        assert_int_equal(number, rows[i].rc == 0 ? rows[i].number : 99);
    }
    assert_true(kd_json_true(parsed("true")));
    assert_false(kd_json_true(parsed("false")));
    assert_false(kd_json_true(parsed("\"true\"")));
}

static void gets_what_the_model_says(void **state)
{
    struct maker maker;
    KD_AUTO_BUF struct kd_buf text;
    (void)state;
    maker_init(&maker, test_seed());
    maker.twins = true;
    kd_buf_init(&text, 16 * KD_MIB);
    for (int round = 0; round < 3000; round++) {
        kd_arena_reset(&maker.arena, KD_MIB);
        kd_buf_clear(&text, KD_MIB);
        const struct tree *tree = tree_random_object(&maker, 4);
        tree_print(&maker, tree, &text);
        struct kd_value root = must_parse(&text);
        for (size_t i = 0; i < KD_ARRAY_LEN(tree_keys); i++) {
            struct kd_str key = kd_str_from(tree_keys[i]);
            const struct tree *expected = tree_member(tree, key);
            struct kd_value value;
            assert_int_equal(kd_json_get(root, key, &value), expected != NULL);
            assert_true(!expected || tree_matches(expected, value));
        }
    }
    kd_arena_release(&maker.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gets_the_last_of_a_name),
        cmocka_unit_test(follows_pointers),
        cmocka_unit_test(walks_end_at_once_over_scalars),
        cmocka_unit_test(decodes_strings),
        cmocka_unit_test(a_plain_string_stays_in_the_document),
        cmocka_unit_test(only_strings_are_text),
        cmocka_unit_test(gets_text_of_a_member),
        cmocka_unit_test(reads_whole_numbers_that_fit),
        cmocka_unit_test(gets_what_the_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
