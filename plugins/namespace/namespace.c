/* Namespaces. */
#include <kindred/plugin.h>

static const char *const short_names[] = { "ns" };

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = "",
        .version = "v1",
        .kind = "Namespace",
        .resource = "namespaces",
        .scope = KD_SCOPE_CLUSTER,
        KD_ARRAY(short_names, n_short_names, short_names),
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("namespace", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
