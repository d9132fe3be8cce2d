#include "base/buf.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BUF_MIN 64

void kd_buf_init(struct kd_buf *buf, size_t max)
{
    *buf = (struct kd_buf){ .max = max };
}

void kd_buf_release(struct kd_buf *buf)
{
    if (buf) {
        buf->ptr = kd_free(buf->ptr);
        buf->len = 0;
        buf->cap = 0;
        buf->failed = false;
    }
}

void kd_buf_clear(struct kd_buf *buf, size_t keep)
{
    if (buf->cap > keep) {
        kd_buf_release(buf);
    }
    buf->len = 0;
    buf->failed = false;
    if (buf->ptr) {
        buf->ptr[0] = '\0';
    }
}

int kd_buf_reserve(struct kd_buf *buf, size_t more)
{
    size_t need = 0;
    if (!kd_size_add(buf->len, more, &need) || need > buf->max) {
        buf->failed = true;
        return KD_ETOOBIG;
    }
    if (need < buf->cap) { /* one byte more than len is always kept for the NUL */
        return 0;
    }
    size_t cap = buf->cap ? buf->cap : BUF_MIN;
    while (cap <= need) {
        if (!kd_size_mul(cap, 2, &cap)) {
            cap = need + 1;
        }
    }
    if (cap > buf->max) {
        cap = buf->max + 1;
    }
    char *ptr = kd_try_realloc(buf->ptr, cap);
    if (!ptr) {
        buf->failed = true;
        return KD_ENOMEM;
    }
    buf->ptr = ptr;
    buf->cap = cap;
    ptr[buf->len] = '\0';
    return 0;
}

int kd_buf_put(struct kd_buf *buf, const void *ptr, size_t len)
{
    KD_TRY(kd_buf_reserve(buf, len));
    if (len) {
        memcpy(buf->ptr + buf->len, ptr, len);
    }
    buf->len += len;
    buf->ptr[buf->len] = '\0';
    return 0;
}

int kd_buf_put_str(struct kd_buf *buf, struct kd_str str)
{
    return kd_buf_put(buf, str.ptr, str.len);
}

int kd_buf_puts(struct kd_buf *buf, const char *text)
{
    return kd_buf_put(buf, text, strlen(text));
}

int kd_buf_putc(struct kd_buf *buf, char c)
{
    return kd_buf_put(buf, &c, 1);
}

int kd_buf_printf(struct kd_buf *buf, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    int rc = len < 0 ? KD_EINVAL : kd_buf_reserve(buf, (size_t)len);
    if (rc == 0) {
        (void)vsnprintf(buf->ptr + buf->len, (size_t)len + 1, fmt, again); /* measured above */
        buf->len += (size_t)len;
    }
    va_end(again);
    return rc;
}

/* Length of a UTF-8 sequence by its first byte, 0 when none begins with it. */
static size_t utf8_lead(unsigned char lead)
{
    if (lead < 0xc0) {
        return lead < 0x80 ? 1 : 0;
    }
    return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
}

/* Length of the UTF-8 sequence at ptr, 0 when it is not one. */
static size_t utf8_len(const unsigned char *ptr, size_t left)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    unsigned char lead = ptr[0];
    size_t len = utf8_lead(lead);
    if (len < 2 || len > left) {
        return len < 2 ? len : 0;
    }
    uint32_t code = lead & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((ptr[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (ptr[i] & 0x3fu);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least[len] || code > 0x10ffff || surrogate ? 0 : len;
}

static int put_json_ascii(struct kd_buf *buf, unsigned char c)
{
    static const char short_from[] = "\"\\\b\f\n\r\t";
    static const char short_to[] = "\"\\bfnrt";
    const char *at = c ? strchr(short_from, c) : NULL;
    if (at) {
        const char pair[2] = { '\\', short_to[at - short_from] };
        return kd_buf_put(buf, pair, 2);
    }
    return kd_buf_printf(buf, "\\u%04x", c);
}

static int put_json_text(struct kd_buf *buf, struct kd_str str)
{
    const unsigned char *ptr = (const unsigned char *)str.ptr;
    size_t start = 0;
    size_t i = 0;
    KD_TRY(kd_buf_putc(buf, '"'));
    while (i < str.len) {
        size_t len = utf8_len(ptr + i, str.len - i);
        if (len && ptr[i] >= 0x20 && ptr[i] != '"' && ptr[i] != '\\' && ptr[i] != 0x7f) {
            i += len;
            continue;
        }
        KD_TRY(kd_buf_put(buf, str.ptr + start, i - start));
        KD_TRY(len ? put_json_ascii(buf, ptr[i]) : kd_buf_puts(buf, "\xef\xbf\xbd"));
        start = ++i;
    }
    if (start < str.len) {
        KD_TRY(kd_buf_put(buf, str.ptr + start, str.len - start));
    }
    return kd_buf_putc(buf, '"');
}

/* An append of several steps that failed leaves nothing behind. */
static int all_or_nothing(struct kd_buf *buf, size_t len, int rc)
{
    if (rc < 0 && buf->ptr) {
        buf->len = len;
        buf->ptr[len] = '\0';
    }
    return rc;
}

int kd_buf_put_json(struct kd_buf *buf, struct kd_str str)
{
    size_t len = buf->len;
    return all_or_nothing(buf, len, put_json_text(buf, str));
}

/* Length of the run of plain ASCII at the start, eight bytes at a time. */
static size_t ascii_run(const char *ptr, size_t len)
{
    size_t i = 0;
    uint64_t word;
    for (; i + sizeof(word) <= len; i += sizeof(word)) {
        memcpy(&word, ptr + i, sizeof(word));
        if (word & UINT64_C(0x8080808080808080)) {
            break;
        }
    }
    while (i < len && (unsigned char)ptr[i] < 0x80) {
        i++;
    }
    return i;
}

static int put_utf8_text(struct kd_buf *buf, struct kd_str str)
{
    size_t start = 0;
    size_t i = 0;
    while (i < str.len) {
        i += ascii_run(str.ptr + i, str.len - i);
        size_t left = str.len - i;
        size_t len = left ? utf8_len((const unsigned char *)str.ptr + i, left) : 0;
        if (len > 0 || left == 0) {
            i += len;
            continue;
        }
        KD_TRY(kd_buf_put(buf, str.ptr + start, i - start));
        KD_TRY(kd_buf_puts(buf, "\xef\xbf\xbd"));
        start = ++i;
    }
    return kd_buf_put(buf, str.len ? str.ptr + start : NULL, str.len - start);
}

int kd_buf_put_utf8(struct kd_buf *buf, struct kd_str str)
{
    size_t len = buf->len;
    return all_or_nothing(buf, len, put_utf8_text(buf, str));
}

static int put_url_text(struct kd_buf *buf, struct kd_str str)
{
    for (size_t i = 0; i < str.len; i++) {
        unsigned char c = (unsigned char)str.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '.' || c == '_' || c == '~';
        KD_TRY(plain ? kd_buf_putc(buf, (char)c) : kd_buf_printf(buf, "%%%02X", c));
    }
    return 0;
}

int kd_buf_put_url(struct kd_buf *buf, struct kd_str str)
{
    size_t len = buf->len;
    return all_or_nothing(buf, len, put_url_text(buf, str));
}

char *kd_buf_steal(struct kd_buf *buf)
{
    char *ptr = buf->ptr ? buf->ptr : kd_zalloc(1);
    *buf = (struct kd_buf){ .max = buf->max };
    return ptr;
}
