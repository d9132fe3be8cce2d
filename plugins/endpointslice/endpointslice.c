/*
 * EndpointSlices: which pods serve a Service. The slice is the origin of the relations and its
 * label names the Service. One relation per service, pod, ip, port, protocol and port name; `ready`
 * is no part of that identity.
 */
#include <kindred/plugin.h>

enum { P_SERVICE, P_ENDPOINTS, P_PORTS };

static const char *const fields[] = {
    [P_SERVICE] = "/metadata/labels/kubernetes.io~1service-name",
    [P_ENDPOINTS] = "/endpoints",
    [P_PORTS] = "/ports",
};

struct endpoint {
    struct kd_ref service;
    struct kd_ref pod;
    struct kd_str ip;
    uint32_t ready;
};

static int32_t relate_port(struct kd_relations *out, const struct endpoint *endpoint,
                           const struct kd_object *slice, struct kd_value port)
{
    struct kd_attr attrs[5] = { KD_ATTR("ip", endpoint->ip),
                                KD_ATTR_FLAG("ready", endpoint->ready) };
    uint32_t n = 2;
    if (port.type == KD_JSON_OBJECT) {
        struct kd_str protocol = kd_value_member_str(slice, port, KD_STR("protocol"));
        int64_t number = kd_value_int(slice, kd_value_member(slice, port, KD_STR("port")), -1);
        if (number >= 0) { /* without a number the slice means every port */
            attrs[n++] = KD_ATTR_NUM("port", number);
        }
        attrs[n++] = KD_ATTR("protocol", protocol.len ? protocol : KD_STR("TCP"));
        attrs[n++] = KD_ATTR("portName", kd_value_member_str(slice, port, KD_STR("name")));
    }
    return kd_relations_add_between(out, "ServiceEndpoint", endpoint->service, endpoint->pod, attrs,
                                    n);
}

static int32_t relate_address(struct kd_relations *out, const struct endpoint *endpoint,
                              const struct kd_object *slice)
{
    struct kd_iter ports = kd_value_iter(slice, kd_object_value(slice, P_PORTS));
    struct kd_value port;
    uint32_t n = 0;
    while (kd_iter_next(slice, &ports, &port)) {
        int32_t rc = relate_port(out, endpoint, slice, port);
        if (rc < 0) {
            return rc;
        }
        n++;
    }
    struct kd_value none = { 0, 0, KD_JSON_NONE, 0 };
    return n ? 0 : relate_port(out, endpoint, slice, none);
}

/* Fills in pod and readiness; 0 when the endpoint has no pod as its target. */
static uint32_t read_endpoint(const struct kd_object *slice, struct kd_value value,
                              struct endpoint *ret)
{
    struct kd_value target = kd_value_member(slice, value, KD_STR("targetRef"));
    struct kd_str kind = kd_value_member_str(slice, target, KD_STR("kind"));
    struct kd_str name = kd_value_member_str(slice, target, KD_STR("name"));
    struct kd_str ns = kd_value_member_str(slice, target, KD_STR("namespace"));
    struct kd_str pod = KD_STR("Pod");
    if (name.len == 0 || kind.len != pod.len || __builtin_memcmp(kind.ptr, pod.ptr, pod.len) != 0) {
        return 0;
    }
    struct kd_value conditions = kd_value_member(slice, value, KD_STR("conditions"));
    ret->ready = kd_value_bool(kd_value_member(slice, conditions, KD_STR("ready")), 1);
    ret->pod = kd_ref_named("", "v1", "Pod", ns.len ? ns : slice->ref.ns, name);
    ret->pod.uid = kd_value_member_str(slice, target, KD_STR("uid"));
    return 1;
}

static int32_t relate_endpoint(struct kd_relations *out, struct kd_str service,
                               const struct kd_object *slice, struct kd_value value)
{
    struct endpoint endpoint = { .service =
                                     kd_ref_named("", "v1", "Service", slice->ref.ns, service) };
    struct kd_value address;
    if (!read_endpoint(slice, value, &endpoint)) {
        return 0;
    }
    struct kd_iter addresses =
        kd_value_iter(slice, kd_value_member(slice, value, KD_STR("addresses")));
    while (kd_iter_next(slice, &addresses, &address)) {
        endpoint.ip = kd_value_str(slice, address);
        int32_t rc = endpoint.ip.len ? relate_address(out, &endpoint, slice) : 0;
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static int32_t slice_relate(void *self, struct kd_ctx *ctx, const struct kd_object *slice,
                            struct kd_relations *out)
{
    struct kd_str service = kd_object_str(slice, P_SERVICE);
    struct kd_iter endpoints = kd_value_iter(slice, kd_object_value(slice, P_ENDPOINTS));
    struct kd_value endpoint;
    (void)self;
    (void)ctx;
    if (service.len == 0) {
        return 0; /* no Service stands behind it */
    }
    while (kd_iter_next(slice, &endpoints, &endpoint)) {
        int32_t rc = relate_endpoint(out, service, slice, endpoint);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = "discovery.k8s.io",
        .version = "v1",
        .kind = "EndpointSlice",
        .resource = "endpointslices",
        .scope = KD_SCOPE_NAMESPACED,
        KD_ARRAY(fields, n_fields, fields),
        .relate = slice_relate,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD("endpointslice", "1.0.0"),
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
};
