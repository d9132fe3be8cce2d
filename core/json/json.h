/*
 * Reading JSON in place. A value is a slice of the text (struct kd_value); nothing is copied and no
 * tree is built. Text that went through kd_json_parse is well formed, and everything else here
 * relies on that: feed it only values that came from there.
 *
 * Duplicate keys: the last one wins, as in Go's encoding/json. Keys may hold escapes. Numbers keep
 * their digits. A lone surrogate decodes to U+FFFD; the raw text stays as it was. Bytes in a string
 * that are not UTF-8 pass as they are, so that one of them does not make an object unreadable;
 * kd_buf_put_json replaces them where text goes out.
 */
#ifndef KD_JSON_JSON_H
#define KD_JSON_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

#include <kindred/object.h>
#include <stdbool.h>

/*
 * Checks that text is one JSON value with nothing but white space around it, in strict syntax, at
 * most KD_MAX_JSON_DEPTH deep; *ret covers the value. The error names the byte offset. One pass,
 * no recursion, no allocation. KD_EPARSE, KD_ETOOBIG (depth).
 */
int kd_json_parse(struct kd_str text, struct kd_value *ret, struct kd_error *reterr) KD_MUST_USE;

/* Member of an object; false when absent or when value is no object. */
bool kd_json_get(struct kd_value object, struct kd_str key, struct kd_value *ret);
/* Follows members and array indexes: "/metadata/name", "/items/0"; "~1" is "/", "~0" is "~". */
bool kd_json_at(struct kd_value root, const char *pointer, struct kd_value *ret);

/* Walks an object's members or an array's elements; over any other type it ends at once. */
void kd_json_iter_init(struct kd_iter *iter, struct kd_value value);
/* ret_key is a string value (raw); for arrays its type is KD_JSON_NONE. */
bool kd_json_iter_next(struct kd_iter *iter, struct kd_value *ret_key, struct kd_value *ret_value);

/* Whether a raw string value, decoded, equals key. Never allocates. */
bool kd_json_string_is(struct kd_value string, struct kd_str key);
/*
 * Decoded text. Without escapes it points into the document, else into the arena. Another type
 * than string, or no room, is KD_EINVAL or KD_ENOMEM.
 */
int kd_json_string(struct kd_value value, struct kd_arena *arena, struct kd_str *ret) KD_MUST_USE;
/* Decoded text appended to a buffer. */
int kd_json_string_put(struct kd_value value, struct kd_buf *buf) KD_MUST_USE;
/* Whole numbers that fit; "1e3", "1.5" and other types are KD_EINVAL. */
int kd_json_int(struct kd_value value, int64_t *ret) KD_MUST_USE;
bool kd_json_true(struct kd_value value);

/* String member decoded, empty when absent, no string, or without room. */
struct kd_str kd_json_get_str(struct kd_value object, struct kd_str key, struct kd_arena *arena);

#endif
