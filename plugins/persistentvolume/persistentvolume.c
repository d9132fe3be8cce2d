/* PersistentVolumes: the class of each. Its claim tells of the binding. */
#include <kindred/plugin.h>

enum { P_CLASS };

static const char *const fields[] = { [P_CLASS] = "/spec/storageClassName" };
static const char *const short_names[] = { "pv" };

static int32_t volume_relate(void *self, struct kd_ctx *ctx, const struct kd_object *volume,
                             struct kd_relations *out)
{
    struct kd_str class = kd_object_str(volume, P_CLASS);
    (void)self;
    (void)ctx;
    if (class.len == 0) {
        return 0; /* it belongs to no class */
    }
    return kd_relations_link(out, "VolumeClass",
                             kd_ref_cluster("storage.k8s.io", "v1", "StorageClass", class));
}

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = "",
        .version = "v1",
        .kind = "PersistentVolume",
        .resource = "persistentvolumes",
        .scope = KD_SCOPE_CLUSTER,
        KD_ARRAY(fields, n_fields, fields),
        KD_ARRAY(short_names, n_short_names, short_names),
        .relate = volume_relate,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("persistentvolume", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
