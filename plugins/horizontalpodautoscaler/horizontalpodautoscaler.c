/* HorizontalPodAutoscalers: what each scales. */
#include <kindred/plugin.h>

enum { P_API_VERSION, P_KIND, P_NAME };

static const char *const fields[] = {
    [P_API_VERSION] = "/spec/scaleTargetRef/apiVersion",
    [P_KIND] = "/spec/scaleTargetRef/kind",
    [P_NAME] = "/spec/scaleTargetRef/name",
};
static const char *const short_names[] = { "hpa" };

/* "apps/v1" is group and version, "v1" a version of the core group. */
static void split_api_version(struct kd_str api_version, struct kd_ref *ref)
{
    uint64_t slash = 0;
    while (slash < api_version.len && api_version.ptr[slash] != '/') {
        slash++;
    }
    ref->version = api_version;
    if (slash < api_version.len) {
        ref->group = (struct kd_str){ api_version.ptr, slash };
        ref->version.ptr += slash + 1;
        ref->version.len -= slash + 1;
    }
}

static int32_t autoscaler_relate(void *self, struct kd_ctx *ctx, const struct kd_object *scaler,
                                 struct kd_relations *out)
{
    struct kd_ref target = { .ns = scaler->ref.ns };
    target.kind = kd_object_str(scaler, P_KIND);
    target.name = kd_object_str(scaler, P_NAME);
    (void)self;
    (void)ctx;
    if (target.kind.len == 0 || target.name.len == 0) {
        return 0;
    }
    split_api_version(kd_object_str(scaler, P_API_VERSION), &target);
    return kd_relations_link(out, "ScaleTarget", target);
}

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = "autoscaling",
        .version = "v2",
        .kind = "HorizontalPodAutoscaler",
        .resource = "horizontalpodautoscalers",
        .scope = KD_SCOPE_NAMESPACED,
        KD_ARRAY(fields, n_fields, fields),
        KD_ARRAY(short_names, n_short_names, short_names),
        .relate = autoscaler_relate,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("horizontalpodautoscaler", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
