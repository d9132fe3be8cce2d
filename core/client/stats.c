#include "client/stats.h"

#include <math.h>
#include <stdio.h>

static const char *const request_labels[] = { "code", "method", "host", "url" };
static const char *const retry_labels[] = { "code", "verb", "host", "url" };
static const char *const verb_labels[] = { "verb", "host", "url" };
static const double latency_buckets[] = { .005, .025, .1, .25, .5, 1, 2, 4, 8, 15, 30, 60 };
static const double size_buckets[] = { 64,    256,    512,     1024,    4096,    16384,
                                       65536, 262144, 1048576, 4194304, 16777216 };

static const double lookup_buckets[] = { .005, .025, .1, .25, .5, 1, 2, 4, 8, 15, 30 };
/* Ten minutes to four years. */
static const double age_buckets[] = { 600,     1800,    3600,     14400,    86400,    604800,
                                      2592000, 7776000, 15552000, 31104000, 124416000 };
static const char *const host_labels[] = { "host" };
static const char *const reload_labels[] = { "result", "reason" };
static const char *const exec_labels[] = { "code", "call_status" };

#define LABELS(list) .labels = (list), .n_labels = KD_ARRAY_LEN(list)
#define BUCKETS(list) .buckets = (list), .n_buckets = KD_ARRAY_LEN(list)
#define SLOT(member) offsetof(struct kd_stats, member)

static const struct {
    struct kd_family_spec spec;
    size_t offset;
} families[] = {
    { { KD_COUNTER, "rest_client_requests_total",
        "Requests to the API server by code, method and host.", LABELS(request_labels) },
      SLOT(requests) },
    { { KD_COUNTER, "rest_client_request_retries_total",
        "Requests that were sent again, by code, verb and host.", LABELS(retry_labels) },
      SLOT(retries) },
    { { KD_HISTOGRAM, "rest_client_request_duration_seconds",
        "Time of a request, watches left out.", LABELS(verb_labels), BUCKETS(latency_buckets) },
      SLOT(duration) },
    { { KD_HISTOGRAM, "rest_client_rate_limiter_duration_seconds",
        "Time that a request waited for the client's rate limit.", LABELS(verb_labels),
        BUCKETS(latency_buckets) },
      SLOT(limiter) },
    { { KD_HISTOGRAM, "rest_client_request_size_bytes", "Size of a request's body.",
        LABELS(verb_labels), BUCKETS(size_buckets) },
      SLOT(request_size) },
    { { KD_HISTOGRAM, "rest_client_response_size_bytes", "Size of an answer's body, decoded.",
        LABELS(verb_labels), BUCKETS(size_buckets) },
      SLOT(response_size) },
    { { KD_HISTOGRAM, "rest_client_dns_resolution_duration_seconds",
        "Time of looking up the server's name, once per connection.", LABELS(host_labels),
        BUCKETS(lookup_buckets) },
      SLOT(dns) },
    { { KD_COUNTER, "rest_client_transport_ca_reload_total",
        "Looks at a changed CA file, by what came of it.", LABELS(reload_labels) },
      SLOT(ca_reloads) },
    { { KD_COUNTER, "rest_client_transport_create_calls_total",
        "Times that CA and client certificate were put together for connections.",
        .labels = reload_labels, .n_labels = 1 },
      SLOT(transports) },
    { { KD_COUNTER, "rest_client_exec_plugin_call_total", "Runs of a credential program.",
        LABELS(exec_labels) },
      SLOT(exec_calls) },
};

static const struct kd_family_spec kept_family = {
    KD_GAUGE, "rest_client_transport_cache_entries",
    "Sets of CA and client certificate that connections are made with.", NULL, 0, NULL, 0
};
static const struct kd_family_spec ttl_family = {
    KD_GAUGE, "rest_client_exec_plugin_ttl_seconds",
    "Time until the credential program's certificate ends; +Inf where it gave none.", NULL, 0, NULL,
    0
};
static const struct kd_family_spec age_family = {
    KD_HISTOGRAM, "rest_client_exec_plugin_certificate_rotation_age",
    "Age in seconds of a credential program's certificate when the next one came.", NULL, 0,
    BUCKETS(age_buckets)
};

void kd_stats_init(struct kd_stats *stats, struct kd_metrics *metrics)
{
    for (size_t i = 0; i < KD_ARRAY_LEN(families); i++) {
        struct kd_family **slot =
            (struct kd_family **)(void *)((char *)stats + families[i].offset);
        *slot = kd_metrics_family(metrics, &families[i].spec);
    }
    stats->transports_kept = kd_family_series(kd_metrics_family(metrics, &kept_family), NULL);
    stats->exec_ttl = kd_family_series(kd_metrics_family(metrics, &ttl_family), NULL);
    stats->exec_age = kd_family_series(kd_metrics_family(metrics, &age_family), NULL);
    kd_gauge_set(stats->exec_ttl, HUGE_VAL);
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

void kd_stats_resolved(const struct kd_stats *stats, const char *host, double seconds)
{
    kd_histogram_observe(kd_family_series(stats->dns, &host), seconds);
}

void kd_stats_ca(const struct kd_stats *stats, const char *result, const char *reason)
{
    const char *const values[] = { result, reason };
    kd_counter_add(kd_family_series(stats->ca_reloads, values), 1);
}

void kd_stats_transport(const struct kd_stats *stats)
{
    const char *const values[] = { "miss" };
    kd_counter_add(kd_family_series(stats->transports, values), 1);
    kd_gauge_set(stats->transports_kept, 1);
}

void kd_stats_exec(const struct kd_stats *stats, int code, const char *status)
{
    char text[16];
    (void)snprintf(text, sizeof(text), "%d", code); /* fits */
    const char *const values[] = { text, status };
    kd_counter_add(kd_family_series(stats->exec_calls, values), 1);
}

void kd_stats_exec_ttl(const struct kd_stats *stats, double seconds)
{
    kd_gauge_set(stats->exec_ttl, seconds);
}

void kd_stats_exec_age(const struct kd_stats *stats, double seconds)
{
    kd_histogram_observe(stats->exec_age, seconds);
}
