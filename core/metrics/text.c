/* The page that is scraped, in the two formats that differ little. */
#include "base/alloc.h"
#include "base/str.h"
#include "metrics/family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTER_SUFFIX "_total"
#define NUMBER_MAX 40
#define EXACT_INTEGER 1e15 /* below it, whole numbers are printed without exponent */

/* Puts a run of bytes that are not ASCII; the JSON writer's own check replaces what is no UTF-8. */
static int put_not_ascii(struct kd_buf *out, struct kd_str run)
{
    size_t start = out->len;
    KD_TRY(kd_buf_put_json(out, run));
    size_t inner = out->len - start - 2; /* without the quotes around it */
    memmove(out->ptr + start, out->ptr + start + 1, inner);
    out->len = start + inner;
    out->ptr[out->len] = '\0';
    return 0;
}

int kd_metrics_put_escaped(struct kd_buf *out, const char *text, bool quotes)
{
    const char *at = text;
    while (*at) {
        size_t run = 0;
        while ((unsigned char)at[run] >= 0x80) {
            run++;
        }
        if (run) {
            KD_TRY(put_not_ascii(out, (struct kd_str){ at, run }));
            at += run;
        } else if (*at == '\n') {
            KD_TRY(kd_buf_puts(out, "\\n"));
            at++;
        } else {
            if (*at == '\\' || (quotes && *at == '"')) {
                KD_TRY(kd_buf_putc(out, '\\'));
            }
            KD_TRY(kd_buf_putc(out, *at));
            at++;
        }
    }
    return 0;
}

int kd_metrics_put_number(struct kd_buf *out, double value)
{
    char text[NUMBER_MAX];
    if (isnan(value)) {
        return kd_buf_puts(out, "NaN");
    }
    if (isinf(value)) {
        return kd_buf_puts(out, value > 0 ? "+Inf" : "-Inf");
    }
    if (fabs(value) < EXACT_INTEGER && value == trunc(value)) {
        return kd_buf_printf(out, "%lld", (long long)value);
    }
    (void)snprintf(text, sizeof(text), "%.15g", value); /* 24 bytes at most */
    if (strtod(text, NULL) != value) {
        (void)snprintf(text, sizeof(text), "%.17g", value);
    }
    return kd_buf_puts(out, text);
}

/* A page under way. */
struct page {
    struct kd_buf *out;
    enum kd_metrics_format format;
};

/* OpenMetrics wants a bound to look like a float. */
static int put_bound(const struct page *page, double bound)
{
    bool whole = isfinite(bound) && bound == trunc(bound) && fabs(bound) < EXACT_INTEGER;
    KD_TRY(kd_metrics_put_number(page->out, bound));
    return whole && page->format == KD_METRICS_OPEN ? kd_buf_puts(page->out, ".0") : 0;
}

/* name{labels,le="..."} number */
static int put_sample(const struct page *page, const char *name, const char *suffix,
                      const char *labels, const double *bound, double value)
{
    struct kd_buf *out = page->out;
    KD_TRY(kd_buf_printf(out, "%s%s", name, suffix));
    if (labels[0] || bound) {
        KD_TRY(kd_buf_printf(out, "{%s", labels));
        if (bound) {
            KD_TRY(kd_buf_puts(out, labels[0] ? ",le=\"" : "le=\""));
            KD_TRY(put_bound(page, *bound));
            KD_TRY(kd_buf_putc(out, '"'));
        }
        KD_TRY(kd_buf_putc(out, '}'));
    }
    KD_TRY(kd_buf_putc(out, ' '));
    KD_TRY(kd_metrics_put_number(out, value));
    return kd_buf_putc(out, '\n');
}

