/* Decoding of strings. Decoded text is never longer than its raw form. */
#include "base/str.h"
#include "json/json.h"

#define REPLACEMENT 0xfffdu

struct body {
    const char *pos;
    const char *end;
};

/* What stands between the quotes. */
static struct body body_of(struct kd_value string)
{
    return (struct body){ string.ptr + 1, string.ptr + string.len - 1 };
}

static uint32_t hex4(const char *pos)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        char c = pos[i];
        code = code << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return code;
}

static size_t put_utf8(uint32_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t len = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    out[0] = (char)(0xf00u >> len | code);
    return len;
}

/* The code point of "\uXXXX", of two of them when they are a pair. *pos stands on the 'u'. */
static uint32_t take_code(struct body *body)
{
    uint32_t code = hex4(body->pos + 1);
    body->pos += 5;
    if (code < 0xd800 || code > 0xdfff) {
        return code;
    }
    bool pair =
        code <= 0xdbff && body->end - body->pos >= 6 && body->pos[0] == '\\' && body->pos[1] == 'u';
    uint32_t low = pair ? hex4(body->pos + 2) : 0;
    if (low < 0xdc00 || low > 0xdfff) {
        return REPLACEMENT;
    }
    body->pos += 6;
    return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

/* Decodes the escape at pos (on its backslash) into out; returns the length, 0 when cut off. */
static size_t take_escape(struct body *body, char out[4])
{
    static const char from[] = "bfnrt";
    static const char to[] = "\b\f\n\r\t";
    body->pos++;
    if (body->pos == body->end) {
        return 0;
    }
    char c = *body->pos;
    if (c == 'u') {
        if (body->end - body->pos < 5) {
            body->pos = body->end;
            return 0;
        }
        return put_utf8(take_code(body), out);
    }
    const char *at = memchr(from, c, sizeof(from) - 1);
    out[0] = at ? to[at - from] : c;
    body->pos++;
    return 1;
}

/* The next stretch of decoded text: a plain run in place, or an escape in `store`. */
static bool next_run(struct body *body, char store[4], struct kd_str *ret)
{
    if (body->pos == body->end) {
        return false;
    }
    if (*body->pos == '\\') {
        *ret = (struct kd_str){ store, take_escape(body, store) };
        return true;
    }
    size_t left = (size_t)(body->end - body->pos);
    const char *backslash = memchr(body->pos, '\\', left);
    size_t len = backslash ? (size_t)(backslash - body->pos) : left;
    *ret = (struct kd_str){ body->pos, len };
    body->pos += len;
    return true;
}

bool kd_json_string_is(struct kd_value string, struct kd_str key)
{
    if (string.type != KD_JSON_STRING || string.len < key.len + 2) {
        return false;
    }
    struct body body = body_of(string);
    bool escaped = memchr(body.pos, '\\', (size_t)(body.end - body.pos)) != NULL;
    if (!escaped) {
        return kd_str_eq((struct kd_str){ body.pos, string.len - 2 }, key);
    }
    char store[4];
    struct kd_str run;
    while (next_run(&body, store, &run)) {
        if (!kd_str_starts(key, run)) {
            return false;
        }
        key = (struct kd_str){ key.ptr + run.len, key.len - run.len };
    }
    return key.len == 0;
}

int kd_json_string(struct kd_value value, struct kd_arena *arena, struct kd_str *ret)
{
    KD_ENSURE(value.type == KD_JSON_STRING, KD_EINVAL);
    struct body body = body_of(value);
    if (!memchr(body.pos, '\\', (size_t)(body.end - body.pos))) {
        *ret = (struct kd_str){ body.pos, value.len - 2 };
        return 0;
    }
    char *out = kd_arena_alloc(arena, value.len - 2);
    KD_ENSURE(out, KD_ENOMEM);
    char store[4];
    struct kd_str run;
    uint64_t len = 0;
    while (next_run(&body, store, &run)) {
        memcpy(out + len, run.ptr, run.len);
        len += run.len;
    }
    *ret = (struct kd_str){ out, len };
    return 0;
}

int kd_json_string_put(struct kd_value value, struct kd_buf *buf)
{
    KD_ENSURE(value.type == KD_JSON_STRING, KD_EINVAL);
    struct body measured = body_of(value);
    struct body body = measured;
    char store[4];
    struct kd_str run;
    size_t len = 0;
    while (next_run(&measured, store, &run)) {
        len += run.len;
    }
    KD_TRY(kd_buf_reserve(buf, len)); /* all of it or nothing */
    while (next_run(&body, store, &run)) {
        KD_TRY(kd_buf_put_str(buf, run));
    }
    return 0;
}
