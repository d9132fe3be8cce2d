/* Jobs. Their pods and CronJobs are related by owner references, which the host reads. */
#include <kindred/plugin.h>

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = "batch",
        .version = "v1",
        .kind = "Job",
        .resource = "jobs",
        .scope = KD_SCOPE_NAMESPACED,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("job", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
