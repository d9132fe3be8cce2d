/*
 * The door of a listener that asks the cluster who a caller is: a request waits here for its
 * verdict, then it is routed or refused. 401: no token, or one that the cluster does not know. 403:
 * the caller may not. 500: the cluster could not be asked.
 * Thread: the loop's, but for the verdict, which comes from any.
 */
#ifndef KD_SERVER_GUARD_H
#define KD_SERVER_GUARD_H

#include "server/answer.h"

typedef void kd_route_fn(struct evhttp_request *request, void *context);

void kd_guard(struct kd_context *context, struct evhttp_request *request, kd_route_fn *route);
/* The server stops: no request is touched any more. Then, once no verdict can come: frees. */
void kd_guard_drop(struct kd_context *context);
void kd_guard_reap(struct kd_context *context);

#endif
