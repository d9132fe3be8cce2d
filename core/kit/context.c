/* What a plugin may ask of the host during a call, answered from the test's objects. */
#include "base/limits.h"
#include "base/str.h"
#include "json/json.h"
#include "kit/kit.h"
#include "plugin/object.h"

#include <string.h>

static void *ctx_alloc(struct kd_ctx *ctx, uint64_t size)
{
    struct kd_kit_run *run = ctx->host;
    return kd_kit_fails(run->test, KD_TEST_SCRATCH) ? NULL
                                                    : kd_arena_alloc(&run->test->scratch, size);
}

static void ctx_log(struct kd_ctx *ctx, uint32_t level, const char *text)
{
    const struct kd_kit_run *run = ctx->host;
    run->test->host.log(&run->test->host, level, text);
}

static int64_t ctx_now(struct kd_ctx *ctx)
{
    const struct kd_kit_run *run = ctx->host;
    return run->test->now_ns;
}

static int32_t ctx_get(struct kd_ctx *ctx, const struct kd_key *key, const struct kd_object **ret)
{
    struct kd_kit_run *run = ctx->host;
    const struct kd_kind *def = &run->kind->def;
    struct kd_object *object = NULL;
    const struct kd_kit_object *found =
        kd_kit_find(run->test, kd_str_from(def->group), kd_str_from(def->kind), key->ns, key->name);
    bool is_there = found && found->json;
    kd_kit_note(run->test, "get %s/" KD_STR_FMT "/" KD_STR_FMT ": %s", def->kind,
                KD_STR_ARG(key->ns), KD_STR_ARG(key->name), is_there ? "found" : "not found");
    KD_ENSURE(is_there, KD_ENOENT);
    KD_TRY(kd_object_bind(run->kind, kd_str_from(found->json), &run->test->scratch, &object, NULL));
    *ret = object;
    return 0;
}

static const char *path_of(const struct kd_kind *def, const char *index)
{
    for (uint32_t i = 0; i < def->n_indexes; i++) {
        if (strcmp(def->indexes[i].name, index) == 0) {
            return def->indexes[i].path;
        }
    }
    return NULL;
}

static bool has_value(const struct kd_kit_run *run, const struct kd_kit_object *object,
                      const char *path, struct kd_str value)
{
    const struct kd_kind *def = &run->kind->def;
    struct kd_value root;
    struct kd_value found = { 0 };
    return object->json && strcmp(object->kind, def->kind) == 0 &&
           strcmp(object->group, def->group) == 0 &&
           kd_json_parse(kd_str_from(object->json), &root, NULL) == 0 &&
           kd_json_at(root, path, &found) && found.type == KD_JSON_STRING &&
           kd_json_string_is(found, value);
}

static int32_t ctx_list(struct kd_ctx *ctx, const char *index, struct kd_str value,
                        const struct kd_key **ret, uint64_t *ret_n)
{
    struct kd_kit_run *run = ctx->host;
    const char *path = path_of(&run->kind->def, index);
    size_t n = 0;
    KD_ENSURE(path, KD_ENOENT);
    for (struct kd_kit_object *o = run->test->objects; o; o = o->next) {
        n += has_value(run, o, path, value);
    }
    struct kd_key *keys = kd_arena_alloc(&run->test->scratch, (n + 1) * sizeof(*keys));
    KD_ENSURE(keys, KD_ENOMEM);
    *ret = keys;
    *ret_n = n;
    for (struct kd_kit_object *o = run->test->objects; o; o = o->next) {
        if (has_value(run, o, path, value)) {
            *keys++ = (struct kd_key){ kd_str_from(o->ns), kd_str_from(o->name) };
        }
    }
    kd_kit_note(run->test, "list %s=" KD_STR_FMT ": %zu", index, KD_STR_ARG(value), n);
    return 0;
}

const struct kd_ctx_ops kd_kit_ctx_ops = {
    .struct_size = sizeof(struct kd_ctx_ops),
    .alloc = ctx_alloc,
    .log = ctx_log,
    .now = ctx_now,
    .get = ctx_get,
    .list = ctx_list,
};
