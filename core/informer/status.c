/* What an informer says of itself: status for any thread, metrics. */
#include "base/str.h"
#include "informer/reflector.h"

#include <inttypes.h>

#define VERSION_MODULUS UINT64_C(1000000000000000) /* a gauge holds fifteen digits exactly */

const char *kd_informer_state_name(enum kd_informer_state state)
{
    switch (state) {
    case KD_INFORMER_SYNCING:
        return "syncing";
    case KD_INFORMER_SYNCED:
        return "synced";
    case KD_INFORMER_FORBIDDEN:
        return "forbidden";
    case KD_INFORMER_NOT_SERVED:
        return "notServed";
    case KD_INFORMER_FAILING:
        return "failing";
    case KD_INFORMER_DISABLED:
        return "disabled";
    }
    return "unknown";
}

/* The worse one of two scopes speaks for the kind. */
static unsigned badness(enum kd_informer_state state)
{
    switch (state) {
    case KD_INFORMER_SYNCED:
        return 0;
    case KD_INFORMER_SYNCING:
        return 1;
    case KD_INFORMER_FAILING:
        return 2;
    case KD_INFORMER_NOT_SERVED:
        return 3;
    case KD_INFORMER_FORBIDDEN:
        return 4;
    case KD_INFORMER_DISABLED:
        return 5;
    }
    return 0;
}

/* Whether version a is known to come before b. An unknown version comes first. */
static bool is_before(const char *a, const char *b)
{
    uint64_t left = 0;
    uint64_t right = 0;
    if (a[0] == '\0') {
        return true;
    }
    return kd_str_to_u64(kd_str_from(a), &left) && kd_str_to_u64(kd_str_from(b), &right) &&
           left < right;
}

static void add_reflector(struct kd_informer_status *status, const struct kd_reflector *reflector,
                          bool first)
{
    if (first || badness(reflector->state) > badness(status->state)) {
        status->state = reflector->state;
        status->last_code = reflector->last_code;
        memcpy(status->last_error, reflector->last_error, sizeof(status->last_error));
    }
    if (first || is_before(reflector->version, status->version)) {
        memcpy(status->version, reflector->version, sizeof(status->version));
    }
    if (reflector->last_event_ns > status->last_event_ns) {
        status->last_event_ns = reflector->last_event_ns;
    }
}

static void tell(struct kd_series *series, double *told, uint64_t now)
{
    double value = (double)now;
    if (value != *told) {
        kd_gauge_add(series, value - *told);
        *told = value;
    }
}

void kd_status_publish(struct kd_informer *informer)
{
    struct kd_table *table = &informer->table;
    struct kd_informer_metrics *metrics = &informer->metrics;
    struct kd_informer_status status = { .ever_synced = informer->ever_synced };
    status.objects = atomic_load_explicit(&table->n, memory_order_relaxed);
    status.bytes = atomic_load_explicit(&table->bytes, memory_order_relaxed);
    status.raw_bytes = atomic_load_explicit(&table->raw_bytes, memory_order_relaxed);
    for (size_t i = 0; i < informer->n_reflectors; i++) {
        add_reflector(&status, informer->reflectors[i], i == 0);
    }
    tell(metrics->objects, &metrics->told_objects, status.objects);
    tell(metrics->bytes, &metrics->told_bytes, status.bytes);
    tell(metrics->raw_bytes, &metrics->told_raw_bytes, status.raw_bytes);
    uint64_t version = 0;
    if (kd_str_to_u64(kd_str_from(status.version), &version)) {
        kd_gauge_set(metrics->version, (double)(version % VERSION_MODULUS));
    }
    (void)pthread_mutex_lock(&informer->status_lock);
    informer->status = status;
    (void)pthread_mutex_unlock(&informer->status_lock);
}

void kd_informer_get_status(const struct kd_informer *informer, struct kd_informer_status *ret)
{
    KD_CHECK(informer, KD_INFORMER_MAGIC);
    pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&informer->status_lock;
    (void)pthread_mutex_lock(lock);
    *ret = informer->status;
    (void)pthread_mutex_unlock(lock);
}

void kd_status_withdraw(struct kd_informer *informer)
{
    struct kd_informer_metrics *metrics = &informer->metrics;
    tell(metrics->objects, &metrics->told_objects, 0);
    tell(metrics->bytes, &metrics->told_bytes, 0);
    tell(metrics->raw_bytes, &metrics->told_raw_bytes, 0);
}

void kd_status_error(struct kd_informer *informer, const char *reason)
{
    const struct kd_informer_spec *spec = &informer->spec;
    const char *values[] = { spec->kind, spec->group, reason };
    kd_counter_add(kd_family_series(informer->metrics.errors, values), 1);
}

static struct kd_family *family(struct kd_metrics *metrics, enum kd_metric_type type,
                                const char *name, const char *help, const char *const *labels,
                                size_t n_labels)
{
    const struct kd_family_spec spec = {
        .type = type, .name = name, .help = help, .labels = labels, .n_labels = n_labels
    };
    return kd_metrics_family(metrics, &spec);
}

void kd_status_metrics(struct kd_informer *informer, struct kd_metrics *metrics)
{
    static const char *const labels[] = { "kind", "group", "reason" };
    static const char *const client_go[] = { "name", "group", "version", "resource" };
    const struct kd_informer_spec *spec = &informer->spec;
    const char *values[] = { spec->kind, spec->group };
    const char *names[] = { spec->kind, spec->group, spec->version, spec->resource };
    struct kd_informer_metrics *own = &informer->metrics;
    const struct {
        struct kd_series **series;
        enum kd_metric_type type;
        const char *name;
        const char *help;
    } rows[] = {
        { &own->objects, KD_GAUGE, "kindred_cache_objects", "Objects in the cache." },
        { &own->bytes, KD_GAUGE, "kindred_cache_bytes", "Memory of the cached records." },
        { &own->raw_bytes, KD_GAUGE, "kindred_cache_raw_bytes",
          "Size of the cached objects as JSON without managedFields." },
        { &own->lists, KD_COUNTER, "kindred_reflector_lists_total", "Lists begun." },
        { &own->watches, KD_COUNTER, "kindred_reflector_watches_total", "Watches begun." },
        { &own->skipped, KD_COUNTER, "kindred_reflector_skipped_total",
          "Objects left out because they are too large or cannot be named." },
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        *rows[i].series = kd_family_series(
            family(metrics, rows[i].type, rows[i].name, rows[i].help, labels, 2), values);
    }
    own->errors = family(metrics, KD_COUNTER, "kindred_reflector_errors_total",
                         "Failed lists and watches.", labels, 3);
    own->version = kd_family_series(family(metrics, KD_GAUGE, "informer_store_resource_version",
                                           "Last 15 digits of the version that the cache holds.",
                                           client_go, 4),
                                    names);
}
