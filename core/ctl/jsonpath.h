/*
 * Templates as kubectl's -o jsonpath takes them: text, and in braces what is filled in. Fields
 * (.a.b, ['a'], \. for a dot in a name), [*] and .*, indexes and ranges ([0], [-1], [0:4:2]),
 * several of them ([0,2], ['a','b']), .. at any depth, filters ([?(@.a=="b")] with == != < <= > >=
 * or alone), {range ...}{end}, $ for the root and @ for where we are, quoted text ({"\n"}).
 */
#ifndef KD_CTL_JSONPATH_H
#define KD_CTL_JSONPATH_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

struct kd_jsonpath_part;

/* A template that was read; its parts live in the arena. */
struct kd_jsonpath {
    struct kd_jsonpath_part *first;
};

/* `template` is borrowed as long as the result. KD_EINVAL says at which character, and what. */
int kd_jsonpath_parse(const char *template, struct kd_arena *arena, struct kd_jsonpath *ret,
                      struct kd_error *reterr) KD_MUST_USE;
/* Appends what the template makes of a document. What is not there is left out. A failed append is
 * remembered by out. */
void kd_jsonpath_put(const struct kd_jsonpath *path, struct kd_value root, struct kd_buf *out);

#endif
