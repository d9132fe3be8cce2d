/* Paths as in "/metadata/annotations/example.org~1key": "~1" is "/", "~0" is "~". */
#ifndef KD_JSON_POINTER_H
#define KD_JSON_POINTER_H

#include "base/macros.h"

#include <kindred/types.h>
#include <stdbool.h>

/*
 * Takes the segment at *pos, which stands on its "/", and moves *pos behind it. *ret is raw and
 * points into the path. False at the end and where no "/" stands.
 */
bool kd_pointer_next(const char **pos, struct kd_str *ret);
/* Whether every "~" of a raw segment is "~0" or "~1". */
bool kd_pointer_valid(struct kd_str segment);
/* Decodes into out, which has room for segment.len bytes; returns the length. */
uint64_t kd_pointer_decode(struct kd_str segment, char *out);
/* The array index that a segment stands for, UINT64_MAX when it is none ("01", "-", "x"). */
uint64_t kd_pointer_index(struct kd_str segment);

#endif
