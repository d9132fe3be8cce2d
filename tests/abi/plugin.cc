// tests/plugins/probe.c in C++: the same objects give the same relations.
#include <kindred/plugin.h>

#include <cstring>

#ifndef PLUGIN_GROUP
#define PLUGIN_GROUP "example.org"
#endif

namespace {

enum { P_PEER, P_FAIL };

const char *const fields[] = {"/spec/peer", "/spec/fail"};
const char *const noise[] = {"/status/beats/*/at"};
const kd_index indexes[] = {{"spec.peer", "/spec/peer"}};

kd_str literal(const char *text)
{
    return kd_str{text, std::strlen(text)};
}

kd_attr attribute(const char *key, int64_t number, uint32_t type, uint32_t flags)
{
    return kd_attr{literal(key), kd_str{nullptr, 0}, number, type, flags};
}

uint32_t filter(void *, const kd_event *event)
{
    return event->changed == KD_CHANGED_STATUS ? KD_FILTER_DROP : KD_FILTER_QUEUE;
}

int32_t convert(void *, kd_ctx *, const kd_object *obj, kd_resource *res)
{
    if (res->ops->set_labels(res, literal("no json")) != KD_EPARSE) {
        return KD_EPLUGIN;
    }
    return obj->labels.type == KD_JSON_NONE
               ? res->ops->set_labels(res, literal("{\"set\":\"yes\"}"))
               : 0;
}

int32_t add_peer(kd_relations *out, const kd_ref &peer, int64_t rivals, int64_t up)
{
    const kd_attr attrs[] = {attribute("rivals", rivals, KD_ATTR_INT, 0),
                             attribute("up", up, KD_ATTR_BOOL, KD_ATTR_ANY)};
    return kd_relations_add_between(out, "Peer", out->self, peer, attrs, 2);
}

int32_t relate(void *, kd_ctx *ctx, const kd_object *obj, kd_relations *out)
{
    const kd_object *peer = nullptr;
    const kd_key *keys = nullptr;
    uint64_t n = 0;
    kd_key key = {obj->ref.ns, kd_object_str(obj, P_PEER)};
    int64_t fails = kd_value_int(obj, kd_object_value(obj, P_FAIL), 0);
    if (fails != 0) {
        return static_cast<int32_t>(fails);
    }
    if (key.name.len == 0 || ctx->ops->get(ctx, &key, &peer) < 0) {
        return 0;
    }
    int32_t rc = ctx->ops->list(ctx, "spec.peer", key.name, &keys, &n);
    for (int64_t up = 0; rc == 0 && up < 2; up++) {
        rc = add_peer(out, peer->ref, static_cast<int64_t>(n), up);
    }
    return rc;
}

int32_t deleted(void *, kd_ctx *ctx, const kd_object *last, uint32_t)
{
    kd_ctx_log(ctx, KD_LOG_INFO, kd_object_str(last, P_PEER).len ? "gone with a peer" : "gone");
    return 0;
}

int32_t reconcile(void *, kd_ctx *ctx, const kd_key *key, kd_result *result)
{
    const kd_object *object = nullptr;
    if (ctx->ops->get(ctx, key, &object) == 0) {
        result->requeue_after_ns = INT64_C(60000000000);
    }
    return 0;
}

int32_t init(const kd_host *host, const void *, void **, kd_error *)
{
    host->log(host, KD_LOG_DEBUG, "hello");
    return 0;
}

kd_kind make_kind(const char *kind, const char *resource, uint32_t scope)
{
    kd_kind made = {};
    made.struct_size = sizeof(made);
    made.group = PLUGIN_GROUP;
    made.version = "v1";
    made.kind = kind;
    made.resource = resource;
    made.scope = scope;
    return made;
}

kd_kind make_probe()
{
    kd_kind made = make_kind("Probe", "probes", KD_SCOPE_NAMESPACED);
    made.fields = fields;
    made.n_fields = 2;
    made.noise = noise;
    made.n_noise = 1;
    made.indexes = indexes;
    made.n_indexes = 1;
    made.index_size = sizeof(kd_index);
    made.filter = filter;
    made.convert = convert;
    made.relate = relate;
    made.deleted = deleted;
    return made;
}

kd_kind make_steady()
{
    kd_kind made = make_kind("Steady", "steadies", KD_SCOPE_CLUSTER);
    made.reconcile = reconcile;
    return made;
}

const kd_kind kinds[] = {make_probe(), make_steady()};

kd_plugin make_plugin()
{
    kd_plugin made = {};
    made.magic = KD_PLUGIN_MAGIC;
    made.struct_size = sizeof(made);
    made.abi_major = KD_ABI_MAJOR;
    made.abi_minor = KD_ABI_MINOR;
    made.required_caps = KD_CAP_CACHE_READ;
    made.name = PLUGIN_NAME;
    made.version = "1.0.0";
    made.kinds = kinds;
    made.n_kinds = 2;
    made.kind_size = sizeof(kd_kind);
    made.init = init;
    return made;
}

} // namespace

// Filled in by a constructor, which runs inside dlopen, before the host reads it.
const kd_plugin kindred_plugin = make_plugin();