/* The count is the last bucket's, so that a page agrees with itself while others observe. */
static int put_histogram(const struct page *page, const struct kd_series *series)
{
    const struct kd_family_spec *spec = &series->family->spec;
    const double infinity = HUGE_VAL;
    double sum = kd_bits_double(atomic_load_explicit(&series->number, memory_order_relaxed));
    uint64_t total = 0;
    for (size_t i = 0; i <= spec->n_buckets; i++) {
        const double *bound = i < spec->n_buckets ? &spec->buckets[i] : &infinity;
        total += atomic_load_explicit(&series->hits[i], memory_order_relaxed);
        KD_TRY(put_sample(page, spec->name, "_bucket", series->labels, bound, (double)total));
    }
    KD_TRY(put_sample(page, spec->name, "_sum", series->labels, NULL, sum));
    return put_sample(page, spec->name, "_count", series->labels, NULL, (double)total);
}

static int by_labels(const void *a, const void *b)
{
    const struct kd_series *const *left = a;
    const struct kd_series *const *right = b;
    return strcmp((*left)->labels, (*right)->labels);
}

static int put_all_series_locked(const struct page *page, const struct kd_family *family)
{
    KD_AUTO_FREE const struct kd_series **all = kd_zalloc_array(family->series.n, sizeof(*all));
    size_t n = 0;
    struct kd_hnode *node = kd_hmap_begin(&family->series);
    for (; node; node = kd_hmap_step(&family->series, node)) {
        all[n++] = KD_CONTAINER_OF(node, struct kd_series, node);
    }
    qsort(all, n, sizeof(*all), by_labels);
    for (size_t i = 0; i < n; i++) {
        if (family->spec.type == KD_HISTOGRAM) {
            KD_TRY(put_histogram(page, all[i]));
        } else {
            KD_TRY(put_sample(page, family->spec.name, "", all[i]->labels, NULL,
                              kd_series_value(all[i])));
        }
    }
    return 0;
}

/* In OpenMetrics the family of a counter x_total is x. */
static struct kd_str family_name(const struct page *page, const struct kd_family *family)
{
    struct kd_str name = kd_str_from(family->spec.name);
    size_t suffix = strlen(COUNTER_SUFFIX);
    if (page->format == KD_METRICS_OPEN && family->spec.type == KD_COUNTER) {
        name.len -= suffix;
    }
    return name;
}

static int put_family_locked(const struct page *page, const struct kd_family *family)
{
    static const char *const types[] = {
        [KD_COUNTER] = "counter", [KD_GAUGE] = "gauge", [KD_HISTOGRAM] = "histogram"
    };
    if (family->series.n == 0) {
        return 0;
    }
    struct kd_str name = family_name(page, family);
    KD_TRY(kd_buf_printf(page->out, "# HELP " KD_STR_FMT " ", KD_STR_ARG(name)));
    KD_TRY(kd_metrics_put_escaped(page->out, family->spec.help, page->format == KD_METRICS_OPEN));
    KD_TRY(kd_buf_printf(page->out, "\n# TYPE " KD_STR_FMT " %s\n", KD_STR_ARG(name),
                         types[family->spec.type]));
    return put_all_series_locked(page, family);
}

static int put_families_locked(const struct page *page, const struct kd_metrics *metrics)
{
    int rc = 0;
    for (size_t i = 0; i < metrics->n_families && rc == 0; i++) {
        struct kd_family *family = metrics->families[i];
        pthread_mutex_lock(&family->lock);
        rc = put_family_locked(page, family);
        pthread_mutex_unlock(&family->lock);
    }
    return rc;
}

int kd_metrics_write(struct kd_metrics *metrics, enum kd_metrics_format format, struct kd_buf *out)
{
    const struct page page = { out, format };
    if (!metrics) {
        return 0;
    }
    pthread_mutex_lock(&metrics->scrape); /* collectors may empty families and fill them anew */
    pthread_mutex_lock(&metrics->lock);
    struct kd_collector *collector = metrics->collectors;
    pthread_mutex_unlock(&metrics->lock);
    for (; collector; collector = collector->next) { /* unlocked: they may make families */
        collector->fn(collector->arg);
    }
    pthread_mutex_lock(&metrics->lock);
    int rc = put_families_locked(&page, metrics);
    pthread_mutex_unlock(&metrics->lock);
    pthread_mutex_unlock(&metrics->scrape);
    return rc < 0 || format != KD_METRICS_OPEN ? rc : kd_buf_puts(out, "# EOF\n");
}
