/* Series: found or made under the family's lock, updated without one. */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "metrics/family.h"

#include <string.h>

#define OVERFLOW_VALUE "exceeded_cardinality_limit"
#define MAX_LABEL_TEXT KD_MIB

static uint64_t hash_values(const struct kd_family *family, const char *const *values)
{
    uint64_t hash = kd_hash_seed();
    for (size_t i = 0; i < family->spec.n_labels; i++) {
        hash = kd_hash(values[i], strlen(values[i]), hash);
    }
    return hash;
}

static struct kd_series *find_locked(const struct kd_family *family, const char *const *values,
                                     uint64_t hash)
{
    struct kd_hnode *node = kd_hmap_first(&family->series, hash);
    for (; node; node = kd_hmap_next_same(node)) {
        struct kd_series *series = KD_CONTAINER_OF(node, struct kd_series, node);
        size_t i = 0;
        while (i < family->spec.n_labels && strcmp(series->values[i], values[i]) == 0) {
            i++;
        }
        if (i == family->spec.n_labels) {
            return series;
        }
    }
    return NULL;
}

static char *label_text(const struct kd_family *family, const char *const *values)
{
    struct kd_buf text;
    kd_buf_init(&text, MAX_LABEL_TEXT);
    for (size_t i = 0; i < family->spec.n_labels; i++) {
        size_t start = text.len;
        int rc = kd_buf_printf(&text, "%s%s=\"", i ? "," : "", family->spec.labels[i]);
        rc = rc ? rc : kd_metrics_put_escaped(&text, values[i], true);
        rc = rc ? rc : kd_buf_putc(&text, '"');
        if (rc < 0) { /* a value past the bound: the label is left out, which reads as empty */
            text.len = start;
        }
    }
    return kd_buf_steal(&text);
}

static struct kd_series *make_locked(struct kd_family *family, const char *const *values,
                                     uint64_t hash)
{
    struct kd_series *series = kd_zalloc(sizeof(*series));
    series->family = family;
    series->values = kd_zalloc_array(family->spec.n_labels, sizeof(*series->values));
    for (size_t i = 0; i < family->spec.n_labels; i++) {
        series->values[i] = kd_strdup(values[i]);
    }
    series->labels = label_text(family, values);
    if (family->spec.type == KD_HISTOGRAM) {
        series->hits = kd_zalloc_array(family->spec.n_buckets + 1, sizeof(*series->hits));
    }
    kd_hmap_add(&family->series, &series->node, hash);
    return series;
}

static struct kd_series *overflow_locked(struct kd_family *family)
{
    if (!family->overflow) {
        const char **values = kd_zalloc_array(family->spec.n_labels, sizeof(*values));
        for (size_t i = 0; i < family->spec.n_labels; i++) {
            values[i] = OVERFLOW_VALUE;
        }
        uint64_t hash = hash_values(family, values);
        struct kd_series *found = find_locked(family, values, hash);
        family->overflow = found ? found : make_locked(family, values, hash);
        kd_free(values);
    }
    return family->overflow;
}

static struct kd_series *find_or_make(struct kd_family *family, const char *const *values,
                                      size_t holds)
{
    if (!family) {
        return NULL;
    }
    uint64_t hash = hash_values(family, values);
    pthread_mutex_lock(&family->lock);
    struct kd_series *series = find_locked(family, values, hash);
    if (!series) { /* the last place is kept for the series that takes the rest */
        series = family->series.n + 1 < KD_MAX_SERIES ? make_locked(family, values, hash)
                                                      : overflow_locked(family);
    }
    series->holders += holds;
    pthread_mutex_unlock(&family->lock);
    return series;
}

struct kd_series *kd_family_series(struct kd_family *family, const char *const *values)
{
    return find_or_make(family, values, 0);
}

struct kd_series *kd_family_hold(struct kd_family *family, const char *const *values)
{
    return find_or_make(family, values, 1);
}

static void remove_locked(struct kd_family *family, struct kd_series *series)
{
    kd_hmap_remove(&family->series, &series->node);
    kd_series_free(series);
}

bool kd_family_drop(struct kd_family *family, const char *const *values)
{
    if (!family) {
        return false;
    }
    uint64_t hash = hash_values(family, values);
    pthread_mutex_lock(&family->lock);
    struct kd_series *series = find_locked(family, values, hash);
    bool going = series && series != family->overflow; /* many may hold the overflow series */
    if (going && series->holders > 1) {
        series->holders--;
        going = false;
    }
    if (going) {
        remove_locked(family, series);
    }
    pthread_mutex_unlock(&family->lock);
    return going;
}

static bool begins_with(const struct kd_series *series, const char *const *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(series->values[i], values[i]) != 0) {
            return false;
        }
    }
    return true;
}

void kd_family_drop_all(struct kd_family *family, const char *const *values, size_t n)
{
    if (!family) {
        return;
    }
    KD_ASSERT(n <= family->spec.n_labels);
    pthread_mutex_lock(&family->lock);
    KD_AUTO_FREE struct kd_series **found = kd_zalloc_array(family->series.n, sizeof(*found));
    size_t n_found = 0;
    struct kd_hnode *node = kd_hmap_begin(&family->series);
    for (; node; node = kd_hmap_step(&family->series, node)) {
        struct kd_series *series = KD_CONTAINER_OF(node, struct kd_series, node);
        if (series != family->overflow && begins_with(series, values, n)) {
            found[n_found++] = series;
        }
    }
    for (size_t i = 0; i < n_found; i++) {
        remove_locked(family, found[i]);
    }
    pthread_mutex_unlock(&family->lock);
}

void kd_series_free(struct kd_series *series)
{
    for (size_t i = 0; i < series->family->spec.n_labels; i++) {
        kd_free(series->values[i]);
    }
    kd_free(series->values);
    kd_free(series->labels);
    kd_free(series->hits);
    kd_free(series);
}

static void add_number(struct kd_series *series, double amount)
{
    uint64_t old = atomic_load_explicit(&series->number, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&series->number, &old,
                                                  kd_double_bits(kd_bits_double(old) + amount),
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

void kd_counter_add(struct kd_series *series, double amount)
{
    if (series && amount > 0) { /* a counter never goes down, and never to NaN */
        add_number(series, amount);
    }
}

void kd_gauge_set(struct kd_series *series, double value)
{
    if (series) {
        atomic_store_explicit(&series->number, kd_double_bits(value), memory_order_relaxed);
    }
}

void kd_gauge_add(struct kd_series *series, double amount)
{
    if (series) {
        add_number(series, amount);
    }
}

void kd_histogram_observe(struct kd_series *series, double value)
{
    if (!series) {
        return;
    }
    const struct kd_family_spec *spec = &series->family->spec;
    KD_ASSERT(spec->type == KD_HISTOGRAM);
    size_t low = 0;
    size_t high = spec->n_buckets; /* NaN is below no bound and ends in +Inf */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (value <= spec->buckets[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    atomic_fetch_add_explicit(&series->hits[low], 1, memory_order_relaxed);
    add_number(series, value);
}

double kd_series_value(const struct kd_series *series)
{
    if (!series) {
        return 0;
    }
    if (series->family->spec.type != KD_HISTOGRAM) {
        return kd_bits_double(atomic_load_explicit(&series->number, memory_order_relaxed));
    }
    uint64_t count = 0;
    for (size_t i = 0; i <= series->family->spec.n_buckets; i++) {
        count += atomic_load_explicit(&series->hits[i], memory_order_relaxed);
    }
    return (double)count;
}
