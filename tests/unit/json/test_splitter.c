/* The splitter by example: lists, lines, errors, sizes and bounds. */
#include "split_output.h"

static void expect(enum kd_split_mode mode, const char *text, const char *log)
{
    struct output out = { 0 };
    kd_buf_init(&out.log, NO_LIMIT);
    (void)split(&out, mode, text); /* the log says how it ended */
    assert_string_equal(out.log.ptr, log);
    size_t cuts[1024]; /* and one byte at a time */
    assert_true(strlen(text) < KD_ARRAY_LEN(cuts));
    for (size_t i = 0; i < strlen(text); i++) {
        cuts[i] = i;
    }
    (void)split_cut(&out, mode, NO_LIMIT, kd_str_from(text), cuts, strlen(text));
    assert_string_equal(out.log.ptr, log);
    kd_buf_release(&out.log);
}

static void list_by_example(void **state)
{
    (void)state;
    expect(KD_SPLIT_LIST, "{}", "end 0 {}\n");
    expect(KD_SPLIT_LIST, " { \"kind\" : \"PodList\" } \n", "end 0 {\"kind\":\"PodList\"}\n");
    expect(KD_SPLIT_LIST, "{\"items\":[]}", "end 0 {\"items\":[]}\n");
    expect(KD_SPLIT_LIST, "{\"items\": null ,\"a\":1}", "end 0 {\"items\":[],\"a\":1}\n");
    expect(KD_SPLIT_LIST, "{\"items\":[{\"a\":1},{\"b\":\"]}\\\"\"} , {}\n]}",
           "<{\"a\":1}>\n<{\"b\":\"]}\\\"\"}>\n<{}>\nend 0 {\"items\":[]}\n");
    expect(KD_SPLIT_LIST, "{\"it\\u0065ms\":[{}],\"x\":\"\\\\\"}",
           "<{}>\nend 0 {\"it\\u0065ms\":[],\"x\":\"\\\\\"}\n");
    expect(KD_SPLIT_LIST,
           "{\"metadata\":{\"items\":[{\"no\":1}],\"remainingItemCount\":3},\"items\":[{}],"
           "\"Items\":[1],\"items2\":\"items\"}",
           "<{}>\nend 0 {\"metadata\":{\"items\":[{\"no\":1}],\"remainingItemCount\":3},"
           "\"items\":[],\"Items\":[1],\"items2\":\"items\"}\n");
    expect(KD_SPLIT_LIST, "{\"items\":[1,\"a\\\\\\\"]\",null,[2,[3]],-1.5e3]}",
           "<1>\n<\"a\\\\\\\"]\">\n<null>\n<[2,[3]]>\n<-1.5e3>\nend 0 {\"items\":[]}\n");
    expect(KD_SPLIT_LIST, "{\"a\":-12.5 ,\"b\":true}", "end 0 {\"a\":-12.5,\"b\":true}\n");
}

static void list_refuses_what_is_none(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        "[]",
        "null",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"items\":[",
        "{\"items\":[{}",
        "{\"items\":[{}]",
        "{\"items\":[{},]}",
        "{\"items\":[,{}]}",
        "{\"items\":[{} {}]}",
        "{\"items\":{}}",
        "{\"items\":\"\"}",
        "{\"items\":nulx}",
        "{\"items\":nul}",
        "{\"a\":1,}",
        "{,}",
        "{\"a\" 1}",
        "{a:1}",
        "{} {}",
        "{}x",
        "{\"a\":tru}",
        "{\"a\":[1 2]}",
        "{\"a\":{]}",
        "{\"it\\u00ems\":[]}",
        "{\"a\nb\":1}",
        "{\"items\":[}]}",
        "<html>",
    };
    struct output out = { 0 };
    (void)state;
    kd_buf_init(&out.log, NO_LIMIT);
    for (size_t i = 0; i < KD_ARRAY_LEN(texts); i++) {
        if (split(&out, KD_SPLIT_LIST, texts[i]) != KD_EPARSE) {
            fail_msg("taken: %s", texts[i]);
        }
    }
    kd_buf_release(&out.log);
}

