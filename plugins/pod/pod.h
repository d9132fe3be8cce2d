/*
 * What the files of the pod plugin share. Each relate function returns 0 or what the host answered
 * to an add; parts of the pod that are absent or of another type say nothing.
 */
#ifndef POD_H
#define POD_H

#include <kindred/plugin.h>

enum {
    P_NODE_NAME,
    P_SERVICE_ACCOUNT,
    P_VOLUMES,
    P_PULL_SECRETS,
    P_CONTAINERS,
    P_INIT_CONTAINERS,
    P_EPHEMERAL_CONTAINERS,
};

/* VolumeMount and ConfigReference from /spec/volumes. */
int32_t pod_relate_volumes(struct kd_ctx *ctx, const struct kd_object *pod,
                           struct kd_relations *out);

/* ConfigReference from env and envFrom of every container list. */
int32_t pod_relate_environment(const struct kd_object *pod, struct kd_relations *out);

/* One relation to an object of the core group in the pod's namespace; none when name is empty. */
static inline int32_t pod_link(struct kd_relations *out, const char *type, const char *kind,
                               struct kd_str name)
{
    if (name.len == 0) {
        return 0;
    }
    return kd_relations_link(out, type, kd_ref_named("", "v1", kind, out->self.ns, name));
}

static inline int32_t pod_link_config(struct kd_relations *out, const char *kind,
                                      struct kd_str name)
{
    return pod_link(out, "ConfigReference", kind, name);
}

static inline uint32_t pod_key_is(struct kd_str key, struct kd_str wanted)
{
    return key.len == wanted.len && __builtin_memcmp(key.ptr, wanted.ptr, wanted.len) == 0;
}

#endif
