/* GET /metrics: the page in the format and coding that the client's headers ask for. */
#ifndef KD_SERVER_METRICS_PAGE_H
#define KD_SERVER_METRICS_PAGE_H

#include "server/answer.h"

/* Loop thread; answers the request in any case. */
void kd_metrics_page(struct kd_context *context, struct evhttp_request *request);

#endif
