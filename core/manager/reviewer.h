/*
 * Who a caller of our servers is, and whether it may, as the cluster sees it: a TokenReview, then a
 * SubjectAccessReview on the path and the method. Answers are kept as delegating servers of
 * Kubernetes keep them: a token's user for a minute, a yes for five, a no for half a minute. A
 * review that fails is tried five times, 0.5 s and half as much more each time apart.
 * Tokens are not kept, only their SHA-256.
 */
#ifndef KD_MANAGER_REVIEWER_H
#define KD_MANAGER_REVIEWER_H

#include "client/client.h"
#include "manager/verdicts.h"
#include "server/server.h"

struct kd_review;

struct kd_reviewer {
    struct kd_loop *loop;
    struct kd_client *client;
    struct kd_verdicts users;  /* by token: the user as JSON, "" for none */
    struct kd_verdicts rights; /* by user, verb and path: "allowed", or why not */
    struct kd_review *first;   /* under way; the loop's thread, as all but kd_reviewer_judge */
    bool closed;
};

void kd_reviewer_init(struct kd_reviewer *reviewer, struct kd_loop *loop, struct kd_client *client);
/* While the loop does not run. Reviews under way end without a word, later ones do not begin. */
void kd_reviewer_close(struct kd_reviewer *reviewer);
/* Any thread; `reviewer` is a struct kd_reviewer: for kd_server_source.judge. */
void kd_reviewer_judge(struct kd_reviewer *reviewer, const struct kd_caller *caller,
                       kd_ruling_fn *done, void *done_arg);

#endif
