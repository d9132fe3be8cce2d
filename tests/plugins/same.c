/*
 * Two files are made of this one. Both export a function of the same name, which each must find in
 * itself, and one whose name is that of a function inside the host (B70).
 */
#include <kindred/plugin.h>

const char *same_relation(void) KD_PLUGIN_EXPORT;

const char *same_relation(void)
{
    return RELATION;
}

const char *kd_errno_text(int code) KD_PLUGIN_EXPORT;

const char *kd_errno_text(int code)
{
    return code == KD_ENOENT ? "Plugins" : "Wrong";
}

static int32_t relate(void *self, struct kd_ctx *ctx, const struct kd_object *pod,
                      struct kd_relations *out)
{
    (void)self;
    (void)ctx;
    int32_t rc = kd_relations_link(out, kd_errno_text(KD_ENOENT), pod->ref);
    return rc ? rc : kd_relations_link(out, same_relation(), pod->ref);
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
