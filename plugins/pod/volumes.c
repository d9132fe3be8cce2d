/* What a pod's volumes bring in: claims, ConfigMaps and Secrets. */
#include "pod.h"

/* One volume is made of several sources. */
static int32_t relate_projected(const struct kd_object *pod, struct kd_relations *out,
                                struct kd_value projected)
{
    struct kd_iter sources = kd_value_iter(pod, kd_value_member(pod, projected, KD_STR("sources")));
    struct kd_value source;
    int32_t rc = 0;
    while (rc == 0 && kd_iter_next(pod, &sources, &source)) {
        struct kd_value map = kd_value_member(pod, source, KD_STR("configMap"));
        struct kd_value secret = kd_value_member(pod, source, KD_STR("secret"));
        rc = pod_link_config(out, "ConfigMap", kd_value_member_str(pod, map, KD_STR("name")));
        if (rc == 0) {
            rc = pod_link_config(out, "Secret", kd_value_member_str(pod, secret, KD_STR("name")));
        }
    }
    return rc;
}

/* The claim of an ephemeral volume is named after pod and volume: POD-VOLUME. */
static int32_t relate_ephemeral(struct kd_ctx *ctx, const struct kd_object *pod,
                                struct kd_relations *out, struct kd_str volume)
{
    struct kd_str name = { 0, pod->ref.name.len + 1 + volume.len };
    char *text = volume.len ? kd_ctx_alloc(ctx, name.len) : 0;
    if (!text) {
        return volume.len ? KD_ENOMEM : 0;
    }
    __builtin_memcpy(text, pod->ref.name.ptr, pod->ref.name.len);
    text[pod->ref.name.len] = '-';
    __builtin_memcpy(text + pod->ref.name.len + 1, volume.ptr, volume.len);
    name.ptr = text;
    return pod_link(out, "VolumeMount", "PersistentVolumeClaim", name);
}

/* One walk over the volume's few members finds its source. */
static int32_t relate_volume(struct kd_ctx *ctx, const struct kd_object *pod,
                             struct kd_relations *out, struct kd_value volume)
{
    struct kd_iter members = kd_value_iter(pod, volume);
    struct kd_str key;
    struct kd_value source;
    int32_t rc = 0;
    while (rc == 0 && kd_iter_next_member(pod, &members, &key, &source)) {
        if (source.type != KD_JSON_OBJECT) {
            continue;
        }
        if (pod_key_is(key, KD_STR("persistentVolumeClaim"))) {
            rc = pod_link(out, "VolumeMount", "PersistentVolumeClaim",
                          kd_value_member_str(pod, source, KD_STR("claimName")));
        } else if (pod_key_is(key, KD_STR("ephemeral"))) {
            rc = relate_ephemeral(ctx, pod, out, kd_value_member_str(pod, volume, KD_STR("name")));
        } else if (pod_key_is(key, KD_STR("configMap"))) {
            rc =
                pod_link_config(out, "ConfigMap", kd_value_member_str(pod, source, KD_STR("name")));
        } else if (pod_key_is(key, KD_STR("secret"))) {
            rc = pod_link_config(out, "Secret",
                                 kd_value_member_str(pod, source, KD_STR("secretName")));
        } else if (pod_key_is(key, KD_STR("projected"))) {
            rc = relate_projected(pod, out, source);
        }
    }
    return rc;
}

int32_t pod_relate_volumes(struct kd_ctx *ctx, const struct kd_object *pod,
                           struct kd_relations *out)
{
    struct kd_iter volumes = kd_value_iter(pod, kd_object_value(pod, P_VOLUMES));
    struct kd_value volume;
    int32_t rc = 0;
    while (rc == 0 && kd_iter_next(pod, &volumes, &volume)) {
        rc = relate_volume(ctx, pod, out, volume);
    }
    return rc;
}