static void errors_name_the_offset(void **state)
{
    struct output out = { 0 };
    struct kd_error err = { 0 };
    (void)state;
    kd_buf_init(&out.log, NO_LIMIT);
    struct kd_splitter *splitter = begin(&out, KD_SPLIT_LIST, NO_LIMIT);
    assert_int_equal(kd_splitter_feed(splitter, "{\"a\":1 ", 7, &err), 0);
    assert_int_equal(kd_splitter_feed(splitter, " ?", 2, &err), KD_EPARSE);
    assert_string_equal(err.text, "list, byte 8: ',' or '}' expected");
    assert_int_equal(kd_splitter_feed(splitter, "}", 1, &err), KD_EPARSE); /* stays failed */
    assert_int_equal(kd_splitter_finish(splitter, &err), KD_EPARSE);
    kd_splitter_free(splitter);
    splitter = begin(&out, KD_SPLIT_LIST, NO_LIMIT);
    assert_int_equal(kd_splitter_feed(splitter, "{\"items\":[{", 11, &err), 0);
    assert_int_equal(kd_splitter_finish(splitter, &err), KD_EPARSE);
    assert_string_equal(err.text, "the list was cut off after 11 bytes");
    kd_splitter_free(splitter);
    kd_splitter_free(NULL);
    kd_buf_release(&out.log);
}

static void lines_by_example(void **state)
{
    (void)state;
    expect(KD_SPLIT_LINES, "", "end 0 \n");
    expect(KD_SPLIT_LINES, "{\"a\":1}\n{\"b\":2}\n", "<{\"a\":1}>\n<{\"b\":2}>\nend 0 \n");
    expect(KD_SPLIT_LINES, "{}\r\n\r\n\n  \t\n{}\r\n", "<{}>\n<{}>\nend 0 \n");
    expect(KD_SPLIT_LINES, "{\"whole\":1}", "<{\"whole\":1}>\nend 0 \n");
    expect(KD_SPLIT_LINES, "{}\n{\"whole\":1} \r", "<{}>\n<{\"whole\":1} >\nend 0 \n");
    expect(KD_SPLIT_LINES, "{}\n{\"cut\":", "<{}>\nend -6 \n");
    expect(KD_SPLIT_LINES, "{}\n \r", "<{}>\nend 0 \n");
    expect(KD_SPLIT_LINES, "not json\n", "<not json>\nend 0 \n");
}

static void put_big(struct kd_buf *text, size_t size)
{
    size_t start = text->len;
    assert_int_equal(kd_buf_puts(text, "{\"metadata\":{\"name\":\"big\"},\"data\":\""), 0);
    while (text->len - start + 2 < size) {
        size_t left = size - (text->len - start) - 2;
        assert_int_equal(kd_buf_put(text, "\\\\}]{[x]", left < 8 ? left / 2 * 2 : 8), 0);
        if (left == 1) {
            assert_int_equal(kd_buf_putc(text, 'x'), 0);
        }
    }
    assert_int_equal(kd_buf_puts(text, "\"}"), 0);
    assert_int_equal(text->len - start, size);
}

static int feed_all(struct kd_splitter *splitter, struct output *out, struct kd_str text,
                    size_t chunk, size_t *ret_most)
{
    size_t most = 0;
    int rc = 0;
    for (size_t at = 0; at < text.len && rc == 0; at += chunk) {
        rc = feed(splitter, out, text.ptr + at, text.len - at < chunk ? text.len - at : chunk);
        most = kd_splitter_memory(splitter) > most ? kd_splitter_memory(splitter) : most;
    }
    *ret_most = most;
    return rc;
}

static void big_ones_pass_and_memory_falls_back(void **state)
{
    static const size_t chunks[] = { 1000, 16384, 100001, 8 * KD_MIB };
    KD_AUTO_BUF struct kd_buf text;
    struct output out = { 0 };
    (void)state;
    kd_buf_init(&text, NO_LIMIT);
    kd_buf_init(&out.log, NO_LIMIT);
    for (size_t i = 0; i < 2 * KD_ARRAY_LEN(chunks); i++) {
        enum kd_split_mode mode = i % 2 ? KD_SPLIT_LIST : KD_SPLIT_LINES;
        struct kd_splitter *splitter = begin(&out, mode, NO_LIMIT);
        size_t most = 0;
        kd_buf_clear(&text, NO_LIMIT);
        assert_int_equal(kd_buf_puts(&text, mode == KD_SPLIT_LIST ? "{\"items\":[" : ""), 0);
        put_big(&text, 3 * KD_MIB);
        assert_int_equal(kd_buf_puts(&text, mode == KD_SPLIT_LIST ? ",{}]}" : "\n{}\n"), 0);
        assert_int_equal(feed_all(splitter, &out, kd_buf_str(&text), chunks[i / 2], &most), 0);
        assert_int_equal(out.n, 2);
        assert_true(most <= 8 * KD_MIB);
        assert_true(kd_splitter_memory(splitter) <= 128 * KD_KIB);
        assert_int_equal(end(splitter, &out, 0), 0);
    }
    kd_buf_release(&out.log);
}

