/* StorageClasses. Who asks for them is told by volumes and claims. */
#include <kindred/plugin.h>

static const char *const short_names[] = { "sc" };

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = "storage.k8s.io",
        .version = "v1",
        .kind = "StorageClass",
        .resource = "storageclasses",
        .scope = KD_SCOPE_CLUSTER,
        KD_ARRAY(short_names, n_short_names, short_names),
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("storageclass", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
