/*
 * A growing byte buffer with a maximum. It always keeps room for a NUL behind its bytes, so ptr is
 * a C string when the content has none of its own. An append past the maximum, or without memory,
 * changes nothing, is remembered and fails: a long sequence of appends may check kd_buf_failed once
 * at its end.
 * Life: kd_buf_init (no allocation) ... kd_buf_release; a released or zeroed buffer with max set
 * may be used again.
 */
#ifndef KD_BASE_BUF_H
#define KD_BASE_BUF_H

#include "base/macros.h"

#include <kindred/types.h>
#include <stdbool.h>

struct kd_buf {
    char *ptr;
    size_t len;
    size_t cap;
    size_t max;
    bool failed;
};

void kd_buf_init(struct kd_buf *buf, size_t max);
void kd_buf_release(struct kd_buf *buf);
#define KD_AUTO_BUF KD_CLEANUP(kd_buf_release)

/* Empties; keeps the memory up to `keep` bytes. Clears the failed mark. */
void kd_buf_clear(struct kd_buf *buf, size_t keep);
/* Makes room for `more` bytes behind len. 0, KD_ETOOBIG or KD_ENOMEM. */
int kd_buf_reserve(struct kd_buf *buf, size_t more);
int kd_buf_put(struct kd_buf *buf, const void *ptr, size_t len);
int kd_buf_put_str(struct kd_buf *buf, struct kd_str str);
int kd_buf_puts(struct kd_buf *buf, const char *text);
int kd_buf_putc(struct kd_buf *buf, char c);
int kd_buf_printf(struct kd_buf *buf, const char *fmt, ...) KD_PRINTF(2, 3);
/* Appends a quoted JSON string; bytes that are not UTF-8 become U+FFFD. */
int kd_buf_put_json(struct kd_buf *buf, struct kd_str str);
/* Appends as it is, but for bytes that are not UTF-8, which become U+FFFD. */
int kd_buf_put_utf8(struct kd_buf *buf, struct kd_str str);
/* Appends percent-encoded for a URL path segment or query value. */
int kd_buf_put_url(struct kd_buf *buf, struct kd_str str);

static inline bool kd_buf_failed(const struct kd_buf *buf)
{
    return buf->failed;
}

static inline struct kd_str kd_buf_str(const struct kd_buf *buf)
{
    return (struct kd_str){ buf->ptr, buf->len };
}

/* Hands the bytes over, NUL-terminated; the caller frees. Never NULL. */
char *kd_buf_steal(struct kd_buf *buf);

#endif
