/*
 * A second instance on Pods that owns nothing: it adds a relation of its own to each pod's node, so
 * that a test sees two plugins share one list and one watch.
 */
#include <kindred/plugin.h>

enum { P_NODE_NAME };

static const char *const fields[] = { [P_NODE_NAME] = "/spec/nodeName" };

static int32_t observe(void *self, struct kd_ctx *ctx, const struct kd_object *pod,
                       struct kd_relations *out)
{
    struct kd_str node = kd_object_str(pod, P_NODE_NAME);
    (void)self;
    (void)ctx;
    return node.len ? kd_relations_link(out, "Observed", kd_ref_cluster("", "v1", "Node", node))
                    : 0;
}

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .flags = KD_KIND_OBSERVER,
        .group = "",
        .version = "v1",
        .kind = "Pod",
        .resource = "pods",
        .scope = KD_SCOPE_NAMESPACED,
        KD_ARRAY(fields, n_fields, fields),
        .relate = observe,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD(PLUGIN_NAME, "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
