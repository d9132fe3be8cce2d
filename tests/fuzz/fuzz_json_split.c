/*
 * The splitter on any bytes: the first chooses mode, limit and cuts, the rest is the stream. Cut or
 * whole, the same objects must come out and the same end.
 */
#include "base/error.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/str.h"
#include "json/splitter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct output {
    uint64_t hash; /* of all that came out */
    uint64_t max;
    uint64_t seed;
};

static int on_object(void *arg, struct kd_str text)
{
    struct output *out = arg;
    KD_ASSERT(text.len > 0 && text.len <= out->max);
    out->hash = kd_hash_mix(out->hash, kd_hash(text.ptr, text.len, 1));
    return 0;
}

static void on_skipped(void *arg, struct kd_str head, uint64_t size)
{
    struct output *out = arg;
    KD_ASSERT(size > out->max && head.len <= size);
    out->hash = kd_hash_mix(out->hash, kd_hash(head.ptr, head.len, size));
}

/* Length of the next chunk: small ones from a sequence of its own, or all that is left. */
static size_t next_cut(struct output *out, size_t left)
{
    if (out->seed == 0) {
        return left;
    }
    out->seed = kd_hash_mix(out->seed, left);
    size_t len = 1 + out->seed % 9;
    return len < left ? len : left;
}

static void run(struct output *out, enum kd_split_mode mode, const char *ptr, size_t len)
{
    struct kd_split_sink sink = { out, on_object, on_skipped };
    struct kd_splitter *splitter = kd_splitter_new(mode, &sink, out->max);
    int rc = 0;
    for (size_t at = 0; at < len && rc == 0;) {
        size_t n = next_cut(out, len - at);
        rc = kd_splitter_feed(splitter, ptr + at, n, NULL);
        at += n;
    }
    rc = rc < 0 ? rc : kd_splitter_finish(splitter, NULL);
    struct kd_str envelope = kd_splitter_envelope(splitter);
    out->hash = kd_hash_mix(out->hash, kd_hash(envelope.ptr, envelope.len, (uint64_t)-rc));
    kd_splitter_free(splitter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    enum kd_split_mode mode = data[0] & 1 ? KD_SPLIT_LIST : KD_SPLIT_LINES;
    uint64_t max = data[0] & 2 ? 16 : KD_MIB;
    struct output whole = { .max = max };
    struct output pieces = { .max = max, .seed = 1 + (uint64_t)(data[0] >> 2) };
    const char *ptr = (const char *)data + 1;
    run(&whole, mode, ptr, size - 1);
    run(&pieces, mode, ptr, size - 1);
    KD_ASSERT(whole.hash == pieces.hash);
    return 0;
}
