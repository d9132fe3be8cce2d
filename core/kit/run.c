/* One run of a key, in the steps of a worker of the host. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "kit/kit.h"
#include "plugin/object.h"

#include <string.h>

#define SCRATCH_KEEP KD_MIB
#define REQUEUE_MIN_NS (10 * KD_MS_NS)
#define BACKOFF_BASE_NS (5 * KD_MS_NS) /* these two are the defaults of the configuration */
#define BACKOFF_MAX_NS (1000 * KD_SEC_NS)

static struct kd_str text_of(struct kd_value value)
{
    return (struct kd_str){ value.ptr, value.type == KD_JSON_OBJECT ? value.len : 0 };
}

static int convert(struct kd_kit_run *run, struct kd_ctx *ctx, const struct kd_object *object)
{
    const struct kd_kind *def = &run->kind->def;
    run->labels = text_of(object->labels);
    run->annotations = text_of(object->annotations);
    run->data = text_of(object->root);
    if (!def->convert || (def->flags & KD_KIND_OBSERVER)) {
        return 0;
    }
    struct kd_resource resource = { &kd_kit_resource_ops, run };
    return def->convert(run->test->instance.self, ctx, object, &resource);
}

static int relate(struct kd_kit_run *run, struct kd_ctx *ctx, const struct kd_object *object)
{
    const struct kd_kind *def = &run->kind->def;
    struct kd_relations out = { &kd_kit_relations_ops, object->ref, run };
    int rc = def->relate ? def->relate(run->test->instance.self, ctx, object, &out) : 0;
    return rc < 0 ? rc : run->rc; /* a part of the relations in place of all is none */
}

static char *resource_text(const struct kd_kit_run *run)
{
    const struct kd_str none = KD_STR("{}");
    KD_AUTO_BUF struct kd_buf text;
    kd_buf_init(&text, KD_KIT_TEXT_MAX);
    (void)kd_buf_puts(&text, "{\"labels\":"); /* full: the end is missing */
    (void)kd_buf_put_str(&text, run->labels.len ? run->labels : none);
    (void)kd_buf_puts(&text, ",\"annotations\":");
    (void)kd_buf_put_str(&text, run->annotations.len ? run->annotations : none);
    (void)kd_buf_puts(&text, ",\"data\":");
    (void)kd_buf_put_str(&text, run->data);
    (void)kd_buf_puts(&text, "}");
    return kd_buf_steal(&text);
}

static void replace(char **text, char *by)
{
    kd_free(*text);
    *text = by;
}

static int put_object(struct kd_kit_run *run, struct kd_ctx *ctx)
{
    struct kd_object *object = NULL;
    int rc = kd_object_bind(run->kind, kd_str_from(run->object->json), &run->test->scratch, &object,
                            NULL);
    KD_ENSURE(rc == 0, rc == KD_EPARSE ? KD_ETERMINAL : rc);
    KD_TRY(convert(run, ctx, object));
    KD_TRY(relate(run, ctx, object));
    bool owner = !(run->kind->def.flags & KD_KIND_OBSERVER);
    replace(&run->object->resource, owner ? resource_text(run) : NULL);
    replace(&run->object->relations, kd_buf_steal(&run->relations));
    return 0;
}

static int tell_deleted(struct kd_kit_run *run, struct kd_ctx *ctx)
{
    const struct kd_kind *def = &run->kind->def;
    struct kd_object *last = NULL;
    int rc = 0;
    if (!run->object->grave) {
        return 0;
    }
    if (def->deleted) {
        rc = kd_object_bind(run->kind, kd_str_from(run->object->grave), &run->test->scratch, &last,
                            NULL);
        rc = rc < 0 ? KD_ETERMINAL : def->deleted(run->test->instance.self, ctx, last, 0);
    }
    if (rc == 0 || rc == KD_ETERMINAL) {
        run->object->grave = kd_free(run->object->grave);
    }
    return rc;
}

static int bring_up_to_date(struct kd_kit_run *run, struct kd_ctx *ctx, struct kd_result *result)
{
    const struct kd_kind *def = &run->kind->def;
    struct kd_key key = { kd_str_from(run->object->ns), kd_str_from(run->object->name) };
    if (def->reconcile) {
        return def->reconcile(run->test->instance.self, ctx, &key, result);
    }
    if (run->object->json) {
        return put_object(run, ctx);
    }
    replace(&run->object->resource, NULL);
    replace(&run->object->relations, NULL);
    return 0;
}

static void finish(struct kd_kit_run *run, int rc, const struct kd_result *result)
{
    struct kd_test *test = run->test;
    struct kd_kit_object *object = run->object;
    char time[KD_RFC3339_MAX];
    int64_t after_ns = result->requeue_after_ns;
    if (rc == KD_ETERMINAL) {
        kd_kit_note(test, "run " KD_KIT_OBJECT_FMT ": %s", KD_KIT_OBJECT_ARG(object),
                    kd_errno_text(rc));
    } else if (rc < 0) {
        int64_t left = BACKOFF_MAX_NS >> (object->failures < 40 ? object->failures : 40);
        after_ns = left < BACKOFF_BASE_NS ? BACKOFF_MAX_NS : BACKOFF_BASE_NS << object->failures;
        object->failures++;
        kd_kit_note(test, "run " KD_KIT_OBJECT_FMT ": %s, again after %s",
                    KD_KIT_OBJECT_ARG(object), kd_errno_text(rc), kd_duration_text(after_ns, time));
        kd_kit_queue(test, object, kd_time_add_ns(test->now_ns, after_ns));
    } else if (after_ns > 0) {
        after_ns = after_ns < REQUEUE_MIN_NS ? REQUEUE_MIN_NS : after_ns;
        object->failures = 0;
        kd_kit_note(test, "run " KD_KIT_OBJECT_FMT ": requeue after %s", KD_KIT_OBJECT_ARG(object),
                    kd_duration_text(after_ns, time));
        kd_kit_queue(test, object, kd_time_add_ns(test->now_ns, after_ns));
    } else {
        object->failures = 0;
        kd_kit_note(test, "run " KD_KIT_OBJECT_FMT ": done", KD_KIT_OBJECT_ARG(object));
    }
}

static void run_object(struct kd_test *test, struct kd_kit_object *object)
{
    struct kd_kit_run run = { .test = test, .object = object };
    struct kd_ctx ctx = { &kd_kit_ctx_ops, &run };
    struct kd_result result = { .struct_size = sizeof(result) };
    run.kind = kd_kit_kind_of(test, kd_str_from(object->group), kd_str_from(object->kind));
    object->queued = false;
    memset(test->calls, 0, sizeof(test->calls));
    kd_buf_init(&run.relations, KD_KIT_TEXT_MAX);
    int deleted_rc = tell_deleted(&run, &ctx);
    int rc = bring_up_to_date(&run, &ctx, &result);
    if (rc == 0 || (rc == KD_ETERMINAL && deleted_rc < 0)) {
        rc = deleted_rc;
    }
    test->result = rc;
    finish(&run, rc, &result);
    kd_buf_release(&run.relations);
    kd_arena_reset(&test->scratch, SCRATCH_KEEP);
}

uint32_t kd_test_run(struct kd_test *test)
{
    uint32_t n = 0;
    for (;;) {
        struct kd_kit_object *next = NULL;
        for (struct kd_kit_object *object = test->objects; object; object = object->next) {
            if (object->queued && object->due_ns <= test->now_ns &&
                (!next || object->due_ns < next->due_ns)) {
                next = object;
            }
        }
        if (!next) {
            return n;
        }
        run_object(test, next);
        n++;
    }
}
