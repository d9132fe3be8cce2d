/* The JSON forms of the API. Each appends to the buffer; failure is remembered by it. */
#ifndef KD_SERVER_WRITE_H
#define KD_SERVER_WRITE_H

#include "base/buf.h"
#include "store/store.h"

void kd_write_text(struct kd_buf *out, const char *key, struct kd_str text); /* "key":"text" */
void kd_write_number(struct kd_buf *out, const char *key, uint64_t number);
void kd_write_resource(struct kd_buf *out, const struct kd_stored *stored);
void kd_write_relation(struct kd_buf *out, const struct kd_stored_relation *relation);
/* {"seq":...,"type":"put","resource":{ref}} and its like, without a newline. */
void kd_write_change(struct kd_buf *out, const struct kd_change *change);

#endif
