/*
 * Cuts a byte stream, in chunks of any size, into objects: the elements of a list's "items", or the
 * lines of a watch. An object that lies whole in one chunk is handed out in place; one that spans
 * chunks is gathered in a buffer whose memory falls back afterwards. The list is never held whole.
 *
 * An object over max_object is skipped with its first bytes for naming it; the stream goes on.
 * Keys of the list may come in any order; items may be null or absent.
 */
#ifndef KD_JSON_SPLITTER_H
#define KD_JSON_SPLITTER_H

#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>

enum kd_split_mode { KD_SPLIT_LIST, KD_SPLIT_LINES };

struct kd_split_sink {
    void *arg;
    /*
     * One object's bytes, borrowed for the call, not yet checked for syntax (kd_json_parse does).
     * Empty lines are not reported. A negative return ends the feed with that code.
     */
    int (*object)(void *arg, struct kd_str text);
    /* An object over the limit: its first bytes and its whole size. */
    void (*skipped)(void *arg, struct kd_str head, uint64_t size);
};

struct kd_splitter; /* opaque; one owner */

struct kd_splitter *kd_splitter_new(enum kd_split_mode mode, const struct kd_split_sink *sink,
                                    uint64_t max_object);
void kd_splitter_free(struct kd_splitter *splitter);

/* 0, KD_EPARSE (a list that is no JSON object; the text names the offset), KD_ETOOBIG (the list's
 * own fields over KD_MAX_ENVELOPE), or what the sink returned. After an error only free is left. */
int kd_splitter_feed(struct kd_splitter *splitter, const char *ptr, size_t len,
                     struct kd_error *reterr) KD_MUST_USE;
/*
 * End of the stream. A list must be complete, else KD_EPARSE ("cut off"); a last line without a
 * newline is handed out when it is complete JSON, else dropped and KD_EPARSE.
 */
int kd_splitter_finish(struct kd_splitter *splitter, struct kd_error *reterr) KD_MUST_USE;
/* After finish of a list: its own fields as JSON, "items" as [] where the list has it. Borrowed. */
struct kd_str kd_splitter_envelope(const struct kd_splitter *splitter);
/* Bytes of buffer held now, for the memory ledger. */
size_t kd_splitter_memory(const struct kd_splitter *splitter);

#endif
