/*
 * The list mode: a state machine over the list's own fields that takes the elements of "items" out.
 * Each step takes some bytes or changes the state; what is within a value is passed over by its
 * brackets and quotes.
 */
#include "base/error.h"
#include "json/json.h"
#include "json/split.h"

static int malformed(struct kd_splitter *self, const struct kd_span *in, const char *expected,
                     struct kd_error *reterr)
{
    uint64_t at = self->offset + (uint64_t)(in->pos - in->begin);
    return kd_fail(reterr, KD_EPARSE, "list, byte %llu: %s expected", (unsigned long long)at,
                   expected);
}

static int to_envelope(struct kd_splitter *self, const char *ptr, size_t len,
                       struct kd_error *reterr)
{
    int rc = kd_buf_put(&self->envelope, ptr, len);
    return rc < 0 ? kd_fail(reterr, rc, "the list's own fields: %s", kd_errno_text(rc)) : 0;
}

/* One byte of punctuation. */
static int take_mark(struct kd_splitter *self, struct kd_span *in, enum kd_split_state next,
                     struct kd_error *reterr)
{
    self->state = next;
    return to_envelope(self, in->pos++, 1, reterr);
}

/* Bytes up to `until` of the value at hand, and its end when `whole`. */
static int take_run(struct kd_splitter *self, struct kd_span *in, const char *until, bool whole,
                    struct kd_error *reterr)
{
    struct kd_str run = { in->pos, (uint64_t)(until - in->pos) };
    in->pos = until;
    if (!self->in_item) {
        return to_envelope(self, run.ptr, run.len, reterr);
    }
    int rc =
        whole ? kd_gather_end(&self->object, &self->sink, run) : kd_gather_add(&self->object, run);
    return rc < 0 ? kd_fail(reterr, rc, "list item: %s", kd_errno_text(rc)) : 0;
}

/* Starts a value by its first byte, without taking it. */
static int begin_value(struct kd_splitter *self, struct kd_span *in, enum kd_split_state then,
                       struct kd_error *reterr)
{
    uint32_t type = kd_scan_type(*in->pos);
    if (type == KD_JSON_NONE) {
        return malformed(self, in, "a value", reterr);
    }
    self->then = then;
    self->quoted = false;
    self->scan = (struct kd_scan){ 0 };
    self->state = type == KD_JSON_STRING                            ? KD_IN_STRING
                  : type == KD_JSON_OBJECT || type == KD_JSON_ARRAY ? KD_IN_NESTED
                                                                    : KD_IN_SCALAR;
    return 0;
}

static int at_start(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr)
{
    return *in->pos == '{' ? take_mark(self, in, KD_AT_FIRST_KEY, reterr)
                           : malformed(self, in, "'{'", reterr);
}

static int at_key(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr)
{
    if (self->state == KD_AT_FIRST_KEY && *in->pos == '}') {
        return take_mark(self, in, KD_AT_END, reterr);
    }
    if (*in->pos != '"') {
        return malformed(self, in, "a key", reterr);
    }
    self->key_start = self->envelope.len;
    return begin_value(self, in, KD_AT_COLON, reterr);
}

static int at_colon(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr)
{
    struct kd_value key;
    struct kd_str raw = { self->envelope.ptr + self->key_start,
                          self->envelope.len - self->key_start };
    if (*in->pos != ':' || kd_json_parse(raw, &key, NULL) < 0) {
        return malformed(self, in, "a key and ':'", reterr);
    }
    bool items = kd_json_string_is(key, KD_STR("items"));
    return take_mark(self, in, items ? KD_AT_ITEMS : KD_AT_VALUE, reterr);
}

static int at_value(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr)
{
    return begin_value(self, in, KD_AFTER_VALUE, reterr);
}

static int after_value(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr)
{
    if (*in->pos == ',') {
        return take_mark(self, in, KD_AT_KEY, reterr);
    }
    return *in->pos == '}' ? take_mark(self, in, KD_AT_END, reterr)
                           : malformed(self, in, "',' or '}'", reterr);
}

static int at_items(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr)
{
    if (*in->pos == 'n') {
        self->state = KD_IN_NULL;
        self->null_seen = 0;
    } else if (*in->pos == '[') {
        self->state = KD_AT_FIRST_ITEM;
        in->pos++;
    } else {
        return malformed(self, in, "an array of items", reterr);
    }
    return to_envelope(self, "[]", 2, reterr);
}

