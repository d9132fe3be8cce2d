/* The registry: families by name, and who is asked before a scrape. */
#include "base/alloc.h"
#include "base/str.h"
#include "metrics/family.h"

#include <ctype.h>
#include <string.h>

#define METRICS_MAGIC 0x4b4d4554u

const double kd_buckets_default[] = { .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10 };
const size_t kd_buckets_default_n = KD_ARRAY_LEN(kd_buckets_default);

struct kd_metrics *kd_metrics_new(void)
{
    struct kd_metrics *metrics = kd_zalloc(sizeof(*metrics));
    metrics->magic = METRICS_MAGIC;
    pthread_mutex_init(&metrics->lock, NULL);
    pthread_mutex_init(&metrics->scrape, NULL);
    return metrics;
}

static void family_free(struct kd_family *family)
{
    struct kd_hnode *node;
    while ((node = kd_hmap_begin(&family->series)) != NULL) {
        kd_hmap_remove(&family->series, node);
        kd_series_free(KD_CONTAINER_OF(node, struct kd_series, node));
    }
    kd_hmap_release(&family->series);
    pthread_mutex_destroy(&family->lock);
    for (size_t i = 0; i < family->spec.n_labels; i++) {
        kd_free((void *)(uintptr_t)family->spec.labels[i]);
    }
    kd_free((void *)(uintptr_t)family->spec.labels);
    kd_free((void *)(uintptr_t)family->spec.buckets);
    kd_free((void *)(uintptr_t)family->spec.help);
    kd_free((void *)(uintptr_t)family->spec.name);
    kd_free(family);
}

void kd_metrics_free(struct kd_metrics *metrics)
{
    if (!metrics) {
        return;
    }
    KD_CHECK(metrics, METRICS_MAGIC);
    for (size_t i = 0; i < metrics->n_families; i++) {
        family_free(metrics->families[i]);
    }
    kd_free(metrics->families);
    while (metrics->collectors) {
        struct kd_collector *next = metrics->collectors->next;
        kd_free(metrics->collectors);
        metrics->collectors = next;
    }
    pthread_mutex_destroy(&metrics->lock);
    pthread_mutex_destroy(&metrics->scrape);
    metrics->magic = 0;
    kd_free(metrics);
}

static bool is_name(const char *name, const char *others)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < len; i++) {
        if (!isalnum((unsigned char)name[i]) && !strchr(others, name[i])) {
            return false;
        }
    }
    return len > 0 && !isdigit((unsigned char)name[0]);
}

static bool ends_with(const char *name, const char *suffix)
{
    size_t len = strlen(name);
    size_t tail = strlen(suffix);
    return len > tail && strcmp(name + len - tail, suffix) == 0;
}

/* Names come from the program's own source: a bad one is a bug. */
static void check_spec(const struct kd_family_spec *spec)
{
    KD_ASSERT(is_name(spec->name, "_:"));
    KD_ASSERT(spec->type != KD_COUNTER || ends_with(spec->name, "_total"));
    for (size_t i = 0; i < spec->n_labels; i++) {
        KD_ASSERT(is_name(spec->labels[i], "_") && strcmp(spec->labels[i], "le") != 0);
        for (size_t j = 0; j < i; j++) {
            KD_ASSERT(strcmp(spec->labels[i], spec->labels[j]) != 0);
        }
    }
    for (size_t i = 1; i < spec->n_buckets; i++) {
        KD_ASSERT(spec->buckets[i - 1] < spec->buckets[i]);
    }
}

static void check_same(const struct kd_family *family, const struct kd_family_spec *spec)
{
    KD_ASSERT(family->spec.type == spec->type);
    KD_ASSERT(family->spec.n_labels == spec->n_labels);
    for (size_t i = 0; i < spec->n_labels; i++) {
        KD_ASSERT(strcmp(family->spec.labels[i], spec->labels[i]) == 0);
    }
}

static struct kd_family *family_new(const struct kd_family_spec *spec)
{
    check_spec(spec);
    struct kd_family *family = kd_zalloc(sizeof(*family));
    pthread_mutex_init(&family->lock, NULL);
    family->spec = *spec;
    family->spec.name = kd_strdup(spec->name);
    family->spec.help = kd_strdup(spec->help);
    char **labels = kd_zalloc_array(spec->n_labels, sizeof(*labels));
    for (size_t i = 0; i < spec->n_labels; i++) {
        labels[i] = kd_strdup(spec->labels[i]);
    }
    family->spec.labels = (const char *const *)labels;
    double *buckets = kd_zalloc_array(spec->n_buckets, sizeof(*buckets));
    for (size_t i = 0; i < spec->n_buckets; i++) {
        buckets[i] = spec->buckets[i];
    }
    family->spec.buckets = buckets;
    return family;
}

static struct kd_family *find_or_make_locked(struct kd_metrics *metrics,
                                             const struct kd_family_spec *spec)
{
    size_t at = 0;
    while (at < metrics->n_families && strcmp(metrics->families[at]->spec.name, spec->name) < 0) {
        at++;
    }
    if (at < metrics->n_families && strcmp(metrics->families[at]->spec.name, spec->name) == 0) {
        check_same(metrics->families[at], spec);
        return metrics->families[at];
    }
    size_t n = metrics->n_families;
    metrics->families = kd_realloc_array(metrics->families, n + 1, sizeof(*metrics->families));
    memmove(metrics->families + at + 1, metrics->families + at,
            (n - at) * sizeof(*metrics->families));
    metrics->families[at] = family_new(spec);
    metrics->n_families = n + 1;
    return metrics->families[at];
}

struct kd_family *kd_metrics_family(struct kd_metrics *metrics, const struct kd_family_spec *spec)
{
    if (!metrics) {
        return NULL;
    }
    KD_CHECK(metrics, METRICS_MAGIC);
    pthread_mutex_lock(&metrics->lock);
    struct kd_family *family = find_or_make_locked(metrics, spec);
    pthread_mutex_unlock(&metrics->lock);
    return family;
}

void kd_metrics_on_collect(struct kd_metrics *metrics, void (*fn)(void *arg), void *arg)
{
    if (!metrics) {
        return;
    }
    KD_CHECK(metrics, METRICS_MAGIC);
    struct kd_collector *collector = kd_zalloc(sizeof(*collector));
    collector->fn = fn;
    collector->arg = arg;
    pthread_mutex_lock(&metrics->lock);
    collector->next = metrics->collectors;
    metrics->collectors = collector;
    pthread_mutex_unlock(&metrics->lock);
}
