#include "controller/meter.h"

#include "metrics/metrics.h"

static const double time_buckets[] = { .005, .01, .025, .05, .1,  .15, .2,  .25, .3,   .35,
                                       .4,   .45, .5,   .6,  .7,  .8,  .9,  1,   1.25, 1.5,
                                       1.75, 2,   2.5,  3,   3.5, 4,   4.5, 5,   6,    7,
                                       8,    9,   10,   15,  20,  25,  30,  40,  50,   60 };
static const char *const labels[] = { "controller", "result" };
static const char *const outcomes[KD_N_OUTCOMES] = { "success", "error", "requeue",
                                                     "requeue_after" };

const char *kd_outcome_name(enum kd_outcome outcome)
{
    return outcomes[outcome];
}

static const struct kd_family_spec total_family = {
    .type = KD_COUNTER,
    .name = "controller_runtime_reconcile_total",
    .help = "Reconciles by result",
    .labels = labels,
    .n_labels = 2,
};

#define FAMILY(type_, name_, help_)                                                                \
    .type = (type_), .name = (name_), .help = (help_), .labels = labels, .n_labels = 1
#define SLOT(member) offsetof(struct kd_controller_meter, member)

static const struct {
    struct kd_family_spec spec;
    size_t offset; /* of the series in the meter */
} families[] = {
    { { FAMILY(KD_COUNTER, "controller_runtime_reconcile_errors_total",
               "Reconciles that failed, terminal errors included") },
      SLOT(errors) },
    { { FAMILY(KD_COUNTER, "controller_runtime_terminal_reconcile_errors_total",
               "Reconciles that failed for good") },
      SLOT(terminal_errors) },
    { { FAMILY(KD_COUNTER, "controller_runtime_reconcile_panics_total", "Faults of a plugin") },
      SLOT(panics) },
    { { FAMILY(KD_COUNTER, "controller_runtime_reconcile_timeouts_total",
               "Reconciles that overran their deadline") },
      SLOT(timeouts) },
    { { FAMILY(KD_HISTOGRAM, "controller_runtime_reconcile_time_seconds", "Time of a reconcile"),
        .buckets = time_buckets, .n_buckets = KD_ARRAY_LEN(time_buckets) },
      SLOT(time_seconds) },
    { { FAMILY(KD_GAUGE, "controller_runtime_max_concurrent_reconciles",
               "Limit on reconciles at the same time") },
      SLOT(max_concurrent) },
    { { FAMILY(KD_GAUGE, "controller_runtime_active_workers", "Reconciles under way") },
      SLOT(active) },
};

static const char duration_name[] = "antimetal_controller_reconcile_duration_seconds";

static struct kd_family *duration_family(struct kd_metrics *metrics)
{
    struct kd_family_spec spec = { FAMILY(KD_HISTOGRAM, duration_name, "Time of a reconcile"),
                                   .buckets = kd_buckets_default,
                                   .n_buckets = kd_buckets_default_n };
    return kd_metrics_family(metrics, &spec);
}

void kd_controller_meter_start(struct kd_controller_meter *meter, struct kd_metrics *metrics,
                               const char *name)
{
    meter->metrics = metrics;
    struct kd_family *total = kd_metrics_family(metrics, &total_family);
    for (size_t i = 0; i < KD_N_OUTCOMES; i++) {
        meter->total[i] = kd_family_hold(total, (const char *const[]){ name, outcomes[i] });
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(families); i++) {
        struct kd_series **slot = (struct kd_series **)(void *)((char *)meter + families[i].offset);
        *slot = kd_family_hold(kd_metrics_family(metrics, &families[i].spec), &name);
    }
    meter->duration_seconds = kd_family_hold(duration_family(metrics), &name);
}

void kd_controller_meter_stop(struct kd_controller_meter *meter, const char *name)
{
    struct kd_family *total = kd_metrics_family(meter->metrics, &total_family);
    for (size_t i = 0; i < KD_N_OUTCOMES; i++) {
        kd_family_drop(total, (const char *const[]){ name, outcomes[i] });
    }
    for (size_t i = 0; i < KD_ARRAY_LEN(families); i++) {
        kd_family_drop(kd_metrics_family(meter->metrics, &families[i].spec), &name);
    }
    kd_family_drop(duration_family(meter->metrics), &name);
    *meter = (struct kd_controller_meter){ 0 };
}
