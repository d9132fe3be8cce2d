/* Grants from a program, by the ExecCredential protocol of client.authentication.k8s.io. */
#ifndef KD_CLIENT_EXECGRANT_H
#define KD_CLIENT_EXECGRANT_H

#include "client/grant.h"
#include "client/stats.h"
#include "config/cluster.h"

extern const struct kd_grantor kd_exec_grantor;

/* The grantor's self. Borrows all; the environment is read at each run. */
void *kd_exec_grantor_new(struct kd_loop *loop, const struct kd_cluster *cluster,
                          int64_t timeout_ns, const struct kd_stats *stats) KD_MUST_USE;

/* What the program is told in KUBERNETES_EXEC_INFO. The caller frees. */
char *kd_exec_info(const struct kd_cluster *cluster) KD_MUST_USE;
/* Reads what it printed. The error never quotes it. */
int kd_exec_answer(struct kd_str output, const char *api_version, struct kd_grant *ret,
                   struct kd_error *reterr) KD_MUST_USE;

#endif
