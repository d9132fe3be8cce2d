/*
 * Finding the end of things in JSON text without looking at what they mean: strings by their
 * quotes, arrays and objects by their brackets. Nothing here reads outside [pos, end), whatever
 * the text holds; the results mean something for well-formed text only.
 */
#ifndef KD_JSON_SCAN_H
#define KD_JSON_SCAN_H

#include "json/block.h"

#include <kindred/types.h>
#include <stdbool.h>

/* Where a walk over brackets stands; survives a cut at any byte. */
struct kd_scan {
    uint64_t depth;     /* open brackets */
    uint64_t in_string; /* all ones within a string, else zero */
    uint64_t escaped;   /* 1 when the next byte follows a backslash */
};

/*
 * Scans on until the bracket that brings depth to zero; returns the place behind it, or NULL when
 * the text ends first (call again with what follows). depth must not be zero at the start.
 */
const char *kd_scan_close(struct kd_scan *scan, const char *pos, const char *end);
/* The same, on every processor; kd_scan_close is another one where kd_scan_has_wide(). */
const char *kd_scan_close_plain(struct kd_scan *scan, const char *pos, const char *end);
bool kd_scan_has_wide(void);

/* Type of the value that begins with c, KD_JSON_NONE when none does. */
uint32_t kd_scan_type(char c);

static inline bool kd_scan_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline const char *kd_scan_space(const char *pos, const char *end)
{
    while (pos < end && kd_scan_is_space(*pos)) {
        pos++;
    }
    return pos;
}

/* First quote, backslash or control character, or end. */
static inline const char *kd_scan_plain(const char *pos, const char *end)
{
    while (end - pos >= KD_STRIP) {
        uint32_t stops = kd_text_stops(pos);
        if (stops) {
            return pos + __builtin_ctz(stops);
        }
        pos += KD_STRIP;
    }
    while (pos < end && *pos != '"' && *pos != '\\' && (unsigned char)*pos >= 0x20) {
        pos++;
    }
    return pos;
}

/* pos stands on the opening quote; returns the place behind the closing one, or end. */
static inline const char *kd_scan_string(const char *pos, const char *end, bool *ret_escaped)
{
    bool escaped = false;
    pos++;
    for (;;) {
        pos = kd_scan_plain(pos, end);
        if (pos == end || *pos == '"') {
            break;
        }
        escaped = escaped || *pos == '\\';
        pos += *pos == '\\' && end - pos > 1 ? 2 : 1;
    }
    *ret_escaped = escaped;
    return pos < end ? pos + 1 : end;
}

/* The place behind a number, true, false or null. */
static inline const char *kd_scan_scalar(const char *pos, const char *end)
{
    while (pos < end && *pos != ',' && *pos != '}' && *pos != ']' && !kd_scan_is_space(*pos)) {
        pos++;
    }
    return pos;
}

/* The place behind the value that begins at pos. */
static inline const char *kd_scan_value(const char *pos, const char *end)
{
    bool escaped;
    if (pos == end) {
        return end;
    }
    if (*pos == '"') {
        return kd_scan_string(pos, end, &escaped);
    }
    if (*pos == '{' || *pos == '[') {
        struct kd_scan scan = { .depth = 1 };
        const char *behind = kd_scan_close(&scan, pos + 1, end);
        return behind ? behind : end;
    }
    return kd_scan_scalar(pos, end);
}

/* A walk over the members of an object or the elements of an array. */
struct kd_members {
    const char *pos; /* behind the value that was handled last; the caller moves it there */
    const char *end;
    const char *start; /* of the member or element */
    const char *key;   /* its raw key, quotes included */
    const char *value; /* where its value begins */
    uint64_t key_len;
    uint64_t n; /* members seen, so the element's index is n - 1 */
    bool object;
    bool key_escaped;
};

/* pos stands on the opening bracket. */
static inline struct kd_members kd_members_open(const char *pos, const char *end)
{
    return (struct kd_members){ .pos = pos + 1, .end = end, .object = *pos == '{' };
}

/* Moves on to the next one; false at the end, with pos behind the closing bracket. */
static inline bool kd_members_next(struct kd_members *self)
{
    const char *pos = kd_scan_space(self->pos, self->end);
    if (pos < self->end && *pos == ',') {
        pos = kd_scan_space(pos + 1, self->end);
    }
    if (pos == self->end || *pos == '}' || *pos == ']') {
        self->pos = pos < self->end ? pos + 1 : pos;
        return false;
    }
    self->start = pos;
    self->n++;
    if (self->object) {
        self->key = pos;
        pos = kd_scan_string(pos, self->end, &self->key_escaped);
        self->key_len = (uint64_t)(pos - self->key);
        pos = kd_scan_space(pos, self->end);
        pos = kd_scan_space(pos < self->end ? pos + 1 : pos, self->end);
    }
    self->value = pos;
    return true;
}

static inline struct kd_value kd_scan_slice(const char *pos, const char *behind)
{
    return (struct kd_value){ .ptr = pos,
                              .len = (uint64_t)(behind - pos),
                              .type = pos < behind ? kd_scan_type(*pos) : KD_JSON_NONE };
}

#endif
