/* The growing buffer: its bound, its NUL, and the escapes it writes. */
#include "check.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/rand.h"

static void grows_and_stays_a_c_string(void **state)
{
    KD_AUTO_BUF struct kd_buf buf;
    (void)state;
    kd_buf_init(&buf, 100000);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(kd_buf_printf(&buf, "%d,", i), 0);
        assert_int_equal(strlen(buf.ptr), buf.len);
    }
    assert_int_equal(buf.len, 10 + 90 * 2 + 900 * 3 + 1000);
    assert_memory_equal(buf.ptr, "0,1,2,", 6);
    assert_int_equal(kd_buf_put(&buf, "a\0b", 3), 0);
    assert_memory_equal(buf.ptr + buf.len - 3, "a\0b", 4);
    assert_int_equal(kd_buf_put_str(&buf, (struct kd_str){ NULL, 0 }), 0);
    assert_false(kd_buf_failed(&buf));
}

static void fails_at_its_bound_and_changes_nothing(void **state)
{
    KD_AUTO_BUF struct kd_buf buf;
    (void)state;
    kd_buf_init(&buf, 10);
    assert_int_equal(kd_buf_puts(&buf, "0123456789"), 0); /* just fits */
    assert_false(kd_buf_failed(&buf));
    assert_int_equal(kd_buf_putc(&buf, 'x'), KD_ETOOBIG);
    assert_true(kd_buf_failed(&buf));
    assert_string_equal(buf.ptr, "0123456789");
    assert_int_equal(kd_buf_reserve(&buf, SIZE_MAX), KD_ETOOBIG);
    kd_buf_clear(&buf, 100);
    assert_false(kd_buf_failed(&buf));
    assert_int_equal(kd_buf_puts(&buf, "12345678"), 0);
    assert_int_equal(kd_buf_printf(&buf, "%d", 123), KD_ETOOBIG);
    assert_int_equal(kd_buf_put_json(&buf, KD_STR("")), 0);
    kd_buf_clear(&buf, 100);
    assert_int_equal(kd_buf_puts(&buf, "1234"), 0);
    assert_int_equal(kd_buf_put_json(&buf, KD_STR("\n\n\n")), KD_ETOOBIG);
    assert_int_equal(kd_buf_put_url(&buf, KD_STR("a/////")), KD_ETOOBIG);
    assert_string_equal(buf.ptr, "1234");
    assert_int_equal(buf.len, 4);
}

static void clear_keeps_only_little_memory(void **state)
{
    KD_AUTO_BUF struct kd_buf buf;
    (void)state;
    kd_buf_init(&buf, 100000);
    assert_int_equal(kd_buf_reserve(&buf, 50000), 0);
    kd_buf_clear(&buf, 60000 * 2);
    assert_true(buf.cap > 50000);
    kd_buf_clear(&buf, 1000);
    assert_int_equal(buf.cap, 0);
    assert_int_equal(kd_buf_puts(&buf, "again"), 0);
    assert_string_equal(buf.ptr, "again");
    kd_buf_release(NULL);
}

static void steal_hands_the_bytes_over(void **state)
{
    KD_AUTO_BUF struct kd_buf buf;
    (void)state;
    kd_buf_init(&buf, 100);
    char *empty = kd_buf_steal(&buf);
    assert_string_equal(empty, "");
    assert_int_equal(kd_buf_puts(&buf, "mine"), 0);
    char *text = kd_buf_steal(&buf);
    assert_string_equal(text, "mine");
    assert_null(buf.ptr);
    assert_int_equal(kd_buf_puts(&buf, "next"), 0); /* still usable, with its bound */
    assert_int_equal(buf.max, 100);
    kd_free(empty);
    kd_free(text);
}

struct row {
    struct kd_str raw;
    const char *json;
};

#define BAD "\xef\xbf\xbd"

