/* Small pieces of text and time that answers are read with. */
#include "client/internal.h"

#include "base/str.h"

/* No server may put us to sleep for longer than a day. */
#define MAX_RETRY_AFTER_S (24 * 3600)

int64_t kd_retry_after_ns(int64_t seconds)
{
    int64_t bounded = seconds < 0 ? 0 : seconds > MAX_RETRY_AFTER_S ? MAX_RETRY_AFTER_S : seconds;
    return bounded * KD_SEC_NS;
}

/* Where to cut so that no UTF-8 sequence is torn. */
static size_t cut_at(struct kd_str text, size_t max)
{
    if (text.len <= max) {
        return text.len;
    }
    size_t end = max;
    while (end > 0 && ((unsigned char)text.ptr[end] & 0xc0) == 0x80) {
        end--;
    }
    return end;
}

void kd_one_line(struct kd_str text, char *out, size_t size)
{
    struct kd_str trimmed = kd_str_trim(text);
    size_t len = cut_at(trimmed, size - 1);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)trimmed.ptr[i];
        out[i] = c < 0x20 || c == 0x7f ? ' ' : (char)c;
    }
    out[len] = '\0';
}
