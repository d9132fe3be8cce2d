/*
 * Metrics: families of counters, gauges and histograms with labels, and the text that Prometheus
 * scrapes. Updates are lock-free; making a series takes a lock, so keep the series pointer.
 * The name of a counter ends in _total, as both formats of the page want it.
 * A family has at most KD_MAX_SERIES series; past that, updates go to a series whose label values
 * are all "exceeded_cardinality_limit".
 * Names, labels and buckets are those of client-go and controller-runtime (semantics, section 10).
 * Every function accepts a NULL metrics, family or series and then does nothing (returns NULL).
 */
#ifndef KD_METRICS_METRICS_H
#define KD_METRICS_METRICS_H

#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>

struct kd_metrics;
struct kd_family;
struct kd_series;

enum kd_metric_type { KD_COUNTER, KD_GAUGE, KD_HISTOGRAM };

struct kd_family_spec {
    enum kd_metric_type type;
    const char *name;
    const char *help;
    const char *const *labels;
    size_t n_labels;
    const double *buckets; /* upper bounds, rising; +Inf is added */
    size_t n_buckets;
};

struct kd_metrics *kd_metrics_new(void);
void kd_metrics_free(struct kd_metrics *metrics);

/* Finds or makes. The spec's strings are copied. A clash of type or labels is a bug (aborts). */
struct kd_family *kd_metrics_family(struct kd_metrics *metrics, const struct kd_family_spec *spec);
/* Finds or makes the series with these label values (NULL-terminated strings, n_labels of them). */
struct kd_series *kd_family_series(struct kd_family *family, const char *const *values);
/*
 * The same for something that comes and goes, as a kind does: each hold is given back by one drop,
 * and the series goes with the last of them, or at once when nobody holds it. True when it went:
 * the pointer is dead then.
 */
struct kd_series *kd_family_hold(struct kd_family *family, const char *const *values);
bool kd_family_drop(struct kd_family *family, const char *const *values);
/* Removes every series whose first n values are these, whoever holds it. */
void kd_family_drop_all(struct kd_family *family, const char *const *values, size_t n);

void kd_counter_add(struct kd_series *series, double amount);
void kd_gauge_set(struct kd_series *series, double value);
void kd_gauge_add(struct kd_series *series, double amount);
void kd_histogram_observe(struct kd_series *series, double value);
double kd_series_value(const struct kd_series *series); /* a histogram's count */

/* Called before each scrape on the scraping thread, to set gauges. Stays for the metrics' life. */
void kd_metrics_on_collect(struct kd_metrics *metrics, void (*fn)(void *arg), void *arg);
/* Prometheus text format 0.0.4, or OpenMetrics 1.0. */
enum kd_metrics_format { KD_METRICS_TEXT, KD_METRICS_OPEN };
/* The whole page, families by name. */
int kd_metrics_write(struct kd_metrics *metrics, enum kd_metrics_format format,
                     struct kd_buf *out) KD_MUST_USE;

/* The latency buckets that several families share. */
extern const double kd_buckets_default[];
extern const size_t kd_buckets_default_n; /* .005 ... 10 */

/* process_* (standard names) and kindred_build_info; call once. */
void kd_metrics_add_process(struct kd_metrics *metrics, const char *version);

#endif
