/* Any stream, cut anywhere, gives the same objects. */
#include "split_output.h"

/* A list with its fields in any order, written in any way. */
static void make_list(struct maker *maker, struct kd_buf *text)
{
    struct tree *list = tree_new(maker, KD_JSON_OBJECT);
    struct tree **last = &list->first;
    uint64_t n_before = maker_below(maker, 3);
    for (uint64_t i = 0; i < 4; i++) {
        struct tree *field = tree_random(maker, 3);
        field->key = kd_str_from(i % 2 ? "metadata" : "kind");
        if (i == n_before) {
            field = tree_new(maker, KD_JSON_ARRAY);
            field->key = KD_STR("items");
            struct tree **item = &field->first;
            for (uint64_t n = maker_below(maker, 6); n > 0; n--) {
                *item = tree_random(maker, 3);
                item = &(*item)->next;
            }
        }
        *last = field;
        last = &field->next;
    }
    tree_print(maker, list, text);
}

static void make_lines(struct maker *maker, struct kd_buf *text)
{
    bool plain = maker->plain;
    maker->plain = true; /* no newline within a line */
    for (uint64_t n = maker_below(maker, 8); n > 0; n--) {
        tree_print(maker, tree_random(maker, 3), text);
        assert_int_equal(kd_buf_puts(text, maker_below(maker, 3) ? "\n" : "\r\n"), 0);
    }
    maker->plain = plain;
    if (maker_below(maker, 3) == 0) {
        tree_print(maker, tree_random(maker, 2), text);
    }
}

static int by_size(const void *a, const void *b)
{
    size_t left = *(const size_t *)a;
    size_t right = *(const size_t *)b;
    return left < right ? -1 : left > right;
}

static void check_cuts(struct maker *maker, enum kd_split_mode mode, uint64_t max,
                       struct kd_str text)
{
    struct output whole = { 0 };
    struct output pieces = { 0 };
    kd_buf_init(&whole.log, NO_LIMIT);
    kd_buf_init(&pieces.log, NO_LIMIT);
    int rc = split_cut(&whole, mode, max, text, NULL, 0);
    for (size_t i = 0; i <= text.len + 20; i++) {
        size_t cuts[8] = { i }; /* each place once, then many at a time */
        size_t n = i <= text.len ? 1 : KD_ARRAY_LEN(cuts);
        for (size_t k = 0; k < n && i > text.len; k++) {
            cuts[k] = maker_below(maker, text.len + 1);
        }
        qsort(cuts, n, sizeof(cuts[0]), by_size);
        int cut_rc = split_cut(&pieces, mode, max, text, cuts, n);
        if (cut_rc != rc || !kd_str_eq(kd_buf_str(&whole.log), kd_buf_str(&pieces.log))) {
            fail_msg("cut at %zu...: %s\nwhole: %s\npieces: %s", cuts[0], text.ptr, whole.log.ptr,
                     pieces.log.ptr);
        }
    }
    kd_buf_release(&whole.log);
    kd_buf_release(&pieces.log);
}

static void cuts_change_nothing(void **state)
{
    struct maker maker;
    KD_AUTO_BUF struct kd_buf text;
    (void)state;
    maker_init(&maker, test_seed());
    kd_buf_init(&text, NO_LIMIT);
    for (int round = 0; round < 300; round++) {
        enum kd_split_mode mode = round % 2 ? KD_SPLIT_LIST : KD_SPLIT_LINES;
        kd_arena_reset(&maker.arena, KD_MIB);
        kd_buf_clear(&text, KD_MIB);
        maker.plain = maker_below(&maker, 2);
        if (mode == KD_SPLIT_LIST) {
            make_list(&maker, &text);
        } else {
            make_lines(&maker, &text);
        }
        if (text.len && maker_below(&maker, 4) == 0) { /* damaged */
            text.ptr[maker_below(&maker, text.len)] = "{}[]\",\\\n"[maker_below(&maker, 8)];
        }
        uint64_t max = maker_below(&maker, 3) ? NO_LIMIT : 1 + maker_below(&maker, 60);
        check_cuts(&maker, mode, max, (struct kd_str){ text.len ? text.ptr : "", text.len });
    }
    kd_arena_release(&maker.arena);
}

/* A document whose items are known, against the model's text of each. */
static void items_come_as_they_stand(void **state)
{
    struct maker maker;
    KD_AUTO_BUF struct kd_buf text;
    KD_AUTO_BUF struct kd_buf expected;
    struct output out = { 0 };
    (void)state;
    maker_init(&maker, test_seed());
    kd_buf_init(&text, NO_LIMIT);
    kd_buf_init(&expected, NO_LIMIT);
    kd_buf_init(&out.log, NO_LIMIT);
    for (int round = 0; round < 1000; round++) {
        kd_arena_reset(&maker.arena, KD_MIB);
        kd_buf_clear(&text, KD_MIB);
        kd_buf_clear(&expected, KD_MIB);
        uint64_t n = maker_below(&maker, 5);
        assert_int_equal(kd_buf_puts(&text, "{\"kind\":\"L\",\"items\": ["), 0);
        for (uint64_t i = 0; i < n; i++) {
            put_space(&maker, &text);
            size_t start = text.len;
            tree_print(&maker, tree_random(&maker, 3), &text);
            assert_int_equal(
                kd_buf_printf(&expected, "<%.*s>\n", (int)(text.len - start), text.ptr + start), 0);
            put_space(&maker, &text);
            assert_int_equal(kd_buf_puts(&text, i + 1 < n ? "," : ""), 0);
        }
        assert_int_equal(kd_buf_puts(&text, "]}"), 0);
        assert_int_equal(kd_buf_puts(&expected, "end 0 {\"kind\":\"L\",\"items\":[]}\n"), 0);
        assert_int_equal(split(&out, KD_SPLIT_LIST, text.ptr), 0);
        assert_string_equal(out.log.ptr, expected.ptr);
        assert_int_equal(out.n_in_place, out.n);
    }
    kd_buf_release(&out.log);
    kd_arena_release(&maker.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_change_nothing),
        cmocka_unit_test(items_come_as_they_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
