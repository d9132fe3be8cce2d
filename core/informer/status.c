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
