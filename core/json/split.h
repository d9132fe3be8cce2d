/* What the two modes of the splitter share. */
#ifndef KD_JSON_SPLIT_H
#define KD_JSON_SPLIT_H

#include "json/gather.h"
#include "json/scan.h"

/* What a list expects next. */
enum kd_split_state {
    KD_AT_START,
    KD_AT_FIRST_KEY,
    KD_AT_KEY,
    KD_AT_COLON,
    KD_AT_VALUE,
    KD_AFTER_VALUE,
    KD_AT_ITEMS,
    KD_IN_NULL, /* items: null */
    KD_AT_FIRST_ITEM,
    KD_AT_ITEM,
    KD_AFTER_ITEM,
    KD_IN_STRING, /* a key, a value or an item */
    KD_IN_SCALAR,
    KD_IN_NESTED,
    KD_AT_END,
    KD_SPLIT_STATES
};

struct kd_splitter {
    uint32_t magic;
    enum kd_split_mode mode;
    struct kd_split_sink sink;
    struct kd_gather object;
    uint64_t offset; /* of the chunk at hand within the stream */
    int failed;      /* the error that ended it */
    /* For a list. */
    enum kd_split_state state;
    enum kd_split_state then; /* after the string, scalar or nested value at hand */
    struct kd_scan scan;
    bool in_item;       /* the value at hand is an item and does not go into the envelope */
    bool quoted;        /* a string: its opening quote has been seen */
    uint32_t null_seen; /* letters of "null" */
    uint64_t key_start; /* of the key at hand within the envelope */
    struct kd_buf envelope;
};

/* The part of the chunk that is left. */
struct kd_span {
    const char *begin;
    const char *pos;
    const char *end;
};

int kd_split_list(struct kd_splitter *self, struct kd_span *in,
                  struct kd_error *reterr) KD_MUST_USE;
int kd_split_list_end(struct kd_splitter *self, struct kd_error *reterr) KD_MUST_USE;

#endif
