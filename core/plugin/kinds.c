#include "plugin/kinds.h"

#include "base/alloc.h"
#include "base/str.h"
#include "plugin/elf.h"
#include "plugin/fields.h"

#include <string.h>

#define FIRST_KIND_SIZE (offsetof(struct kd_kind, deleted) + sizeof(void (*)(void)))
#define FIRST_INDEX_SIZE sizeof(struct kd_index)
#define MAX_KINDS 256u
#define MAX_PATHS 1024u

struct taking {
    struct kd_instance *instance;
    const struct kd_loaded *loaded;
    struct kd_arena *arena;
    struct kd_refusal *refusal;
    int rc;
};

static int no_room(struct kd_refusal *refusal)
{
    return kd_refuse(refusal, KD_ETOOBIG, "the plugin declares more than the host takes",
                     "fewer kinds, paths or settings", "over the bound");
}

static int copy_text(struct taking *taking, const char **text, const char *what, bool may_be_empty)
{
    if (!*text || (!may_be_empty && !**text)) {
        return kd_refuse(taking->refusal, KD_EABI, "a mandatory text of a kind is missing", what,
                         "%s", *text ? "\"\"" : "NULL");
    }
    struct kd_str copy = kd_arena_copy(taking->arena, kd_str_from(*text));
    if (!copy.ptr) {
        return no_room(taking->refusal);
    }
    *text = copy.ptr;
    return 0;
}

static int copy_texts(struct taking *taking, const char *const **texts, uint32_t n,
                      const char *what)
{
    if (n == 0) {
        *texts = NULL;
        return 0;
    }
    const char **copies =
        n <= MAX_PATHS ? kd_arena_alloc(taking->arena, n * sizeof(*copies)) : NULL;
    if (!copies) {
        return no_room(taking->refusal);
    }
    if (!*texts) {
        return kd_refuse(taking->refusal, KD_EABI, "a kind counts elements but has no array", what,
                         "NULL");
    }
    for (uint32_t i = 0; i < n; i++) {
        copies[i] = (*texts)[i];
        KD_TRY(copy_text(taking, &copies[i], what, false));
    }
    *texts = copies;
    return 0;
}

static int copy_indexes(struct taking *taking, struct kd_kind *kind)
{
    if (kind->n_indexes == 0) {
        kind->indexes = NULL;
        return 0;
    }
    if (!kind->indexes || kind->index_size < FIRST_INDEX_SIZE) {
        return kd_refuse(taking->refusal, KD_EABI, "a kind's index array has no valid stride",
                         "index_size of this major", "index_size %u", (unsigned)kind->index_size);
    }
    struct kd_index *copies = kind->n_indexes <= MAX_PATHS
                                  ? kd_arena_alloc(taking->arena, kind->n_indexes * sizeof(*copies))
                                  : NULL;
    if (!copies) {
        return no_room(taking->refusal);
    }
    for (uint32_t i = 0; i < kind->n_indexes; i++) {
        const char *at = (const char *)kind->indexes + (size_t)i * kind->index_size;
        memcpy(&copies[i], at, sizeof(copies[i]));
        KD_TRY(copy_text(taking, &copies[i].name, "an index name", false));
        KD_TRY(copy_text(taking, &copies[i].path, "an index path", false));
    }
    kind->indexes = copies;
    kind->index_size = sizeof(struct kd_index);
    return 0;
}

static int check_kind(struct taking *taking, const struct kd_kind *kind)
{
    if (kind->scope > KD_SCOPE_CLUSTER) {
        return kd_refuse(taking->refusal, KD_EABI, "a kind's scope is namespaced or cluster",
                         "scope 0 or 1", "scope %u", (unsigned)kind->scope);
    }
    if (kind->n_watches > 0) {
        return kd_refuse(taking->refusal, KD_EUNSUPPORTED,
                         "this host does not serve watches of other kinds yet: leave them out",
                         "no watches", "%u watches", (unsigned)kind->n_watches);
    }
    if ((kind->flags & KD_KIND_OBSERVER) && !kind->relate && !kind->reconcile) {
        return kd_refuse(taking->refusal, KD_EABI, "an observer has relate or reconcile",
                         "relate or reconcile", "neither for kind %s", kind->kind);
    }
    return 0;
}

/* What the informer compiles later: a bad path is the plugin's fault and is found at its door. */
static int check_paths(struct taking *taking, const struct kd_kind *kind)
{
    struct kd_json_plan *plan = NULL;
    struct kd_error error;
    int rc = kd_json_plan_new(kind->noise, kind->n_noise, true, &plan, &error);
    kd_json_plan_free(plan);
    for (uint32_t i = 0; rc == 0 && i < kind->n_indexes; i++) {
        rc = kd_json_plan_new(&kind->indexes[i].path, 1, false, &plan, &error);
        kd_json_plan_free(rc == 0 ? plan : NULL);
    }
    return rc < 0 ? kd_refuse(taking->refusal, KD_EABI, error.text, "valid paths", "kind %s",
                              kind->kind)
                  : 0;
}

/* Two answers of one instance about one object would take each other's relations away. */
static int check_twins(struct taking *taking, const struct kd_kind *kind)
{
    const struct kd_instance *instance = taking->instance;
    for (size_t i = 0; i < instance->n_kinds; i++) {
        const struct kd_kind *other = &instance->kinds[i].def;
        if (strcmp(other->group, kind->group) == 0 && strcmp(other->kind, kind->kind) == 0) {
            return kd_refuse(taking->refusal, KD_EEXIST, "a plugin declares a kind once",
                             "each kind once", "kind %s twice", kind->kind);
        }
    }
    return 0;
}

