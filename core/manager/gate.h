/*
 * Settings whose stage is still to come: refused with a sentence when set to more than "off"; and
 * those that name a file which is no good.
 */
#ifndef KD_MANAGER_GATE_H
#define KD_MANAGER_GATE_H

#include "config/settings.h"

/* Adds one fault for each such setting. */
void kd_gate_check(const struct kd_config *config, struct kd_faults *faults);

#endif
