/*
 * Two files are made of this one. Both export a function of the same name, which each must find in
 * itself (B70).
 */
#include <kindred/plugin.h>

const char *same_relation(void) KD_PLUGIN_EXPORT;

const char *same_relation(void)
{
    return RELATION;
}

static int32_t relate(void *self, struct kd_ctx *ctx, const struct kd_object *pod,
                      struct kd_relations *out)
{
    (void)self;
    (void)ctx;
    return kd_relations_link(out, same_relation(), pod->ref);
}

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .flags = KD_KIND_OBSERVER,
        .group = "",
        .version = "v1",
        .kind = "Pod",
        .resource = "pods",
        .relate = relate,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD(PLUGIN_NAME, "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
