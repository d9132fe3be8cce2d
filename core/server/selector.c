#include "server/selector.h"

#include "base/str.h"
#include "json/json.h"

enum op { OP_IN, OP_NOT_IN, OP_EXISTS, OP_MISSING, OP_ABOVE, OP_BELOW };

/* One requirement; all of a list must hold. */
struct kd_selector {
    const struct kd_selector *next;
    enum op op;
    bool is_field;
    struct kd_str key; /* a label's key, or a JSON pointer */
    struct kd_str *values;
    size_t n_values;
    int64_t bound; /* of OP_ABOVE and OP_BELOW */
};

struct reader {
    struct kd_str all;
    size_t pos;
    bool is_field;
    struct kd_arena *arena;
    struct kd_error *reterr;
};

static int bad(struct reader *reader, const char *what)
{
    return kd_fail(reader->reterr, KD_EINVAL, "selector \"" KD_STR_FMT "\": %s at character %zu",
                   KD_STR_ARG(reader->all), what, reader->pos + 1);
}

static char peek(const struct reader *reader)
{
    return reader->pos < reader->all.len ? reader->all.ptr[reader->pos] : '\0';
}

static void skip_space(struct reader *reader)
{
    while (peek(reader) == ' ' || peek(reader) == '\t') {
        reader->pos++;
    }
}

static bool take(struct reader *reader, const char *text)
{
    struct kd_str token = kd_str_from(text);
    skip_space(reader);
    struct kd_str rest = { reader->all.ptr + reader->pos, reader->all.len - reader->pos };
    if (!kd_str_starts(rest, token)) {
        return false;
    }
    reader->pos += token.len;
    return true;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/' || (unsigned char)c >= 0x80;
}

static struct kd_str take_word(struct reader *reader)
{
    skip_space(reader);
    size_t start = reader->pos;
    while (is_word(peek(reader))) {
        reader->pos++;
    }
    return (struct kd_str){ reader->all.ptr + start, reader->pos - start };
}

/* A field's value: up to the next "," that no backslash stands before. */
static int take_field_value(struct reader *reader, struct kd_str *ret)
{
    size_t n = 0;
    char *out = kd_arena_alloc(reader->arena, reader->all.len - reader->pos + 1);
    KD_ENSURE(out, KD_ENOMEM);
    for (; reader->pos < reader->all.len && peek(reader) != ','; reader->pos++) {
        if (peek(reader) == '=') {
            return bad(reader, "write \"\\=\" for an equals sign in a value,");
        }
        if (peek(reader) == '\\') {
            reader->pos++;
            if (!strchr("\\,=", peek(reader)) || peek(reader) == '\0') {
                return bad(reader, "a backslash stands before \"\\\", \",\" or \"=\" only,");
            }
        }
        out[n++] = peek(reader);
    }
    *ret = (struct kd_str){ out, n };
    return 0;
}

/* Decimal, with a sign or without. */
static bool to_int(struct kd_str text, int64_t *ret)
{
    const uint64_t max = INT64_MAX;
    uint64_t size = 0;
    bool negative = text.len > 0 && text.ptr[0] == '-';
    struct kd_str digits = { text.ptr + negative, text.len - negative };
    if (!kd_str_to_u64(digits, &size) || size > max) {
        return false;
    }
    *ret = negative ? -(int64_t)size : (int64_t)size;
    return true;
}

static int take_bound(struct reader *reader, struct kd_selector *one, enum op op)
{
    one->op = op;
    return to_int(take_word(reader), &one->bound) ? 0 : bad(reader, "a whole number expected");
}

static int take_values(struct reader *reader, struct kd_selector *one)
{
    size_t room = 1;
    for (size_t i = reader->pos; i < reader->all.len && reader->all.ptr[i] != ')'; i++) {
        room += reader->all.ptr[i] == ',';
    }
    one->values = kd_arena_alloc(reader->arena, room * sizeof(*one->values));
    if (!one->values) {
        return KD_ENOMEM;
    }
    if (!take(reader, "(")) {
        return bad(reader, "\"(\" expected");
    }
    do {
        one->values[one->n_values++] = take_word(reader);
    } while (one->n_values < room && take(reader, ","));
    return take(reader, ")") ? 0 : bad(reader, "\")\" expected");
}

static int take_one_value(struct reader *reader, struct kd_selector *one, enum op op)
{
    one->op = op;
    one->values = kd_arena_alloc(reader->arena, sizeof(*one->values));
    KD_ENSURE(one->values, KD_ENOMEM);
    one->n_values = 1;
    if (reader->is_field) {
        return take_field_value(reader, &one->values[0]);
    }
    one->values[0] = take_word(reader);
    return 0;
}

