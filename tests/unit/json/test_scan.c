/* The two ways of looking at many bytes at once give what one byte at a time gives. */
#include "tree.h"

#include "json/scan.h"

static void fill(struct kd_rand *rand, char *bytes, size_t n)
{
    static const char special[] = "\"\\{}[]\x1f\x20\x00\x7f\x80\x9f\xa2\xdc\xfb\xfd";
    for (size_t i = 0; i < n; i++) {
        uint64_t dice = kd_rand_next(rand);
        bytes[i] = dice & 1 ? special[dice / 2 % (sizeof(special) - 1)] : (char)(dice >> 8);
    }
}

static uint64_t parity_by_bits(uint64_t bits)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < 64; i++) {
        uint64_t before = i ? result >> (i - 1) & 1 : 0;
        result |= (before ^ (bits >> i & 1)) << i;
    }
    return result;
}

static void counts_and_parities_are_those_of_single_bits(void **state)
{
    struct kd_rand rand;
    (void)state;
    kd_rand_init(&rand, test_seed());
    for (int round = 0; round < 20000; round++) {
        uint64_t bits = kd_rand_next(&rand) & kd_rand_next(&rand);
        uint64_t n = 0;
        for (unsigned i = 0; i < 64; i++) {
            n += bits >> i & 1;
        }
        assert_int_equal(kd_word_count(bits), n);
        assert_int_equal(kd_word_parity(bits), parity_by_bits(bits));
    }
}

static bool is_stop(char c)
{
    return c == '"' || c == '\\' || (unsigned char)c < 0x20;
}

static void masks_are_those_of_single_bytes(void **state)
{
    struct kd_rand rand;
    char bytes[KD_BLOCK];
    (void)state;
    kd_rand_init(&rand, test_seed());
    for (int round = 0; round < 20000; round++) {
        struct kd_block block;
        struct kd_block words;
        fill(&rand, bytes, sizeof(bytes));
        kd_block_load(bytes, &block);
        kd_word_block(bytes, &words);
        assert_memory_equal(&block, &words, sizeof(block));
        assert_int_equal(kd_text_stops(bytes), kd_word_stops(bytes));
        for (unsigned i = 0; i < KD_BLOCK; i++) {
            assert_int_equal(words.quote >> i & 1, bytes[i] == '"');
            assert_int_equal(words.backslash >> i & 1, bytes[i] == '\\');
            assert_int_equal(words.open >> i & 1, bytes[i] == '{' || bytes[i] == '[');
            assert_int_equal(words.close >> i & 1, bytes[i] == '}' || bytes[i] == ']');
        }
        for (unsigned i = 0; i < KD_STRIP; i++) {
            assert_int_equal(kd_word_stops(bytes) >> i & 1, is_stop(bytes[i]));
        }
    }
}

/* One byte at a time. A backslash takes the meaning from a quote or a backslash, from nothing else.
 */
static size_t plain_close(const char *text, size_t len, size_t depth)
{
    bool in_string = false;
    bool escaped = false;
    for (size_t i = 0; i < len; i++) {
        bool was_escaped = escaped;
        escaped = text[i] == '\\' && !was_escaped;
        if (text[i] == '"') {
            in_string = in_string != !was_escaped;
        } else if (!in_string && (text[i] == '{' || text[i] == '[')) {
            depth++;
        } else if (!in_string && (text[i] == '}' || text[i] == ']') && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

static void close_is_found_however_the_text_is_cut(void **state)
{
    static const char letters[] = "{{[[}]}]\"\\\\ab, ";
    struct kd_rand rand;
    unsigned found = 0;
    (void)state;
    kd_rand_init(&rand, test_seed());
    for (int round = 0; round < 20000; round++) {
        size_t len = kd_rand_below(&rand, 400);
        size_t depth = 1 + kd_rand_below(&rand, 20);
        char *text = kd_alloc(len);
        for (size_t i = 0; i < len; i++) {
            text[i] = letters[kd_rand_below(&rand, sizeof(letters) - 1)];
        }
        size_t expected = plain_close(text, len, depth);
        struct kd_scan scan = { .depth = depth };
        struct kd_scan plain = scan;
        const char *behind = NULL;
        for (size_t from = 0; from < len && !behind;) {
            size_t until = from + 1 + kd_rand_below(&rand, len - from);
            behind = kd_scan_close(&scan, text + from, text + until);
            assert_ptr_equal(kd_scan_close_plain(&plain, text + from, text + until), behind);
            from = until;
        }
        assert_memory_equal(&scan, &plain, sizeof(scan));
        assert_int_equal(behind ? (size_t)(behind - text) : 0, expected);
        found += behind != NULL;
        kd_free(text);
    }
    assert_true(found > 1000);
}

static void nothing_is_read_outside(void **state)
{
    struct kd_rand rand;
    (void)state;
    kd_rand_init(&rand, test_seed());
    for (int round = 0; round < 20000; round++) {
        size_t len = 1 + kd_rand_below(&rand, 100);
        char *text = kd_alloc(len); /* the sanitizer stands at its end */
        fill(&rand, text, len);
        text[0] = "{[\"1"[round % 4];
        const char *behind = kd_scan_value(text, text + len);
        assert_true(behind > text && behind <= text + len);
        if (text[0] == '{' || text[0] == '[') {
            struct kd_members members = kd_members_open(text, text + len);
            while (kd_members_next(&members)) {
                const char *next = kd_scan_value(members.value, members.end);
                assert_true(next <= members.end);
                members.pos = next > members.start ? next : members.end;
            }
            assert_true(members.pos <= text + len);
        }
        kd_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_are_those_of_single_bytes),
        cmocka_unit_test(counts_and_parities_are_those_of_single_bits),
        cmocka_unit_test(close_is_found_however_the_text_is_cut),
        cmocka_unit_test(nothing_is_read_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