static void writes_json_strings(void **state)
{
    static const struct row rows[] = {
        { KD_STR_INIT(""), "\"\"" },
        { KD_STR_INIT("plain text"), "\"plain text\"" },
        { KD_STR_INIT("\"\\/\b\f\n\r\t"), "\"\\\"\\\\/\\b\\f\\n\\r\\t\"" },
        { KD_STR_INIT("\0\x01\x1f\x7f"), "\"\\u0000\\u0001\\u001f\\u007f\"" },
        { KD_STR_INIT("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
          "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"" },
        { KD_STR_INIT("a\xffz"), "\"a" BAD "z\"" },
        { KD_STR_INIT("\x80"), "\"" BAD "\"" },
        { KD_STR_INIT("\xc3"), "\"" BAD "\"" },
        { KD_STR_INIT("\xe2\x82"), "\"" BAD BAD "\"" },
        { KD_STR_INIT("\xe2\x82\""), "\"" BAD BAD "\\\"\"" },
        { KD_STR_INIT("\xc0\xaf"), "\"" BAD BAD "\"" },                 /* too long for its value */
        { KD_STR_INIT("\xe0\x80\xaf"), "\"" BAD BAD BAD "\"" },         /* likewise */
        { KD_STR_INIT("\xed\xa0\x80"), "\"" BAD BAD BAD "\"" },         /* a surrogate */
        { KD_STR_INIT("\xf4\x90\x80\x80"), "\"" BAD BAD BAD BAD "\"" }, /* past the last code */
        { KD_STR_INIT("\xf5\x80\x80\x80"), "\"" BAD BAD BAD BAD "\"" },
        { KD_STR_INIT("\xf4\x8f\xbf\xbf"), "\"\xf4\x8f\xbf\xbf\"" },
        { { NULL, 0 }, "\"\"" },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        KD_AUTO_BUF struct kd_buf buf;
        kd_buf_init(&buf, 1000);
        assert_int_equal(kd_buf_put_json(&buf, rows[i].raw), 0);
        assert_string_equal(buf.ptr, rows[i].json);
    }
}

static void encodes_for_urls(void **state)
{
    KD_AUTO_BUF struct kd_buf buf;
    (void)state;
    kd_buf_init(&buf, 1000);
    assert_int_equal(kd_buf_put_url(&buf, KD_STR("aZ09-._~/?&=+ %\xc3\xa9\0")), 0);
    assert_string_equal(buf.ptr, "aZ09-._~%2F%3F%26%3D%2B%20%25%C3%A9%00");
}

/* Random appends against a flat array. */
static void agrees_with_a_flat_array(void **state)
{
    struct kd_rand rand;
    char model[4096];
    (void)state;
    kd_rand_init(&rand, test_seed());
    for (int round = 0; round < 200; round++) {
        KD_AUTO_BUF struct kd_buf buf;
        size_t max = kd_rand_below(&rand, sizeof(model));
        size_t len = 0;
        kd_buf_init(&buf, max);
        for (int i = 0; i < 50; i++) {
            char piece[300];
            size_t n = kd_rand_below(&rand, sizeof(piece));
            memset(piece, (char)('a' + i % 26), n);
            int rc = kd_buf_put(&buf, piece, n);
            assert_int_equal(rc, len + n <= max ? 0 : KD_ETOOBIG);
            if (rc == 0) {
                memcpy(model + len, piece, n);
                len += n;
            }
            assert_int_equal(buf.len, len);
            assert_true(len == 0 || memcmp(buf.ptr, model, len) == 0);
            assert_true(buf.cap <= max + 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_and_stays_a_c_string),
        cmocka_unit_test(fails_at_its_bound_and_changes_nothing),
        cmocka_unit_test(clear_keeps_only_little_memory),
        cmocka_unit_test(steal_hands_the_bytes_over),
        cmocka_unit_test(writes_json_strings),
        cmocka_unit_test(encodes_for_urls),
        cmocka_unit_test(agrees_with_a_flat_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
