/* Numbers of a page of metrics. */
#ifndef KD_CTL_PROM_H
#define KD_CTL_PROM_H

#include "base/macros.h"

#include <kindred/types.h>

/*
 * The sum of a metric's samples, of those with that label where one is given; 0 when there are
 * none. Values of labels are compared as the page writes them, with its escapes.
 */
double kd_ctl_prom_sum(struct kd_str page, const char *name, const char *label,
                       struct kd_str value);

#endif
