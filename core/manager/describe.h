/* What a plugin declares, for people: its kinds, settings, indexes and the rights that it needs. */
#ifndef KD_MANAGER_DESCRIBE_H
#define KD_MANAGER_DESCRIBE_H

#include "plugin/plugins.h"

/* Prints the instance to stdout. */
void kd_describe_instance(const struct kd_instance *instance);

#endif
