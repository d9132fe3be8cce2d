/*
 * For the cases of load: a plugin on Pods whose every call takes a millisecond, and fails for pods
 * whose name begins with "fail".
 */
#include <kindred/plugin.h>
#include <time.h>

enum { P_NAME };

static const char *const fields[] = { [P_NAME] = "/metadata/name" };

static int32_t relate(void *self, struct kd_ctx *ctx, const struct kd_object *pod,
                      struct kd_relations *out)
{
    const struct timespec millisecond = { 0, MICROSECONDS * 1000 };
    struct kd_str name = kd_object_str(pod, P_NAME);
    (void)self;
    (void)ctx;
    (void)out;
    (void)nanosleep(&millisecond, 0);
    return name.len >= 4 && __builtin_memcmp(name.ptr, "fail", 4) == 0 ? KD_EIO : 0;
}

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = "",
        .version = "v1",
        .kind = "Pod",
        .resource = "pods",
        .scope = KD_SCOPE_NAMESPACED,
        KD_ARRAY(fields, n_fields, fields),
        .relate = relate,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("slow", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
