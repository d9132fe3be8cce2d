/* Nodes. A heartbeat alone means nothing to the graph. */
#include <kindred/plugin.h>

static const char *const short_names[] = { "no" };
/* Each kubelet writes these every few minutes, changed or not. */
static const char *const noise[] = { "/status/conditions/*/lastHeartbeatTime" };

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = "",
        .version = "v1",
        .kind = "Node",
        .resource = "nodes",
        .scope = KD_SCOPE_CLUSTER,
        KD_ARRAY(short_names, n_short_names, short_names),
        KD_ARRAY(noise, n_noise, noise),
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("node", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
