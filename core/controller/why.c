/* Why a key is reconciled, in words. */
#include "base/buf.h"
#include "controller/run.h"

#include <stdio.h>

#define REASON_BUF 1024

struct word {
    uint32_t bit;
    const char *text;
};

static const struct word whys[] = {
    { KD_WHY_DELETED, "deleted" },        { KD_WHY_ADDED, "added" },
    { KD_WHY_CHANGED, "changed" },        { KD_WHY_RELATED, "related object changed" },
    { KD_WHY_SWEEP, "not in the cache" }, { KD_WHY_RESYNC, "resync" },
    { KD_WHY_REQUEUE, "requeue" },        { KD_WHY_RETRY, "retry" },
};

static const struct word sections[] = {
    { KD_CHANGED_LABELS, "labels" },     { KD_CHANGED_ANNOTATIONS, "annotations" },
    { KD_CHANGED_METADATA, "metadata" }, { KD_CHANGED_SPEC, "spec" },
    { KD_CHANGED_STATUS, "status" },     { KD_CHANGED_REST, "rest" },
};

/* Words for the bits that are set, with commas between. Appends are remembered by the buffer. */
static void put_words(struct kd_buf *buf, const struct word *words, size_t n, uint32_t bits)
{
    bool first = true;
    for (size_t i = 0; i < n; i++) {
        if (bits & words[i].bit) {
            (void)kd_buf_puts(buf, first ? "" : ", ");
            (void)kd_buf_puts(buf, words[i].text);
            first = false;
        }
    }
}

char *kd_why_text(uint32_t why, uint32_t changed, char out[KD_WHY_TEXT_MAX])
{
    struct kd_buf buf;
    kd_buf_init(&buf, REASON_BUF);
    put_words(&buf, whys, KD_ARRAY_LEN(whys), why);
    if ((why & KD_WHY_CHANGED) && changed != 0 && changed != KD_CHANGED_ALL) {
        (void)kd_buf_puts(&buf, ": ");
        put_words(&buf, sections, KD_ARRAY_LEN(sections), changed);
    }
    (void)snprintf(out, KD_WHY_TEXT_MAX, "%s", buf.len ? buf.ptr : "unknown"); /* cut to fit */
    kd_buf_release(&buf);
    return out;
}
