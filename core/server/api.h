/* The API's handlers: each is the first step of an answer. */
#ifndef KD_SERVER_API_H
#define KD_SERVER_API_H

#include "server/answer.h"

#define KD_METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

int kd_api_kinds(struct kd_answer *answer);
int kd_api_plugins(struct kd_answer *answer);
int kd_api_metrics(struct kd_answer *answer);
int kd_api_resources(struct kd_answer *answer);
int kd_api_relationships(struct kd_answer *answer);
int kd_api_graph(struct kd_answer *answer);
int kd_api_path(struct kd_answer *answer);
int kd_api_impact(struct kd_answer *answer);
int kd_api_orphans(struct kd_answer *answer);
int kd_api_unresolved(struct kd_answer *answer);
int kd_api_store_check(struct kd_answer *answer);
int kd_api_store_backup(struct kd_answer *answer);
int kd_api_trace(struct kd_answer *answer);
int kd_api_changes(struct kd_answer *answer);

#endif
