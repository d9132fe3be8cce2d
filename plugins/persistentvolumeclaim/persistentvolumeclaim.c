/* PersistentVolumeClaims: the volume that each is bound to, and the class that it asks for. */
#include <kindred/plugin.h>

enum { P_VOLUME, P_CLASS };

static const char *const fields[] = {
    [P_VOLUME] = "/spec/volumeName",
    [P_CLASS] = "/spec/storageClassName",
};
static const char *const short_names[] = { "pvc" };

static int32_t claim_relate(void *self, struct kd_ctx *ctx, const struct kd_object *claim,
                            struct kd_relations *out)
{
    struct kd_str volume = kd_object_str(claim, P_VOLUME);
    struct kd_str class = kd_object_str(claim, P_CLASS);
    int32_t rc = 0;
    (void)self;
    (void)ctx;
    if (volume.len > 0) {
        rc = kd_relations_link(out, "VolumeBinding",
                               kd_ref_cluster("", "v1", "PersistentVolume", volume));
    }
    if (rc == 0 && class.len > 0) { /* "" asks for a volume without a class */
        rc = kd_relations_link(out, "VolumeClass",
                               kd_ref_cluster("storage.k8s.io", "v1", "StorageClass", class));
    }
    return rc;
}

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = "",
        .version = "v1",
        .kind = "PersistentVolumeClaim",
        .resource = "persistentvolumeclaims",
        .scope = KD_SCOPE_NAMESPACED,
        KD_ARRAY(fields, n_fields, fields),
        KD_ARRAY(short_names, n_short_names, short_names),
        .relate = claim_relate,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("persistentvolumeclaim", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
