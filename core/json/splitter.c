#include "json/splitter.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "json/json.h"
#include "json/split.h"

#define SPLITTER_MAGIC 0x4b445350u

struct kd_splitter *kd_splitter_new(enum kd_split_mode mode, const struct kd_split_sink *sink,
                                    uint64_t max_object)
{
    struct kd_splitter *self = kd_zalloc(sizeof(*self));
    *self = (struct kd_splitter){ .magic = SPLITTER_MAGIC, .mode = mode, .sink = *sink };
    kd_gather_init(&self->object, max_object, mode == KD_SPLIT_LINES);
    kd_buf_init(&self->envelope, KD_MAX_ENVELOPE);
    return self;
}

void kd_splitter_free(struct kd_splitter *self)
{
    if (self) {
        KD_CHECK(self, SPLITTER_MAGIC);
        kd_gather_release(&self->object);
        kd_buf_release(&self->envelope);
        *self = (struct kd_splitter){ 0 };
        kd_free(self);
    }
}

static int split_lines(struct kd_splitter *self, struct kd_span *in)
{
    while (in->pos < in->end) {
        uint64_t left = (uint64_t)(in->end - in->pos);
        const char *newline = memchr(in->pos, '\n', left);
        if (!newline) {
            return kd_gather_add(&self->object, (struct kd_str){ in->pos, left });
        }
        struct kd_str line = { in->pos, (uint64_t)(newline - in->pos) };
        in->pos = newline + 1;
        KD_TRY(kd_gather_end(&self->object, &self->sink, line));
    }
    return 0;
}

int kd_splitter_feed(struct kd_splitter *self, const char *ptr, size_t len, struct kd_error *reterr)
{
    KD_CHECK(self, SPLITTER_MAGIC);
    struct kd_span in = { ptr, ptr, ptr + len };
    if (self->failed) {
        return kd_fail(reterr, self->failed, "the stream has failed before");
    }
    if (len == 0) {
        return 0;
    }
    int rc;
    if (self->mode == KD_SPLIT_LIST) {
        rc = kd_split_list(self, &in, reterr);
    } else {
        rc = split_lines(self, &in);
        rc = rc < 0 ? kd_fail(reterr, rc, "watch line: %s", kd_errno_text(rc)) : 0;
    }
    self->offset += len;
    self->failed = rc < 0 ? rc : 0;
    return self->failed;
}

/* A last line that no newline ends is trusted only when it is whole by itself. */
static int end_lines(struct kd_splitter *self, struct kd_error *reterr)
{
    struct kd_str text = kd_buf_str(&self->object.buf);
    struct kd_value value;
    if (!text.len || kd_scan_space(text.ptr, text.ptr + text.len) == text.ptr + text.len) {
        return 0;
    }
    if (self->object.over || kd_json_parse(text, &value, NULL) < 0) {
        return kd_fail(reterr, KD_EPARSE, "the last line was cut off after %llu bytes",
                       (unsigned long long)self->object.size);
    }
    int rc = kd_gather_end(&self->object, &self->sink, (struct kd_str){ NULL, 0 });
    return rc < 0 ? kd_fail(reterr, rc, "watch line: %s", kd_errno_text(rc)) : 0;
}

int kd_splitter_finish(struct kd_splitter *self, struct kd_error *reterr)
{
    KD_CHECK(self, SPLITTER_MAGIC);
    if (self->failed) {
        return kd_fail(reterr, self->failed, "the stream has failed before");
    }
    int rc =
        self->mode == KD_SPLIT_LIST ? kd_split_list_end(self, reterr) : end_lines(self, reterr);
    self->failed = rc < 0 ? rc : 0;
    return self->failed;
}

struct kd_str kd_splitter_envelope(const struct kd_splitter *self)
{
    KD_CHECK(self, SPLITTER_MAGIC);
    return kd_buf_str(&self->envelope);
}

size_t kd_splitter_memory(const struct kd_splitter *self)
{
    KD_CHECK(self, SPLITTER_MAGIC);
    return self->object.buf.cap + self->envelope.cap;
}
