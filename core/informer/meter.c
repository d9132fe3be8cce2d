/*
 * The metrics of an informer. Two may share the series of a kind for a while, an old scope and a
 * new one: gauges hold the sum, and the series go with the last of them.
 */
#include "base/macros.h"
#include "informer/parts.h"

static const char *const labels[] = { "kind", "group", "reason" };
static const char *const client_go[] = { "name", "group", "version", "resource" };

#define FAMILY(type_, name_, help_)                                                                \
    {                                                                                              \
        .type = (type_), .name = (name_), .help = (help_), .labels = labels, .n_labels = 2         \
    }
#define SLOT(member) offsetof(struct kd_informer_metrics, member)

static const struct {
    struct kd_family_spec spec;
    size_t offset; /* of the series */
} families[] = {
    { FAMILY(KD_GAUGE, "kindred_cache_objects", "Objects in the cache."), SLOT(objects) },
    { FAMILY(KD_GAUGE, "kindred_cache_bytes", "Memory of the cached records."), SLOT(bytes) },
    { FAMILY(KD_GAUGE, "kindred_cache_raw_bytes",
             "Size of the cached objects as JSON without managedFields."),
      SLOT(raw_bytes) },
    { FAMILY(KD_COUNTER, "kindred_reflector_lists_total", "Lists begun."), SLOT(lists) },
    { FAMILY(KD_COUNTER, "kindred_reflector_watches_total", "Watches begun."), SLOT(watches) },
    { FAMILY(KD_COUNTER, "kindred_reflector_skipped_total",
             "Objects left out because they are too large or cannot be named."),
      SLOT(skipped) },
};

static const struct kd_family_spec errors_family = {
    .type = KD_COUNTER,
    .name = "kindred_reflector_errors_total",
    .help = "Failed lists and watches.",
    .labels = labels,
    .n_labels = 3,
};

static const struct kd_family_spec version_family = {
    .type = KD_GAUGE,
    .name = "informer_store_resource_version",
    .help = "Last 15 digits of the version that the cache holds.",
    .labels = client_go,
    .n_labels = 4,
};

static const struct kd_family_spec queued_family = {
    .type = KD_GAUGE,
    .name = "informer_queued_items",
    .help = "Cached objects that a late subscriber has yet to be handed, about.",
    .labels = client_go,
    .n_labels = 4,
};

static const double latency_buckets[] = { .001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10 };

static const struct kd_family_spec latency_family = {
    .type = KD_HISTOGRAM,
    .name = "informer_processing_latency_seconds",
    .help = "Time from an object's arrival until it is cached and its subscribers know of it.",
    .labels = client_go,
    .n_labels = 4,
    .buckets = latency_buckets,
    .n_buckets = KD_ARRAY_LEN(latency_buckets),
};

static struct kd_series **slot(struct kd_informer_metrics *metrics, size_t i)
{
    return (struct kd_series **)(void *)((char *)metrics + families[i].offset);
}

void kd_status_metrics(struct kd_informer *informer, struct kd_metrics *metrics)
{
    const struct kd_informer_spec *spec = &informer->spec;
    const char *values[] = { spec->kind, spec->group };
    const char *names[] = { spec->kind, spec->group, spec->version, spec->resource };
    struct kd_informer_metrics *own = &informer->metrics;
    own->registry = metrics;
    for (size_t i = 0; i < KD_ARRAY_LEN(families); i++) {
        *slot(own, i) = kd_family_hold(kd_metrics_family(metrics, &families[i].spec), values);
    }
    own->errors = kd_metrics_family(metrics, &errors_family);
    own->version = kd_family_hold(kd_metrics_family(metrics, &version_family), names);
    own->queued = kd_family_hold(kd_metrics_family(metrics, &queued_family), names);
    own->latency = kd_family_hold(kd_metrics_family(metrics, &latency_family), names);
}

static void take_back(struct kd_series *series, double *told)
{
    kd_gauge_add(series, -*told);
    *told = 0;
}

void kd_status_withdraw(struct kd_informer *informer)
{
    const struct kd_informer_spec *spec = &informer->spec;
    const char *values[] = { spec->kind, spec->group };
    const char *names[] = { spec->kind, spec->group, spec->version, spec->resource };
    struct kd_informer_metrics *own = &informer->metrics;
    bool last = false;
    take_back(own->objects, &own->told_objects);
    take_back(own->bytes, &own->told_bytes);
    take_back(own->raw_bytes, &own->told_raw_bytes);
    take_back(own->queued, &own->told_queued);
    for (size_t i = 0; i < KD_ARRAY_LEN(families); i++) {
        last = kd_family_drop(kd_metrics_family(own->registry, &families[i].spec), values);
    }
    (void)kd_family_drop(kd_metrics_family(own->registry, &version_family), names);
    (void)kd_family_drop(kd_metrics_family(own->registry, &queued_family), names);
    (void)kd_family_drop(kd_metrics_family(own->registry, &latency_family), names);
    if (last) { /* no other scope of the kind counts its errors there */
        kd_family_drop_all(own->errors, values, KD_ARRAY_LEN(values));
    }
}

void kd_status_error(struct kd_informer *informer, const char *reason)
{
    const struct kd_informer_spec *spec = &informer->spec;
    const char *values[] = { spec->kind, spec->group, reason };
    kd_counter_add(kd_family_series(informer->metrics.errors, values), 1);
}
