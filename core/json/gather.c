#include "json/gather.h"

#include "base/limits.h"
#include "json/scan.h"

#define KEEP (64 * KD_KIB) /* memory kept from object to object */

void kd_gather_init(struct kd_gather *self, uint64_t max, bool line)
{
    *self = (struct kd_gather){ .max = max, .line = line };
    kd_buf_init(&self->buf, SIZE_MAX / 2); /* bounded by max, or as a head */
}

void kd_gather_release(struct kd_gather *self)
{
    kd_buf_release(&self->buf);
}

/* Keeps nothing but the head. */
static int turn_over(struct kd_gather *self)
{
    struct kd_buf head;
    kd_buf_init(&head, self->buf.max);
    size_t len = self->buf.len < KD_MAX_SKIPPED_HEAD ? self->buf.len : KD_MAX_SKIPPED_HEAD;
    KD_TRY(kd_buf_put(&head, self->buf.ptr, len));
    kd_buf_release(&self->buf);
    self->buf = head;
    self->over = true;
    return 0;
}

int kd_gather_add(struct kd_gather *self, struct kd_str piece)
{
    if (piece.len == 0) {
        return 0;
    }
    self->size += piece.len;
    self->cr = self->line && piece.ptr[piece.len - 1] == '\r';
    if (!self->over && self->size - self->cr > self->max) {
        KD_TRY(turn_over(self));
    }
    if (self->over) {
        uint64_t room = KD_MAX_SKIPPED_HEAD - self->buf.len;
        piece.len = piece.len < room ? piece.len : room;
    }
    return kd_buf_put_str(&self->buf, piece);
}

static int hand_over(const struct kd_gather *self, const struct kd_split_sink *sink,
                     struct kd_str text)
{
    if (self->line && kd_scan_space(text.ptr, text.ptr + text.len) == text.ptr + text.len) {
        return 0;
    }
    return sink->object(sink->arg, text);
}

static void skip(const struct kd_split_sink *sink, struct kd_str text, uint64_t size)
{
    uint64_t len = text.len < size ? text.len : size;
    len = len < KD_MAX_SKIPPED_HEAD ? len : KD_MAX_SKIPPED_HEAD;
    sink->skipped(sink->arg, (struct kd_str){ text.ptr, len }, size);
}

int kd_gather_end(struct kd_gather *self, const struct kd_split_sink *sink, struct kd_str piece)
{
    struct kd_str text = piece;
    uint64_t size = piece.len;
    if (self->size) {
        KD_TRY(kd_gather_add(self, piece));
        text = kd_buf_str(&self->buf);
        size = self->size;
    } else {
        self->cr = self->line && piece.len && piece.ptr[piece.len - 1] == '\r';
    }
    size -= self->cr;
    int rc = 0;
    if (size > self->max) {
        skip(sink, text, size);
    } else {
        rc = hand_over(self, sink, (struct kd_str){ text.ptr, size });
    }
    kd_buf_clear(&self->buf, KEEP);
    self->size = 0;
    self->over = false;
    return rc;
}
