/* What the questions about the graph have in common: their parameters, and their refusals. */
#ifndef KD_SERVER_ASK_H
#define KD_SERVER_ASK_H

#include "server/answer.h"
#include "server/traverse.h"

#define KD_ASK_DEPTH_MAX 64

/* Each gives 0, or has ended the answer by kd_answer_fail. */

/* Reads direction= and predicate=. */
int kd_ask_ways(struct kd_answer *answer, struct kd_traverse *search) KD_MUST_USE;
/* Reads depth=. */
int kd_ask_depth(struct kd_answer *answer, uint64_t fallback, uint64_t *ret) KD_MUST_USE;
/* Starts the search at the resource that a parameter names, which must be in the graph. */
int kd_ask_root(struct kd_answer *answer, const char *param,
                struct kd_traverse *search) KD_MUST_USE;
/* An error of a search, in words. */
int kd_ask_fail(struct kd_answer *answer, int error) KD_MUST_USE;

#endif