static int take_operator(struct reader *reader, struct kd_selector *one)
{
    if (take(reader, "!=")) {
        return take_one_value(reader, one, OP_NOT_IN);
    }
    if (take(reader, "==") || take(reader, "=")) {
        return take_one_value(reader, one, OP_IN);
    }
    if (take(reader, ">")) {
        return take_bound(reader, one, OP_ABOVE);
    }
    if (take(reader, "<")) {
        return take_bound(reader, one, OP_BELOW);
    }
    size_t before = reader->pos;
    struct kd_str word = take_word(reader);
    if (!reader->is_field && (kd_str_is(word, "in") || kd_str_is(word, "notin"))) {
        one->op = word.len == 2 ? OP_IN : OP_NOT_IN;
        return take_values(reader, one);
    }
    reader->pos = before;
    one->op = OP_EXISTS;
    return word.len == 0 ? 0 : bad(reader, "an operator expected");
}

static int take_requirement(struct reader *reader, struct kd_selector *one)
{
    bool missing = take(reader, "!");
    one->key = take_word(reader);
    if (one->key.len == 0) {
        return bad(reader, "a key expected");
    }
    if (missing) {
        one->op = OP_MISSING;
        return 0;
    }
    return take_operator(reader, one);
}

/* "spec.nodeName" to "/spec/nodeName", NUL-terminated. */
static int to_pointer(struct reader *reader, struct kd_selector *one)
{
    char *pointer = kd_arena_alloc(reader->arena, one->key.len + 2);
    KD_ENSURE(pointer, KD_ENOMEM);
    pointer[0] = '/';
    for (size_t i = 0; i < one->key.len; i++) {
        pointer[i + 1] = one->key.ptr[i] == '.' ? '/' : one->key.ptr[i];
    }
    pointer[one->key.len + 1] = '\0';
    one->key = (struct kd_str){ pointer, one->key.len + 1 };
    one->is_field = true;
    return one->n_values == 1 ? 0 : bad(reader, "= or != expected");
}

static int parse(struct kd_str text, bool is_field, struct kd_arena *arena,
                 const struct kd_selector **ret, struct kd_error *reterr)
{
    struct reader reader = { text, 0, is_field, arena, reterr };
    const struct kd_selector *first = NULL;
    *ret = NULL;
    if (kd_str_trim(text).len == 0) {
        return 0;
    }
    do {
        struct kd_selector *one = kd_arena_alloc(arena, sizeof(*one));
        KD_ENSURE(one, KD_ENOMEM);
        *one = (struct kd_selector){ 0 };
        KD_TRY(take_requirement(&reader, one));
        if (is_field) {
            KD_TRY(to_pointer(&reader, one));
        }
        one->next = first;
        first = one;
    } while (take(&reader, ","));
    skip_space(&reader);
    if (reader.pos < text.len) {
        return bad(&reader, "\",\" or the end expected");
    }
    *ret = first;
    return 0;
}

int kd_label_selector_parse(struct kd_str text, struct kd_arena *arena,
                            const struct kd_selector **ret, struct kd_error *reterr)
{
    return parse(text, false, arena, ret, reterr);
}

int kd_field_selector_parse(struct kd_str text, struct kd_arena *arena,
                            const struct kd_selector **ret, struct kd_error *reterr)
{
    return parse(text, true, arena, ret, reterr);
}

/* A field that is not there equals the empty string, as the API server has it. */
static bool field_text(struct kd_value root, struct kd_str pointer, struct kd_arena *scratch,
                       struct kd_str *ret)
{
    struct kd_value value;
    *ret = (struct kd_str){ "", 0 };
    if (!kd_json_at(root, pointer.ptr, &value) || value.type == KD_JSON_NULL) {
        return true;
    }
    if (value.type == KD_JSON_STRING) {
        return kd_json_string(value, scratch, ret) == 0;
    }
    *ret = (struct kd_str){ value.ptr, value.len };
    return value.type == KD_JSON_BOOL || value.type == KD_JSON_NUMBER;
}

static bool holds(const struct kd_selector *one, struct kd_value root, struct kd_arena *scratch)
{
    struct kd_value value = { 0 };
    struct kd_str text = { NULL, 0 };
    bool present = one->is_field ? field_text(root, one->key, scratch, &text)
                                 : kd_json_get(root, one->key, &value) &&
                                       kd_json_string(value, scratch, &text) == 0;
    bool listed = false;
    int64_t number = 0;
    for (size_t i = 0; present && !listed && i < one->n_values; i++) {
        listed = kd_str_eq(text, one->values[i]);
    }
    switch (one->op) {
    case OP_IN:
        return listed;
    case OP_NOT_IN:
        return !listed;
    case OP_EXISTS:
        return present;
    case OP_MISSING:
        return !present;
    case OP_ABOVE:
        return present && to_int(text, &number) && number > one->bound;
    case OP_BELOW:
        return present && to_int(text, &number) && number < one->bound;
    }
    return false;
}

bool kd_selector_matches(const struct kd_selector *selector, struct kd_str json,
                         struct kd_arena *scratch)
{
    struct kd_value root = { 0 };
    if (selector && json.len > 0 && kd_json_parse(json, &root, NULL) < 0) {
        return false;
    }
    for (const struct kd_selector *one = selector; one; one = one->next) {
        if (!holds(one, root, scratch)) {
            return false;
        }
    }
    return true;
}
