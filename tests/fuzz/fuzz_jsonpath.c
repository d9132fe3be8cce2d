/*
 * A template of kindredctl and a document, with a NUL byte between. A template that is refused says
 * at which character; one that is taken makes the same text twice, within its bound.
 */
#include "ctl/jsonpath.h"

#include "base/limits.h"
#include "base/str.h"
#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OUT_MAX (64 * KD_KIB)
#define WIDE_MAX 3 /* "..", "*" and ranges within each other multiply */

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) {
        n++;
    }
    return n;
}

static void fill_in(const struct kd_jsonpath *path, struct kd_str json)
{
    KD_AUTO_BUF struct kd_buf first;
    KD_AUTO_BUF struct kd_buf second;
    struct kd_value root = { 0 };
    kd_buf_init(&first, OUT_MAX);
    kd_buf_init(&second, OUT_MAX);
    if (kd_json_parse(json, &root, NULL) == 0) {
        kd_jsonpath_put(path, root, &first);
        kd_jsonpath_put(path, root, &second);
        KD_ASSERT(kd_buf_failed(&first) == kd_buf_failed(&second));
        KD_ASSERT(kd_str_eq(kd_buf_str(&first), kd_buf_str(&second)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    KD_AUTO_ARENA struct kd_arena arena;
    struct kd_jsonpath path = { NULL };
    struct kd_error err = { 0 };
    kd_arena_init(&arena, 8 * KD_MIB);
    struct kd_str input = kd_arena_copy(&arena, (struct kd_str){ (const char *)data, size });
    KD_ASSERT(input.ptr != NULL);
    const char *template = input.ptr; /* ends with the first NUL byte, or with the input */
    size_t len = strlen(template);
    struct kd_str json = len < size ? (struct kd_str){ template + len + 1, size - len - 1 }
                                    : KD_STR("{\"a\":[{\"b\":1},{\"b\":\"x\"}]}");
    if (kd_jsonpath_parse(template, &arena, &path, &err) < 0) {
        KD_ASSERT(!path.first && strstr(err.text, "character"));
    } else if (count(template, "..") + count(template, "*") + count(template, ":") <= WIDE_MAX) {
        fill_in(&path, json);
    }
    return 0;
}
