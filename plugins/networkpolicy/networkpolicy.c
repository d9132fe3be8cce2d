/* NetworkPolicies. */
#include <kindred/plugin.h>

static const char *const short_names[] = { "netpol" };

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = "networking.k8s.io",
        .version = "v1",
        .kind = "NetworkPolicy",
        .resource = "networkpolicies",
        .scope = KD_SCOPE_NAMESPACED,
        KD_ARRAY(short_names, n_short_names, short_names),
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("networkpolicy", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
