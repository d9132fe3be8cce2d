/* DaemonSets. Their pods are related by owner references, which the host reads. */
#include <kindred/plugin.h>

static const char *const short_names[] = { "ds" };

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = "apps",
        .version = "v1",
        .kind = "DaemonSet",
        .resource = "daemonsets",
        .scope = KD_SCOPE_NAMESPACED,
        KD_ARRAY(short_names, n_short_names, short_names),
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("daemonset", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
