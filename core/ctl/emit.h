/*
 * JSON values as text for people: indented JSON, and YAML in block style. Numbers keep their
 * digits and members their order. A failed append is remembered by the buffer.
 * Recursive, as deep as kd_json_parse lets a document be.
 */
#ifndef KD_CTL_EMIT_H
#define KD_CTL_EMIT_H

#include "base/buf.h"

/* Two spaces a level, starting at `level`; no newline at the end. */
void kd_ctl_json_put(struct kd_buf *out, struct kd_value value, unsigned level);

/* The value as a whole document, newline at the end. */
void kd_ctl_yaml_put(struct kd_buf *out, struct kd_value value);
/* The value as one element of a list that stands at the left edge: "- ...". */
void kd_ctl_yaml_put_element(struct kd_buf *out, struct kd_value value);
/*
 * A text as a YAML scalar: plain where every reader takes it for this very string, a literal block
 * for lines of text (not for a key), else in double quotes. `column` is where a block's lines
 * begin.
 */
void kd_ctl_yaml_put_text(struct kd_buf *out, struct kd_str text, unsigned column);
void kd_ctl_yaml_put_key(struct kd_buf *out, struct kd_str text);

#endif
