/* ConfigMaps, by their metadata alone. Who uses them is told by the pods. */
#include <kindred/plugin.h>

static const char *const short_names[] = { "cm" };

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .flags = KD_KIND_METADATA_ONLY,
        .group = "",
        .version = "v1",
        .kind = "ConfigMap",
        .resource = "configmaps",
        .scope = KD_SCOPE_NAMESPACED,
        KD_ARRAY(short_names, n_short_names, short_names),
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("configmap", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