static void too_big_ones_are_skipped_by_size(void **state)
{
    static const size_t chunks[] = { 1, 1000, 65536, 8 * KD_MIB };
    KD_AUTO_BUF struct kd_buf text;
    struct output out = { 0 };
    const size_t max = 300 * KD_KIB;
    (void)state;
    kd_buf_init(&text, NO_LIMIT);
    kd_buf_init(&out.log, NO_LIMIT);
    for (size_t i = 0; i < 2 * KD_ARRAY_LEN(chunks); i++) {
        enum kd_split_mode mode = i % 2 ? KD_SPLIT_LIST : KD_SPLIT_LINES;
        const char *sep = mode == KD_SPLIT_LIST ? "," : "\r\n";
        size_t most = 0;
        kd_buf_clear(&text, NO_LIMIT);
        assert_int_equal(kd_buf_puts(&text, mode == KD_SPLIT_LIST ? "{\"items\":[" : ""), 0);
        put_big(&text, max);
        assert_int_equal(kd_buf_puts(&text, sep), 0);
        put_big(&text, max + 1);
        assert_int_equal(kd_buf_puts(&text, sep), 0);
        put_big(&text, 2 * KD_MIB + 5);
        assert_int_equal(kd_buf_puts(&text, sep), 0);
        assert_int_equal(kd_buf_puts(&text, mode == KD_SPLIT_LIST ? "{}]}" : "{}\n"), 0);
        struct kd_splitter *splitter = begin(&out, mode, max);
        assert_int_equal(feed_all(splitter, &out, kd_buf_str(&text), chunks[i / 2], &most), 0);
        assert_true(most <= 1 * KD_MIB);
        assert_true(kd_splitter_memory(splitter) <= 128 * KD_KIB);
        assert_int_equal(end(splitter, &out, 0), 0);
        assert_int_equal(out.n, 2);
        assert_int_equal(out.n_skipped, 2);
        assert_non_null(strstr(out.log.ptr, "skipped 307201 <{\"metadata\":{\"name\":\"big\"}"));
        assert_non_null(strstr(out.log.ptr, "skipped 2097157 <{\"metadata\":{\"name\":\"big\"}"));
    }
    kd_buf_release(&out.log);
}

static void the_envelope_is_bounded(void **state)
{
    KD_AUTO_BUF struct kd_buf text;
    struct output out = { 0 };
    (void)state;
    kd_buf_init(&text, NO_LIMIT);
    kd_buf_init(&out.log, NO_LIMIT);
    assert_int_equal(kd_buf_puts(&text, "{\"a\":"), 0);
    put_big(&text, KD_MAX_ENVELOPE - 6);
    assert_int_equal(kd_buf_puts(&text, "}"), 0);
    assert_int_equal(split(&out, KD_SPLIT_LIST, text.ptr), 0);
    kd_buf_clear(&text, 0);
    assert_int_equal(kd_buf_puts(&text, "{\"a\":"), 0);
    put_big(&text, KD_MAX_ENVELOPE - 5);
    assert_int_equal(kd_buf_puts(&text, "}"), 0);
    assert_int_equal(split(&out, KD_SPLIT_LIST, text.ptr), KD_ETOOBIG);
    kd_buf_release(&out.log);
}

static void a_sink_that_refuses_ends_the_feed(void **state)
{
    struct output out = { .fail_at = 2 };
    (void)state;
    kd_buf_init(&out.log, NO_LIMIT);
    assert_int_equal(split(&out, KD_SPLIT_LIST, "{\"items\":[1,2,3]}"), KD_ECANCELED);
    assert_int_equal(out.n, 2);
    assert_int_equal(split(&out, KD_SPLIT_LINES, "1\n2\n3\n"), KD_ECANCELED);
    assert_int_equal(out.n, 2);
    assert_int_equal(split(&out, KD_SPLIT_LINES, "1\n2"), KD_ECANCELED);
    kd_buf_release(&out.log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_by_example),
        cmocka_unit_test(list_refuses_what_is_none),
        cmocka_unit_test(errors_name_the_offset),
        cmocka_unit_test(lines_by_example),
        cmocka_unit_test(big_ones_pass_and_memory_falls_back),
        cmocka_unit_test(too_big_ones_are_skipped_by_size),
        cmocka_unit_test(the_envelope_is_bounded),
        cmocka_unit_test(a_sink_that_refuses_ends_the_feed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
