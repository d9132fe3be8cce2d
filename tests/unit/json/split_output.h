/* A splitter's sink that writes down what comes out, for the tests of json/splitter.h. */
#ifndef TESTS_UNIT_JSON_SPLIT_OUTPUT_H
#define TESTS_UNIT_JSON_SPLIT_OUTPUT_H

#include "tree.h"

#include "json/splitter.h"

#define NO_LIMIT (64 * KD_MIB)

/* What came out of a splitter, as one text: objects, skipped ones with their sizes, the end. */
struct output {
    struct kd_buf log;
    size_t n;
    size_t n_skipped;
    int fail_at; /* the sink refuses this object */
    const char *chunk;
    size_t chunk_len;
    size_t n_in_place;
};

static inline int on_object(void *arg, struct kd_str text)
{
    struct output *out = arg;
    out->n++;
    out->n_in_place += text.ptr >= out->chunk && text.ptr < out->chunk + out->chunk_len;
    if (out->fail_at == (int)out->n) {
        return KD_ECANCELED;
    }
    assert_int_equal(kd_buf_putc(&out->log, '<'), 0);
    assert_int_equal(kd_buf_put_str(&out->log, text), 0);
    return kd_buf_puts(&out->log, ">\n");
}

static inline void on_skipped(void *arg, struct kd_str head, uint64_t size)
{
    struct output *out = arg;
    out->n_skipped++;
    assert_int_equal(head.len, size < KD_MAX_SKIPPED_HEAD ? size : KD_MAX_SKIPPED_HEAD);
    assert_int_equal(kd_buf_printf(&out->log, "skipped %llu <", (unsigned long long)size), 0);
    assert_int_equal(kd_buf_put_str(&out->log, head), 0);
    assert_int_equal(kd_buf_puts(&out->log, ">\n"), 0);
}

static inline struct kd_splitter *begin(struct output *out, enum kd_split_mode mode, uint64_t max)
{
    struct kd_split_sink sink = { out, on_object, on_skipped };
    kd_buf_clear(&out->log, KD_MIB);
    out->n = 0;
    out->n_skipped = 0;
    out->n_in_place = 0;
    return kd_splitter_new(mode, &sink, max);
}

/* Feeds one chunk from memory of its own, which is gone afterwards. */
static inline int feed(struct kd_splitter *splitter, struct output *out, const char *ptr,
                       size_t len)
{
    char *copy = kd_alloc(len);
    memcpy(copy, ptr, len);
    out->chunk = copy;
    out->chunk_len = len;
    int rc = kd_splitter_feed(splitter, copy, len, NULL);
    kd_free(copy);
    return rc;
}

/* Ends the stream, notes how it went and frees the splitter. */
static inline int end(struct kd_splitter *splitter, struct output *out, int rc)
{
    if (rc == 0) {
        rc = kd_splitter_finish(splitter, NULL);
    }
    struct kd_str envelope = kd_splitter_envelope(splitter);
    assert_int_equal(kd_buf_printf(&out->log, "end %d " KD_STR_FMT "\n", rc, KD_STR_ARG(envelope)),
                     0);
    kd_splitter_free(splitter);
    return rc;
}

static inline int split_cut(struct output *out, enum kd_split_mode mode, uint64_t max,
                            struct kd_str text, const size_t *cuts, size_t n_cuts)
{
    struct kd_splitter *splitter = begin(out, mode, max);
    size_t from = 0;
    int rc = 0;
    for (size_t i = 0; i <= n_cuts && rc == 0; i++) {
        size_t until = i < n_cuts ? cuts[i] : text.len;
        rc = feed(splitter, out, text.ptr + from, until - from);
        from = until;
    }
    return end(splitter, out, rc);
}

static inline int split(struct output *out, enum kd_split_mode mode, const char *text)
{
    return split_cut(out, mode, NO_LIMIT, kd_str_from(text), NULL, 0);
}

#endif
