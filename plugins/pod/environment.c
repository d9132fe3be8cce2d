/* What the environment of a pod's containers is taken from: ConfigMaps and Secrets. */
#include "pod.h"

/* `source` refers to one of each at most, under these keys. */
static int32_t relate_source(const struct kd_object *pod, struct kd_relations *out,
                             struct kd_value source, struct kd_str map_key,
                             struct kd_str secret_key)
{
    struct kd_value map = kd_value_member(pod, source, map_key);
    struct kd_value secret = kd_value_member(pod, source, secret_key);
    int32_t rc = pod_link_config(out, "ConfigMap", kd_value_member_str(pod, map, KD_STR("name")));
    if (rc == 0) {
        rc = pod_link_config(out, "Secret", kd_value_member_str(pod, secret, KD_STR("name")));
    }
    return rc;
}

static int32_t relate_env(const struct kd_object *pod, struct kd_relations *out,
                          struct kd_value env)
{
    struct kd_iter variables = kd_value_iter(pod, env);
    struct kd_value variable;
    int32_t rc = 0;
    while (rc == 0 && kd_iter_next(pod, &variables, &variable)) {
        struct kd_value from = kd_value_member(pod, variable, KD_STR("valueFrom"));
        rc = relate_source(pod, out, from, KD_STR("configMapKeyRef"), KD_STR("secretKeyRef"));
    }
    return rc;
}

static int32_t relate_env_from(const struct kd_object *pod, struct kd_relations *out,
                               struct kd_value env_from)
{
    struct kd_iter sources = kd_value_iter(pod, env_from);
    struct kd_value source;
    int32_t rc = 0;
    while (rc == 0 && kd_iter_next(pod, &sources, &source)) {
        rc = relate_source(pod, out, source, KD_STR("configMapRef"), KD_STR("secretRef"));
    }
    return rc;
}

/* One walk over the container's members finds both lists. */
static int32_t relate_container(const struct kd_object *pod, struct kd_relations *out,
                                struct kd_value container)
{
    struct kd_iter members = kd_value_iter(pod, container);
    struct kd_str key;
    struct kd_value value;
    int32_t rc = 0;
    while (rc == 0 && kd_iter_next_member(pod, &members, &key, &value)) {
        if (pod_key_is(key, KD_STR("env"))) {
            rc = relate_env(pod, out, value);
        } else if (pod_key_is(key, KD_STR("envFrom"))) {
            rc = relate_env_from(pod, out, value);
        }
    }
    return rc;
}

int32_t pod_relate_environment(const struct kd_object *pod, struct kd_relations *out)
{
    static const uint32_t lists[] = { P_CONTAINERS, P_INIT_CONTAINERS, P_EPHEMERAL_CONTAINERS };
    int32_t rc = 0;
    for (uint32_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        struct kd_iter containers = kd_value_iter(pod, kd_object_value(pod, lists[i]));
        struct kd_value container;
        while (rc == 0 && kd_iter_next(pod, &containers, &container)) {
            rc = relate_container(pod, out, container);
        }
    }
    return rc;
}
