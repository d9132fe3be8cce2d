/* controller_runtime_* metrics of one controller. */
#ifndef KD_CONTROLLER_METER_H
#define KD_CONTROLLER_METER_H

#include <stdint.h>

struct kd_metrics;
struct kd_series;

enum kd_outcome {
    KD_OUTCOME_SUCCESS,
    KD_OUTCOME_ERROR,
    KD_OUTCOME_REQUEUE,
    KD_OUTCOME_REQUEUE_AFTER,
};
#define KD_N_OUTCOMES 4

const char *kd_outcome_name(enum kd_outcome outcome);

struct kd_controller_meter {
    struct kd_metrics *metrics;
    struct kd_series *total[KD_N_OUTCOMES];
    struct kd_series *errors, *terminal_errors, *panics, *timeouts;
    struct kd_series *time_seconds, *duration_seconds;
    struct kd_series *max_concurrent, *active;
};

/* Makes every series, at zero. metrics may be NULL. */
void kd_controller_meter_start(struct kd_controller_meter *meter, struct kd_metrics *metrics,
                               const char *name);
/* Takes those that carry the controller's name back. */
void kd_controller_meter_stop(struct kd_controller_meter *meter, const char *name);

#endif
