/* Pods: the node that each is bound to. */
#include <kindred/plugin.h>

enum { P_NODE_NAME };

static const char *const fields[] = { [P_NODE_NAME] = "/spec/nodeName" };
static const char *const short_names[] = { "po" };
static const struct kd_index indexes[] = { { "spec.nodeName", "/spec/nodeName" } };

static int32_t pod_relate(void *self, struct kd_ctx *ctx, const struct kd_object *pod,
                          struct kd_relations *out)
{
    struct kd_str node = kd_object_str(pod, P_NODE_NAME);
    (void)self;
    (void)ctx;
    if (node.len == 0) {
        return 0; /* not scheduled yet */
    }
    return kd_relations_add(out, "PodNodeBinding", kd_ref_cluster("", "v1", "Node", node),
                            KD_ATTR("nodeName", node));
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
