/*
 * The reader on any bytes. What it takes must be walkable to the last value, its strings must come
 * out the same by each way of decoding, and printed anew they must parse again.
 */
#include "base/limits.h"
#include "base/str.h"
#include "json/json.h"

#define DEPTH 64 /* how far the walk goes down */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_string(struct kd_value value)
{
    KD_AUTO_ARENA struct kd_arena arena;
    KD_AUTO_BUF struct kd_buf decoded;
    KD_AUTO_BUF struct kd_buf printed;
    struct kd_str text = { NULL, 0 };
    struct kd_value again;
    kd_arena_init(&arena, KD_MAX_SCRATCH);
    kd_buf_init(&decoded, value.len);
    kd_buf_init(&printed, 6 * value.len + 2);
    KD_ASSERT(kd_json_string(value, &arena, &text) == 0);
    KD_ASSERT(kd_json_string_put(value, &decoded) == 0);
    KD_ASSERT(kd_str_eq(text, kd_buf_str(&decoded)));
    KD_ASSERT(kd_json_string_is(value, text));
    KD_ASSERT(text.len + 2 <= value.len);
    KD_ASSERT(kd_buf_put_json(&printed, text) == 0);
    KD_ASSERT(kd_json_parse(kd_buf_str(&printed), &again, NULL) == 0);
    KD_ASSERT(again.type == KD_JSON_STRING && again.len == printed.len);
}

static void walk(struct kd_value value, unsigned depth)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value child;
    struct kd_value alone;
    int64_t number;
    struct kd_str text = { value.ptr, value.len };
    KD_ASSERT(value.type != KD_JSON_NONE);
    if (value.type < KD_JSON_ARRAY) { /* a scalar stands by itself */
        KD_ASSERT(kd_json_parse(text, &alone, NULL) == 0 && alone.len == value.len);
        KD_ASSERT(kd_json_int(value, &number) < 0 || value.type == KD_JSON_NUMBER);
    }
    if (value.type == KD_JSON_STRING) {
        check_string(value);
    }
    kd_json_iter_init(&iter, value);
    while (kd_json_iter_next(&iter, &key, &child)) {
        KD_ASSERT(child.ptr > value.ptr && child.ptr + child.len < value.ptr + value.len);
        if (value.type == KD_JSON_OBJECT) {
            check_string(key);
        }
        if (depth < DEPTH) {
            walk(child, depth + 1);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kd_value root = { 0 };
    struct kd_value found;
    struct kd_error err = { 0 };
    struct kd_str text = { (const char *)data, size };
    if (kd_json_parse(text, &root, &err) == 0) {
        walk(root, 0);
        (void)kd_json_at(root, "/a/0/~1", &found); /* any answer will do */
    } else {
        KD_ASSERT(root.type == KD_JSON_NONE && err.code < 0 && err.text[0]);
    }
    return 0;
}
