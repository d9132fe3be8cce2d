/* What a plugin may ask of the host during a call. */
#include "base/log.h"
#include "controller/run.h"
#include "plugin/object.h"

#include <stdio.h>

static void *ctx_alloc(struct kd_ctx *ctx, uint64_t size)
{
    struct kd_run *run = ctx->host;
    return kd_arena_alloc(&run->scratch->arena, size);
}

static void ctx_log(struct kd_ctx *ctx, uint32_t level, const char *text)
{
    const struct kd_run *run = ctx->host;
    char key[KD_KEY_TEXT_MAX];
    char id[KD_RUN_ID_MAX];
    KD_LOG(level <= KD_LOG_ERROR ? level : KD_LOG_ERROR, text ? text : "",
           KD_F("plugin", run->controller->kind->instance->name),
           KD_F("kind", run->controller->kind->def.kind), KD_F("key", kd_key_text(run->key, key)),
           KD_F("reconcileID", kd_run_id_text(run, id)));
}

static int64_t ctx_now(struct kd_ctx *ctx)
{
    const struct kd_run *run = ctx->host;
    return kd_wall_ns(run->controller->clock);
}

static int32_t ctx_get(struct kd_ctx *ctx, const struct kd_key *key, const struct kd_object **ret)
{
    struct kd_run *run = ctx->host;
    struct kd_record *record = kd_informer_get(run->controller->informer, *key);
    KD_ENSURE(record, KD_ENOENT);
    struct kd_object *object = NULL;
    struct kd_str json;
    int rc = kd_record_decode(record, &run->scratch->arena, &json);
    if (rc == 0) {
        rc = kd_object_bind_value(run->controller->kind, kd_record_value(json),
                                  &run->scratch->arena, &object, NULL);
    }
    kd_record_unref(record);
    if (rc == 0) {
        *ret = object;
    }
    return rc;
}

static int32_t ctx_list(struct kd_ctx *ctx, const char *index, struct kd_str value,
                        const struct kd_key **ret, uint64_t *ret_n)
{
    struct kd_run *run = ctx->host;
    struct kd_key *keys = NULL;
    size_t n = 0;
    KD_TRY(kd_informer_by_index(run->controller->informer, index, value, &run->scratch->arena,
                                &keys, &n));
    *ret = keys;
    *ret_n = n;
    return 0;
}

static const struct kd_ctx_ops ctx_ops = {
    .struct_size = sizeof(ctx_ops),
    .alloc = ctx_alloc,
    .log = ctx_log,
    .now = ctx_now,
    .get = ctx_get,
    .list = ctx_list,
};

char *kd_run_id_text(const struct kd_run *run, char out[KD_RUN_ID_MAX])
{
    (void)snprintf(out, KD_RUN_ID_MAX, "%016llx", (unsigned long long)run->id); /* fits */
    return out;
}

void kd_run_init(struct kd_run *run, struct kd_controller *controller,
                 const struct kd_queue_item *item, struct kd_run_scratch *scratch)
{
    *run = (struct kd_run){
        .ctx = { .ops = &ctx_ops, .host = run },
        .controller = controller,
        .key = item->key,
        .item = item,
        .id = atomic_fetch_add(&controller->pool->next_id, 1),
        .scratch = scratch,
    };
}

int kd_run_bind(struct kd_run *run, const struct kd_record *record, struct kd_object **ret)
{
    struct kd_str json;
    KD_TRY(kd_run_check(run, "decode", kd_record_decode(record, &run->scratch->arena, &json)));
    return kd_object_bind_value(run->controller->kind, kd_record_value(json), &run->scratch->arena,
                                ret, &run->error);
}

int kd_run_check(struct kd_run *run, const char *step, int32_t rc)
{
    return rc < 0 ? kd_fail(&run->error, rc, "%s: %s", step, kd_errno_text(rc)) : 0;
}