static int copy_kind(struct taking *taking, struct kd_kind *kind)
{
    KD_TRY(copy_text(taking, &kind->group, "group (\"\" for core)", true));
    KD_TRY(copy_text(taking, &kind->version, "version", false));
    KD_TRY(copy_text(taking, &kind->kind, "kind", false));
    KD_TRY(copy_text(taking, &kind->resource, "resource", false));
    KD_TRY(copy_texts(taking, &kind->fields, kind->n_fields, "fields"));
    KD_TRY(copy_texts(taking, &kind->noise, kind->n_noise, "noise"));
    KD_TRY(copy_texts(taking, &kind->short_names, kind->n_short_names, "short_names"));
    KD_TRY(copy_indexes(taking, kind));
    KD_TRY(check_paths(taking, kind));
    KD_TRY(check_twins(taking, kind));
    return check_kind(taking, kind);
}

static int add_kind(struct taking *taking, const struct kd_kind *from, uint32_t stride)
{
    struct kd_instance *instance = taking->instance;
    if (stride < FIRST_KIND_SIZE || from->struct_size < FIRST_KIND_SIZE ||
        from->struct_size > stride) {
        return kd_refuse(taking->refusal, KD_EABI, "a kind's sizes do not fit this major",
                         "struct_size up to kind_size, both of ABI 1.0 or later",
                         "kind_size %u, struct_size %u", (unsigned)stride,
                         (unsigned)from->struct_size);
    }
    if (instance->n_kinds >= MAX_KINDS) {
        return no_room(taking->refusal);
    }
    instance->kinds =
        kd_realloc_array(instance->kinds, instance->n_kinds + 1, sizeof(*instance->kinds));
    struct kd_instance_kind *to = &instance->kinds[instance->n_kinds];
    *to = (struct kd_instance_kind){ .instance = instance };
    size_t size = from->struct_size < sizeof(to->def) ? from->struct_size : sizeof(to->def);
    memcpy(&to->def, from, size);
    to->def.struct_size = sizeof(to->def);
    KD_TRY(copy_kind(taking, &to->def));
    struct kd_error error;
    if (kd_fields_plan(&to->def, &to->fields, &error) < 0) {
        return kd_refuse(taking->refusal, KD_EABI, error.text, "valid paths", "kind %s",
                         to->def.kind);
    }
    instance->n_kinds++;
    return 0;
}

static int take_static(struct taking *taking)
{
    const struct kd_plugin *plugin = &taking->loaded->plugin;
    size_t bytes = 0;
    if (plugin->n_kinds == 0) {
        return 0;
    }
    if (!plugin->kinds || plugin->n_kinds > MAX_KINDS ||
        !kd_size_mul(plugin->n_kinds, plugin->kind_size, &bytes) ||
        !kd_elf_contains(taking->loaded->handle, plugin->kinds, bytes)) {
        return kd_refuse(taking->refusal, KD_EABI, "the kinds lie outside of the plugin's file",
                         "n_kinds x kind_size bytes in the file", "%u x %u",
                         (unsigned)plugin->n_kinds, (unsigned)plugin->kind_size);
    }
    for (uint32_t i = 0; i < plugin->n_kinds; i++) {
        const char *at = (const char *)plugin->kinds + (size_t)i * plugin->kind_size;
        KD_TRY(add_kind(taking, (const struct kd_kind *)(const void *)at, plugin->kind_size));
    }
    return 0;
}

static int32_t on_described(struct kd_kind_sink *sink, const struct kd_kind *kind)
{
    struct taking *taking = sink->host;
    if (taking->rc == 0) {
        taking->rc = add_kind(taking, kind, kind->struct_size);
    }
    return taking->rc;
}

static int take_described(struct taking *taking, const void *settings)
{
    struct kd_kind_sink sink = { .struct_size = sizeof(sink), .add = on_described, .host = taking };
    if (!taking->loaded->plugin.describe) {
        return 0;
    }
    int rc = taking->loaded->plugin.describe(settings, &sink);
    if (taking->rc < 0) {
        return taking->rc;
    }
    if (rc < 0) {
        return kd_refuse(taking->refusal, KD_EPLUGIN, "describe failed: look at the settings",
                         "kinds from the settings", "%s", kd_errno_text(rc));
    }
    return 0;
}

static int check_scope(const struct kd_instance *instance, struct kd_refusal *refusal)
{
    bool namespaced = instance->entry->exclude_namespaces.n == 0;
    for (size_t i = 0; i < instance->n_kinds; i++) {
        namespaced = namespaced || instance->kinds[i].def.scope == KD_SCOPE_NAMESPACED;
    }
    return namespaced ? 0
                      : kd_refuse(refusal, KD_ECONFIG,
                                  "exclude_namespaces is set, and no kind of the plugin lives in a "
                                  "namespace",
                                  "exclude_namespaces = []", "kind %s, of the whole cluster",
                                  instance->kinds[0].def.kind);
}

int kd_kinds_take(struct kd_instance *instance, const struct kd_loaded *loaded,
                  const void *settings, struct kd_arena *arena, struct kd_refusal *refusal)
{
    struct taking taking = {
        .instance = instance, .loaded = loaded, .arena = arena, .refusal = refusal
    };
    KD_TRY(take_static(&taking));
    KD_TRY(take_described(&taking, settings));
    if (instance->n_kinds == 0) {
        return kd_refuse(refusal, KD_EABI, "the plugin yields no kind", "at least one kind",
                         "none");
    }
    return check_scope(instance, refusal);
}

void kd_kinds_release(struct kd_instance *instance)
{
    for (size_t i = 0; i < instance->n_kinds; i++) {
        kd_json_plan_free(instance->kinds[i].fields);
    }
    instance->kinds = kd_free(instance->kinds);
    instance->n_kinds = 0;
}
