/*
 * A plugin that uses all of the interface once, for the tests of the mock host. Kind Probe is
 * converted and related, kind Steady has a reconcile of its own.
 */
#include <kindred/plugin.h>

#ifndef PLUGIN_GROUP
#define PLUGIN_GROUP "example.org"
#endif

enum { P_PEER, P_FAIL };

static const char *const fields[] = { [P_PEER] = "/spec/peer", [P_FAIL] = "/spec/fail" };
static const char *const noise[] = { "/status/beats/*/at" };
static const struct kd_index indexes[] = { { "spec.peer", "/spec/peer" } };

/* A change of the status alone is of no interest. */
static uint32_t filter(void *self, const struct kd_event *event)
{
    (void)self;
    return event->changed == KD_CHANGED_STATUS ? KD_FILTER_DROP : KD_FILTER_QUEUE;
}

static int32_t convert(void *self, struct kd_ctx *ctx, const struct kd_object *obj,
                       struct kd_resource *res)
{
    (void)self;
    (void)ctx;
    if (res->ops->set_labels(res, KD_STR("no json")) != KD_EPARSE) {
        return KD_EPLUGIN;
    }
    return obj->labels.type == KD_JSON_NONE ? res->ops->set_labels(res, KD_STR("{\"set\":\"yes\"}"))
                                            : 0;
}

static int32_t relate(void *self, struct kd_ctx *ctx, const struct kd_object *obj,
                      struct kd_relations *out)
{
    const struct kd_object *peer = 0;
    const struct kd_key *keys = 0;
    uint64_t n = 0;
    struct kd_key key = { obj->ref.ns, kd_object_str(obj, P_PEER) };
    int64_t fails = kd_value_int(obj, kd_object_value(obj, P_FAIL), 0);
    (void)self;
    if (fails != 0) {
        return (int32_t)fails;
    }
    if (key.name.len == 0 || ctx->ops->get(ctx, &key, &peer) < 0) {
        return 0;
    }
    int32_t rc = ctx->ops->list(ctx, "spec.peer", key.name, &keys, &n);
    if (rc == 0) {
        rc = kd_relations_add(out, "Peer", peer->ref, KD_ATTR_NUM("rivals", (int64_t)n),
                              KD_ATTR_FLAG("up", 0));
    }
    return rc ? rc
              : kd_relations_add(out, "Peer", peer->ref, KD_ATTR_NUM("rivals", (int64_t)n),
                                 KD_ATTR_FLAG("up", 1));
}

static int32_t deleted(void *self, struct kd_ctx *ctx, const struct kd_object *last, uint32_t flags)
{
    (void)self;
    (void)flags;
    kd_ctx_log(ctx, KD_LOG_INFO, kd_object_str(last, P_PEER).len ? "gone with a peer" : "gone");
    return 0;
}

/* Comes again each minute as long as the object is there. */
static int32_t reconcile(void *self, struct kd_ctx *ctx, const struct kd_key *key,
                         struct kd_result *result)
{
    const struct kd_object *object = 0;
    (void)self;
    if (ctx->ops->get(ctx, key, &object) == 0) {
        result->requeue_after_ns = INT64_C(60000000000);
    }
    return 0;
}

static int32_t init(const struct kd_host *host, const void *settings, void **self,
                    struct kd_error *err)
{
    (void)settings;
    (void)self;
    (void)err;
    host->log(host, KD_LOG_DEBUG, "hello");
    return 0;
}

static const struct kd_kind kinds[] = {
    {
        .struct_size = sizeof(struct kd_kind),
        .group = PLUGIN_GROUP,
        .version = "v1",
        .kind = "Probe",
        .resource = "probes",
        KD_ARRAY(fields, n_fields, fields),
        KD_ARRAY(noise, n_noise, noise),
        KD_ARRAY(indexes, n_indexes, indexes),
        .index_size = sizeof(struct kd_index),
        .filter = filter,
        .convert = convert,
        .relate = relate,
        .deleted = deleted,
    },
    {
        .struct_size = sizeof(struct kd_kind),
        .group = PLUGIN_GROUP,
        .version = "v1",
        .kind = "Steady",
        .resource = "steadies",
        .scope = KD_SCOPE_CLUSTER,
        .reconcile = reconcile,
    },
};

const struct kd_plugin kindred_plugin = {
    KD_PLUGIN_HEAD(PLUGIN_NAME, "1.0.0"),
    .required_caps = KD_CAP_CACHE_READ,
    KD_ARRAY(kinds, n_kinds, kinds),
    .kind_size = sizeof(struct kd_kind),
    .init = init,
};
