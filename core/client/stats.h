/*
 * The rest_client_* metrics. Label `url` is the request's template, never a path with names. All
 * functions are for the loop's thread and accept a struct that was initialised without metrics.
 */
#ifndef KD_CLIENT_STATS_H
#define KD_CLIENT_STATS_H

#include "metrics/metrics.h"

struct kd_stats {
    struct kd_family *requests;
    struct kd_family *duration;
    struct kd_family *limiter;
    struct kd_family *request_size;
    struct kd_family *response_size;
    struct kd_family *retries;
    struct kd_family *dns;
    struct kd_family *ca_reloads;
    struct kd_family *transports;
    struct kd_series *transports_kept;
    struct kd_family *exec_calls;
    struct kd_series *exec_ttl;
    struct kd_series *exec_age;
};

struct kd_stat_labels {
    const char *method;
    const char *verb;
    const char *host;
    const char *url;
};

/* metrics may be NULL. */
void kd_stats_init(struct kd_stats *stats, struct kd_metrics *metrics);
/* One exchange: code 0 is "no answer". duration_s below 0 (a watch's means nothing): not observed.
 */
void kd_stats_exchange(const struct kd_stats *stats, const struct kd_stat_labels *labels, int code,
                       double duration_s, uint64_t sent, uint64_t received);
void kd_stats_limited(const struct kd_stats *stats, const struct kd_stat_labels *labels,
                      double waited_s);
void kd_stats_retry(const struct kd_stats *stats, const struct kd_stat_labels *labels, int code);
/* A connection was made, for which the name was looked up in so long. */
void kd_stats_resolved(const struct kd_stats *stats, const char *host, double seconds);
/* The CA file was looked at again: "success" or "failure", and which. */
void kd_stats_ca(const struct kd_stats *stats, const char *result, const char *reason);
/* What TLS is made with has changed, so that connections are made anew; one such set is kept. */
void kd_stats_transport(const struct kd_stats *stats);
/* A credential program has run: its exit code, 1 where it had none, and what came of it. */
void kd_stats_exec(const struct kd_stats *stats, int code, const char *status);
/* How long its certificate still holds. Infinite: there is none. */
void kd_stats_exec_ttl(const struct kd_stats *stats, double seconds);
/* A certificate of it is replaced after so long. */
void kd_stats_exec_age(const struct kd_stats *stats, double seconds);

#endif
