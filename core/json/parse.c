#include "base/limits.h"
#include "json/json.h"
#include "json/scan.h"

/* One pass over the text; the kind of each open bracket is one bit. */
struct parser {
    const char *end;
    const char *fault; /* where and why it failed; NULL: not yet */
    const char *reason;
    int code;
    uint32_t depth;
    uint64_t objects[KD_MAX_JSON_DEPTH / 64];
};

static const char *fail(struct parser *self, const char *at, int code, const char *reason)
{
    self->fault = at;
    self->code = code;
    self->reason = at == self->end && code == KD_EPARSE ? "it ends too early" : reason;
    return NULL;
}

static const char *malformed(struct parser *self, const char *at, const char *reason)
{
    return fail(self, at, KD_EPARSE, reason);
}

static inline bool in_object(const struct parser *self)
{
    uint32_t top = self->depth - 1;
    return self->objects[top / 64] >> top % 64 & 1;
}

static bool push(struct parser *self, const char *at, bool object)
{
    if (self->depth == KD_MAX_JSON_DEPTH) {
        (void)fail(self, at, KD_ETOOBIG, "nested too deep");
        return false;
    }
    uint64_t bit = UINT64_C(1) << self->depth % 64;
    uint64_t *word = &self->objects[self->depth / 64];
    *word = object ? *word | bit : *word & ~bit;
    self->depth++;
    return true;
}

static bool is_digit(const struct parser *self, const char *pos)
{
    return pos < self->end && *pos >= '0' && *pos <= '9';
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static bool is_escape(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
    case 'u':
        return true;
    default:
        return false;
    }
}

/* pos stands on the backslash. */
static const char *take_escape(struct parser *self, const char *pos)
{
    pos++;
    if (pos == self->end || !is_escape(*pos)) {
        return malformed(self, pos, "unknown escape");
    }
    if (*pos != 'u') {
        return pos + 1;
    }
    for (int i = 0; i < 4; i++) {
        pos++;
        if (pos == self->end || !is_hex(*pos)) {
            return malformed(self, pos, "four hex digits expected");
        }
    }
    return pos + 1;
}

/* pos stands within the string. */
static const char *take_long_string(struct parser *self, const char *pos)
{
    while (pos) {
        pos = kd_scan_plain(pos, self->end);
        if (pos == self->end) {
            return malformed(self, pos, "string without end");
        }
        if (*pos == '"') {
            return pos + 1;
        }
        if (*pos != '\\') {
            return malformed(self, pos, "control character in a string");
        }
        pos = take_escape(self, pos);
    }
    return NULL;
}

/* pos stands on the opening quote. Nearly all strings are short and without escapes. */
static inline const char *take_string(struct parser *self, const char *pos)
{
    pos++;
    if (self->end - pos >= KD_STRIP) {
        uint32_t stops = kd_text_stops(pos);
        if (stops) {
            pos += __builtin_ctz(stops);
            if (*pos == '"') {
                return pos + 1;
            }
        } else {
            pos += KD_STRIP;
        }
    }
    return take_long_string(self, pos);
}

static const char *take_digits(struct parser *self, const char *pos)
{
    if (!is_digit(self, pos)) {
        return malformed(self, pos, "digit expected");
    }
    while (is_digit(self, pos)) {
        pos++;
    }
    return pos;
}

/* What may follow the whole part of a number. */
static const char *take_fraction(struct parser *self, const char *pos)
{
    if (pos && pos < self->end && *pos == '.') {
        pos = take_digits(self, pos + 1);
    }
    if (pos && pos < self->end && (*pos == 'e' || *pos == 'E')) {
        pos++;
        pos += pos < self->end && (*pos == '+' || *pos == '-');
        pos = take_digits(self, pos);
    }
    return pos;
}

static const char *take_number(struct parser *self, const char *pos)
{
    pos += *pos == '-';
    const char *whole = pos;
    pos = take_digits(self, pos);
    if (pos && pos - whole > 1 && *whole == '0') {
        return malformed(self, whole, "number with a leading zero");
    }
    return take_fraction(self, pos);
}

static const char *take_word(struct parser *self, const char *pos, const char *word)
{
    for (; *word; word++, pos++) {
        if (pos == self->end || *pos != *word) {
            return malformed(self, pos, "null, true or false expected");
        }
    }
    return pos;
}

static const char *take_scalar(struct parser *self, const char *pos)
{
    switch (pos < self->end ? *pos : '\0') {
    case '"':
        return take_string(self, pos);
    case 't':
        return take_word(self, pos, "true");
    case 'f':
        return take_word(self, pos, "false");
    case 'n':
        return take_word(self, pos, "null");
    default:
        break;
    }
    if (pos < self->end && (*pos == '-' || is_digit(self, pos))) {
        return take_number(self, pos);
    }
    return malformed(self, pos, "value expected");
}

/* A key and its colon. */
static inline const char *take_key(struct parser *self, const char *pos)
{
    pos = kd_scan_space(pos, self->end);
    if (pos == self->end || *pos != '"') {
        return malformed(self, pos, "key expected");
    }
    pos = take_string(self, pos);
    if (!pos) {
        return NULL;
    }
    pos = kd_scan_space(pos, self->end);
    if (pos == self->end || *pos != ':') {
        return malformed(self, pos, "':' expected");
    }
    return pos + 1;
}

/* Goes down to the first scalar or empty container; returns the place behind it. */
static const char *take_value(struct parser *self, const char *pos)
{
    while (pos) {
        pos = kd_scan_space(pos, self->end);
        if (pos == self->end || (*pos != '{' && *pos != '[')) {
            return take_scalar(self, pos);
        }
        bool object = *pos == '{';
        if (!push(self, pos, object)) {
            return NULL;
        }
        pos = kd_scan_space(pos + 1, self->end);
        if (pos < self->end && *pos == (object ? '}' : ']')) {
            self->depth--;
            return pos + 1;
        }
        pos = object ? take_key(self, pos) : pos;
    }
    return NULL;
}

/* Closes what ends here; returns where the next value begins, or the end with depth 0. */
static const char *take_rest(struct parser *self, const char *pos)
{
    while (pos && self->depth) {
        bool object = in_object(self);
        pos = kd_scan_space(pos, self->end);
        if (pos < self->end && *pos == ',') {
            return object ? take_key(self, pos + 1) : pos + 1;
        }
        if (pos == self->end || *pos != (object ? '}' : ']')) {
            return malformed(self, pos, object ? "',' or '}' expected" : "',' or ']' expected");
        }
        self->depth--;
        pos++;
    }
    return pos;
}

int kd_json_parse(struct kd_str text, struct kd_value *ret, struct kd_error *reterr)
{
    const char *begin = text.ptr ? text.ptr : "";
    struct parser self = { .end = begin + text.len };
    const char *start = kd_scan_space(begin, self.end);
    const char *pos = start;
    do {
        pos = take_rest(&self, take_value(&self, pos));
    } while (pos && self.depth);
    if (pos) {
        const char *behind = kd_scan_space(pos, self.end);
        if (behind == self.end) {
            *ret = kd_scan_slice(start, pos);
            return 0;
        }
        (void)malformed(&self, behind, "text after the value");
    }
    return kd_fail(reterr, self.code, "JSON, byte %zu: %s", (size_t)(self.fault - begin),
                   self.reason);
}
