/* Which request is answered by what. Everything here runs on the server's loop. */
#ifndef KD_SERVER_ROUTES_H
#define KD_SERVER_ROUTES_H

#include "server/answer.h"

/* Callbacks for evhttp_set_gencb; arg is the struct kd_context. */
void kd_route_health(struct evhttp_request *request, void *arg);
void kd_route_metrics(struct evhttp_request *request, void *arg);
void kd_route_api(struct evhttp_request *request, void *arg);

#endif
