#include "client/stats.h"

#include <stdio.h>

static const char *const request_labels[] = { "code", "method", "host", "url" };
static const char *const retry_labels[] = { "code", "verb", "host", "url" };
static const char *const verb_labels[] = { "verb", "host", "url" };
static const double latency_buckets[] = { .005, .025, .1, .25, .5, 1, 2, 4, 8, 15, 30, 60 };
static const double size_buckets[] = { 64,    256,    512,     1024,    4096,    16384,
                                       65536, 262144, 1048576, 4194304, 16777216 };

static struct kd_family *counter(struct kd_metrics *metrics, const char *name, const char *help,
                                 const char *const labels[4])
{
    const struct kd_family_spec spec = {
        .type = KD_COUNTER, .name = name, .help = help, .labels = labels, .n_labels = 4
    };
    return kd_metrics_family(metrics, &spec);
}

static struct kd_family *histogram(struct kd_metrics *metrics, const char *name, const char *help,
                                   const double *buckets, size_t n_buckets)
{
    const struct kd_family_spec spec = { .type = KD_HISTOGRAM,
                                         .name = name,
                                         .help = help,
                                         .labels = verb_labels,
                                         .n_labels = KD_ARRAY_LEN(verb_labels),
                                         .buckets = buckets,
                                         .n_buckets = n_buckets };
    return kd_metrics_family(metrics, &spec);
}

void kd_stats_init(struct kd_stats *stats, struct kd_metrics *metrics)
{
    stats->requests =
        counter(metrics, "rest_client_requests_total",
                "Requests to the API server by code, method and host.", request_labels);
    stats->retries =
        counter(metrics, "rest_client_request_retries_total",
                "Requests that were sent again, by code, verb and host.", retry_labels);
    stats->duration = histogram(metrics, "rest_client_request_duration_seconds",
                                "Time of a request, watches left out.", latency_buckets,
                                KD_ARRAY_LEN(latency_buckets));
    stats->limiter = histogram(metrics, "rest_client_rate_limiter_duration_seconds",
                               "Time that a request waited for the client's rate limit.",
                               latency_buckets, KD_ARRAY_LEN(latency_buckets));
    stats->request_size =
        histogram(metrics, "rest_client_request_size_bytes", "Size of a request's body.",
                  size_buckets, KD_ARRAY_LEN(size_buckets));
    stats->response_size =
        histogram(metrics, "rest_client_response_size_bytes", "Size of an answer's body, decoded.",
                  size_buckets, KD_ARRAY_LEN(size_buckets));
}

static const char *code_text(int code, char out[16])
{
    if (code == 0) {
        return "<error>";
    }
    (void)snprintf(out, 16, "%d", code);
    return out;
}

static void observe(struct kd_family *family, const struct kd_stat_labels *labels, double value)
{
    const char *const values[] = { labels->verb, labels->host, labels->url };
    kd_histogram_observe(kd_family_series(family, values), value);
}

void kd_stats_exchange(const struct kd_stats *stats, const struct kd_stat_labels *labels, int code,
                       double duration_s, uint64_t sent, uint64_t received)
{
    char text[16];
    const char *const values[] = { code_text(code, text), labels->method, labels->host,
                                   labels->url };
    kd_counter_add(kd_family_series(stats->requests, values), 1);
    if (duration_s >= 0) {
        observe(stats->duration, labels, duration_s);
    }
    observe(stats->request_size, labels, (double)sent);
    if (code != 0) {
        observe(stats->response_size, labels, (double)received);
    }
}

void kd_stats_limited(const struct kd_stats *stats, const struct kd_stat_labels *labels,
                      double waited_s)
{
    observe(stats->limiter, labels, waited_s);
}

void kd_stats_retry(const struct kd_stats *stats, const struct kd_stat_labels *labels, int code)
{
    char text[16];
    const char *const values[] = { code_text(code, text), labels->verb, labels->host, labels->url };
    kd_counter_add(kd_family_series(stats->retries, values), 1);
}
