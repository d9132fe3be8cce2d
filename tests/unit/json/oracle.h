/*
 * The oracle of the parser's tests: a plain recursive reader of the grammar, one byte at a time,
 * slow and short.
 */
#ifndef TESTS_UNIT_JSON_ORACLE_H
#define TESTS_UNIT_JSON_ORACLE_H

#include <stdbool.h>
#include <string.h>

struct oracle {
    const char *pos;
    const char *end;
};

static inline void blank(struct oracle *o)
{
    while (o->pos < o->end && memchr(" \t\r\n", *o->pos, 4)) {
        o->pos++;
    }
}

static inline bool eat(struct oracle *o, const char *word)
{
    size_t len = strlen(word);
    if ((size_t)(o->end - o->pos) < len || memcmp(o->pos, word, len) != 0) {
        return false;
    }
    o->pos += len;
    return true;
}

/* One byte out of a set. */
static inline bool eat_any(struct oracle *o, const char *set)
{
    if (o->pos == o->end || *o->pos == '\0' || !strchr(set, *o->pos)) {
        return false;
    }
    o->pos++;
    return true;
}

static inline bool digits(struct oracle *o)
{
    const char *start = o->pos;
    while (eat_any(o, "0123456789")) {
    }
    return o->pos > start;
}

static inline bool number(struct oracle *o)
{
    (void)eat(o, "-"); /* may be there */
    if (!eat(o, "0") && !digits(o)) {
        return false;
    }
    if (eat(o, ".") && !digits(o)) {
        return false;
    }
    if (eat_any(o, "eE")) {
        (void)eat_any(o, "+-"); /* may be there */
        return digits(o);
    }
    return true;
}

static inline bool escape(struct oracle *o)
{
    if (!eat(o, "u")) {
        return eat_any(o, "\"\\/bfnrt");
    }
    bool ok = true;
    for (int i = 0; i < 4; i++) {
        ok = ok && eat_any(o, "0123456789abcdefABCDEF");
    }
    return ok;
}

static inline bool string(struct oracle *o)
{
    bool ok = eat(o, "\"");
    while (ok && !eat(o, "\"")) {
        if (eat(o, "\\")) {
            ok = escape(o);
        } else {
            ok = o->pos < o->end && (unsigned char)*o->pos >= 0x20;
            o->pos++;
        }
    }
    return ok;
}

static inline bool key_and_colon(struct oracle *o)
{
    bool ok = string(o);
    blank(o);
    ok = ok && eat(o, ":");
    blank(o);
    return ok;
}

static inline bool any(struct oracle *o);

static inline bool members(struct oracle *o, bool object)
{
    const char *close = object ? "}" : "]";
    bool ok = true;
    blank(o);
    if (eat(o, close)) {
        return true;
    }
    do {
        blank(o);
        ok = (!object || key_and_colon(o)) && any(o);
        blank(o);
    } while (ok && eat(o, ","));
    return ok && eat(o, close);
}

static inline bool any(struct oracle *o)
{
    switch (o->pos < o->end ? *o->pos : '\0') {
    case '"':
        return string(o);
    case '{':
        o->pos++;
        return members(o, true);
    case '[':
        o->pos++;
        return members(o, false);
    default:
        return eat(o, "null") || eat(o, "true") || eat(o, "false") || number(o);
    }
}

static inline bool oracle_takes(const char *text, size_t len)
{
    struct oracle o = { text, text + len };
    blank(&o);
    bool ok = any(&o);
    blank(&o);
    return ok && o.pos == o.end;
}

#endif
