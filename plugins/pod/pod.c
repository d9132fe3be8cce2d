/* Pods: the node that each is bound to, its service account, its volumes and configuration. */
#include "pod.h"

static const char *const fields[] = {
    [P_NODE_NAME] = "/spec/nodeName",
    [P_SERVICE_ACCOUNT] = "/spec/serviceAccountName",
    [P_VOLUMES] = "/spec/volumes",
    [P_PULL_SECRETS] = "/spec/imagePullSecrets",
    [P_CONTAINERS] = "/spec/containers",
    [P_INIT_CONTAINERS] = "/spec/initContainers",
    [P_EPHEMERAL_CONTAINERS] = "/spec/ephemeralContainers",
};
static const char *const short_names[] = { "po" };
static const struct kd_index indexes[] = { { "spec.nodeName", "/spec/nodeName" } };

static int32_t relate_node(const struct kd_object *pod, struct kd_relations *out)
{
    struct kd_str node = kd_object_str(pod, P_NODE_NAME);
    if (node.len == 0) {
        return 0; /* not scheduled yet */
    }
    return kd_relations_add(out, "PodNodeBinding", kd_ref_cluster("", "v1", "Node", node),
                            KD_ATTR("nodeName", node));
}

static int32_t relate_pull_secrets(const struct kd_object *pod, struct kd_relations *out)
{
    struct kd_iter secrets = kd_value_iter(pod, kd_object_value(pod, P_PULL_SECRETS));
    struct kd_value secret;
    int32_t rc = 0;
    while (rc == 0 && kd_iter_next(pod, &secrets, &secret)) {
        rc = pod_link_config(out, "Secret", kd_value_member_str(pod, secret, KD_STR("name")));
    }
    return rc;
}

static int32_t pod_relate(void *self, struct kd_ctx *ctx, const struct kd_object *pod,
                          struct kd_relations *out)
{
    int32_t rc = relate_node(pod, out);
    (void)self;
    if (rc == 0) {
        rc = pod_link(out, "ServiceAccountBinding", "ServiceAccount",
                      kd_object_str(pod, P_SERVICE_ACCOUNT));
    }
    if (rc == 0) {
        rc = pod_relate_volumes(ctx, pod, out);
    }
    if (rc == 0) {
        rc = pod_relate_environment(pod, out);
    }
    return rc ? rc : relate_pull_secrets(pod, out);
}

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = "",
        .version = "v1",
        .kind = "Pod",
        .resource = "pods",
        .scope = KD_SCOPE_NAMESPACED,
        KD_ARRAY(fields, n_fields, fields),
        KD_ARRAY(indexes, n_indexes, indexes),
        .index_size = sizeof(struct kd_index),
        KD_ARRAY(short_names, n_short_names, short_names),
        .relate = pod_relate,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("pod", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
