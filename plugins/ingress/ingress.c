/* Ingresses: what each sends requests to, Services or resources of other kinds. */
#include <kindred/plugin.h>

enum { P_DEFAULT, P_RULES };

static const char *const fields[] = {
    [P_DEFAULT] = "/spec/defaultBackend",
    [P_RULES] = "/spec/rules",
};
static const char *const short_names[] = { "ing" };

/* A backend that is no Service says its group and kind; the version is not known. */
static struct kd_ref resource_of(const struct kd_object *ingress, struct kd_value backend)
{
    struct kd_value resource = kd_value_member(ingress, backend, KD_STR("resource"));
    struct kd_ref ref = { .ns = ingress->ref.ns };
    ref.group = kd_value_member_str(ingress, resource, KD_STR("apiGroup"));
    ref.kind = kd_value_member_str(ingress, resource, KD_STR("kind"));
    ref.name = kd_value_member_str(ingress, resource, KD_STR("name"));
    return ref;
}

static int32_t relate_backend(struct kd_relations *out, const struct kd_object *ingress,
                              struct kd_value backend)
{
    struct kd_value service = kd_value_member(ingress, backend, KD_STR("service"));
    struct kd_str name = kd_value_member_str(ingress, service, KD_STR("name"));
    struct kd_ref ref = kd_ref_named("", "v1", "Service", ingress->ref.ns, name);
    if (name.len == 0) {
        ref = resource_of(ingress, backend);
    }
    if (ref.kind.len == 0 || ref.name.len == 0) {
        return 0;
    }
    return kd_relations_link(out, "IngressBackend", ref);
}

static int32_t relate_rule(struct kd_relations *out, const struct kd_object *ingress,
                           struct kd_value rule)
{
    struct kd_value http = kd_value_member(ingress, rule, KD_STR("http"));
    struct kd_iter paths = kd_value_iter(ingress, kd_value_member(ingress, http, KD_STR("paths")));
    struct kd_value path;
    int32_t rc = 0;
    while (rc == 0 && kd_iter_next(ingress, &paths, &path)) {
        rc = relate_backend(out, ingress, kd_value_member(ingress, path, KD_STR("backend")));
    }
    return rc;
}

static int32_t ingress_relate(void *self, struct kd_ctx *ctx, const struct kd_object *ingress,
                              struct kd_relations *out)
{
    struct kd_iter rules = kd_value_iter(ingress, kd_object_value(ingress, P_RULES));
    struct kd_value rule;
    int32_t rc = relate_backend(out, ingress, kd_object_value(ingress, P_DEFAULT));
    (void)self;
    (void)ctx;
    while (rc == 0 && kd_iter_next(ingress, &rules, &rule)) {
        rc = relate_rule(out, ingress, rule);
    }
    return rc;
}

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = "networking.k8s.io",
        .version = "v1",
        .kind = "Ingress",
        .resource = "ingresses",
        .scope = KD_SCOPE_NAMESPACED,
        KD_ARRAY(fields, n_fields, fields),
        KD_ARRAY(short_names, n_short_names, short_names),
        .relate = ingress_relate,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("ingress", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
