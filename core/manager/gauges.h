/*
 * Gauges that are read from the running parts when a scrape comes: plugins, kinds and memory.
 * Thread: the scraping one. `source` must outlive the scrapes.
 */
#ifndef KD_MANAGER_GAUGES_H
#define KD_MANAGER_GAUGES_H

#include "manager/source.h"
#include "metrics/metrics.h"

struct kd_gauges {
    struct kd_metrics *metrics;
    struct kd_source *source;
};

void kd_gauges_init(struct kd_gauges *gauges, struct kd_metrics *metrics, struct kd_source *source);

#endif
