/* Secrets, by their metadata alone: what they hold is never asked for. */
#include <kindred/plugin.h>

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .flags = KD_KIND_METADATA_ONLY,
        .group = "",
        .version = "v1",
        .kind = "Secret",
        .resource = "secrets",
        .scope = KD_SCOPE_NAMESPACED,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("secret", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
