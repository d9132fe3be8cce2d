/* The rest_client_* metrics. Label `url` is the request's template, never a path with names. */
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

#endif
