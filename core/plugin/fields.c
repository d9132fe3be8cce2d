#include "plugin/fields.h"

#include "base/alloc.h"

static const char *const fixed_paths[KD_FIXED_FIELDS] = {
    [KD_FIXED_NAMESPACE] = "/metadata/namespace",
    [KD_FIXED_NAME] = "/metadata/name",
    [KD_FIXED_UID] = "/metadata/uid",
    [KD_FIXED_VERSION] = "/metadata/resourceVersion",
    [KD_FIXED_LABELS] = "/metadata/labels",
    [KD_FIXED_ANNOTATIONS] = "/metadata/annotations",
    [KD_FIXED_OWNERS] = "/metadata/ownerReferences",
    [KD_FIXED_CREATED] = "/metadata/creationTimestamp",
};

int kd_fields_plan(const struct kd_kind *kind, struct kd_json_plan **ret, struct kd_error *reterr)
{
    size_t n = KD_FIXED_FIELDS + (size_t)kind->n_fields;
    const char **paths = kd_zalloc_array(n, sizeof(*paths));
    for (size_t i = 0; i < KD_FIXED_FIELDS; i++) {
        paths[i] = fixed_paths[i];
    }
    for (size_t i = 0; i < kind->n_fields; i++) {
        paths[KD_FIXED_FIELDS + i] = kind->fields[i] ? kind->fields[i] : "";
    }
    int rc = kd_json_plan_new(paths, n, false, ret, reterr);
    kd_free(paths);
    return rc;
}
