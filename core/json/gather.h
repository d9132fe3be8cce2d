/*
 * One object on its way out of the splitter: in place when it comes whole, gathered when it comes
 * in pieces, and past the limit reduced to its first bytes and its size.
 */
#ifndef KD_JSON_GATHER_H
#define KD_JSON_GATHER_H

#include "json/splitter.h"

struct kd_gather {
    struct kd_buf buf; /* the pieces so far, or the head of an object over the limit */
    uint64_t size;     /* bytes of the object so far */
    uint64_t max;
    bool over; /* known to be over the limit */
    bool cr;   /* the last byte so far is a carriage return */
    bool line; /* a carriage return at the very end belongs to the line's end */
};

void kd_gather_init(struct kd_gather *self, uint64_t max, bool line);
void kd_gather_release(struct kd_gather *self);
/* Takes in a piece after which more will come. KD_ENOMEM. */
int kd_gather_add(struct kd_gather *self, struct kd_str piece) KD_MUST_USE;
/* Takes the last piece and hands the object over. KD_ENOMEM or what the sink returned. */
int kd_gather_end(struct kd_gather *self, const struct kd_split_sink *sink,
                  struct kd_str piece) KD_MUST_USE;

#endif