static int in_null(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr)
{
    static const char word[] = "null";
    if (*in->pos != word[self->null_seen]) {
        return malformed(self, in, "null", reterr);
    }
    in->pos++;
    self->null_seen++;
    if (word[self->null_seen] == '\0') {
        self->state = KD_AFTER_VALUE;
    }
    return 0;
}

static int end_items(struct kd_splitter *self, struct kd_span *in)
{
    self->in_item = false;
    self->state = KD_AFTER_VALUE;
    in->pos++;
    return 0;
}

static int at_item(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr)
{
    if (self->state == KD_AT_FIRST_ITEM && *in->pos == ']') {
        return end_items(self, in);
    }
    self->in_item = true;
    return begin_value(self, in, KD_AFTER_ITEM, reterr);
}

static int after_item(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr)
{
    if (*in->pos == ',') {
        self->state = KD_AT_ITEM;
        in->pos++;
        return 0;
    }
    return *in->pos == ']' ? end_items(self, in) : malformed(self, in, "',' or ']'", reterr);
}

/* Moves *pos behind the closing quote (true) or to the end of the chunk. */
static bool close_string(struct kd_splitter *self, const char **pos, const char *end)
{
    while (*pos < end) {
        if (self->scan.escaped) {
            self->scan.escaped = 0;
            (*pos)++;
            continue;
        }
        *pos = kd_scan_plain(*pos, end);
        char c = *pos < end ? *(*pos)++ : ' ';
        self->scan.escaped = c == '\\';
        if (c == '"') {
            return true;
        }
    }
    return false; /* a control character is for the parser to refuse */
}

static int in_string(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr)
{
    const char *pos = in->pos + !self->quoted;
    self->quoted = true;
    bool whole = close_string(self, &pos, in->end);
    self->state = whole ? self->then : self->state;
    return take_run(self, in, pos, whole, reterr);
}

static int in_scalar(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr)
{
    const char *behind = kd_scan_scalar(in->pos, in->end);
    bool whole = behind < in->end;
    self->state = whole ? self->then : self->state;
    return take_run(self, in, behind, whole, reterr);
}

static int in_nested(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr)
{
    const char *pos = in->pos;
    if (self->scan.depth == 0) {
        self->scan.depth = 1;
        pos++;
    }
    const char *behind = kd_scan_close(&self->scan, pos, in->end);
    self->state = behind ? self->then : self->state;
    return take_run(self, in, behind ? behind : in->end, behind != NULL, reterr);
}

static int at_end(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr)
{
    return malformed(self, in, "nothing more", reterr);
}

typedef int step(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr);

static step *const steps[KD_SPLIT_STATES] = {
    [KD_AT_START] = at_start,   [KD_AT_FIRST_KEY] = at_key,   [KD_AT_KEY] = at_key,
    [KD_AT_COLON] = at_colon,   [KD_AT_VALUE] = at_value,     [KD_AFTER_VALUE] = after_value,
    [KD_AT_ITEMS] = at_items,   [KD_IN_NULL] = in_null,       [KD_AT_FIRST_ITEM] = at_item,
    [KD_AT_ITEM] = at_item,     [KD_AFTER_ITEM] = after_item, [KD_IN_STRING] = in_string,
    [KD_IN_SCALAR] = in_scalar, [KD_IN_NESTED] = in_nested,   [KD_AT_END] = at_end,
};

/* Where white space means nothing: everywhere but within a value. */
static bool is_between(enum kd_split_state state)
{
    return state != KD_IN_STRING && state != KD_IN_SCALAR && state != KD_IN_NESTED &&
           state != KD_IN_NULL;
}

int kd_split_list(struct kd_splitter *self, struct kd_span *in, struct kd_error *reterr)
{
    while (in->pos < in->end) {
        if (is_between(self->state)) {
            in->pos = kd_scan_space(in->pos, in->end);
            if (in->pos == in->end) {
                return 0;
            }
        }
        KD_TRY(steps[self->state](self, in, reterr));
    }
    return 0;
}

int kd_split_list_end(struct kd_splitter *self, struct kd_error *reterr)
{
    struct kd_value value;
    if (self->state != KD_AT_END) {
        return kd_fail(reterr, KD_EPARSE, "the list was cut off after %llu bytes",
                       (unsigned long long)self->offset);
    }
    int rc = kd_json_parse(kd_buf_str(&self->envelope), &value, reterr);
    return rc < 0 ? kd_fail_prefix(reterr, rc, "the list's own fields") : 0;
}
