/* The metadata that every object view holds, as the first slots of a kind's field plan. */
#ifndef KD_PLUGIN_FIELDS_H
#define KD_PLUGIN_FIELDS_H

#include "base/error.h"
#include "json/plan.h"

#include <kindred/plugin.h>

enum kd_fixed_field {
    KD_FIXED_NAMESPACE,
    KD_FIXED_NAME,
    KD_FIXED_UID,
    KD_FIXED_VERSION,
    KD_FIXED_LABELS,
    KD_FIXED_ANNOTATIONS,
    KD_FIXED_OWNERS,
    KD_FIXED_CREATED,
    KD_FIXED_FIELDS, /* their number */
};

/* Compiles the fixed paths and then the kind's own. KD_EINVAL names the bad path. */
int kd_fields_plan(const struct kd_kind *kind, struct kd_json_plan **ret,
                   struct kd_error *reterr) KD_MUST_USE;

#endif
