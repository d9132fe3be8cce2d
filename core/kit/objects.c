/* The objects that a test says are there. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "json/json.h"
#include "kit/kit.h"

#include <string.h>

/* What an object's text says of itself. */
struct identity {
    struct kd_str group, kind, ns, name, uid;
};

struct kd_kit_object *kd_kit_find(struct kd_test *test, struct kd_str group, struct kd_str kind,
                                  struct kd_str ns, struct kd_str name)
{
    struct kd_kit_object *object = test->objects;
    while (object && !(kd_str_is(kind, object->kind) && kd_str_is(group, object->group) &&
                       kd_str_is(ns, object->ns) && kd_str_is(name, object->name))) {
        object = object->next;
    }
    return object;
}

const struct kd_instance_kind *kd_kit_kind_of(const struct kd_test *test, struct kd_str group,
                                              struct kd_str kind)
{
    for (size_t i = 0; i < test->instance.n_kinds; i++) {
        const struct kd_kind *def = &test->instance.kinds[i].def;
        if (kd_str_is(kind, def->kind) && kd_str_is(group, def->group)) {
            return &test->instance.kinds[i];
        }
    }
    return NULL;
}

static bool is_watched(const struct kd_test *test, const struct identity *id)
{
    for (size_t i = 0; i < test->instance.n_kinds; i++) {
        const struct kd_kind *def = &test->instance.kinds[i].def;
        for (uint32_t j = 0; j < def->n_watches; j++) {
            if (kd_str_is(id->kind, def->watches[j].kind) &&
                kd_str_is(id->group, def->watches[j].group)) {
                return true;
            }
        }
    }
    return false;
}

static int identify(struct kd_test *test, struct kd_value root, struct identity *ret,
                    struct kd_error *err)
{
    struct kd_arena *arena = &test->scratch;
    struct kd_value metadata = { 0 };
    struct kd_str version = kd_json_get_str(root, KD_STR("apiVersion"), arena);
    struct identity id = { .kind = kd_json_get_str(root, KD_STR("kind"), arena) };
    bool has_group = version.len && memchr(version.ptr, '/', version.len);
    id.group = has_group ? kd_str_cut(&version, '/') : KD_STR("");
    if (id.kind.len == 0 && test->instance.n_kinds > 0) {
        id.kind = kd_str_from(test->instance.kinds[0].def.kind);
        id.group = kd_str_from(test->instance.kinds[0].def.group);
    }
    if (!kd_json_get(root, KD_STR("metadata"), &metadata)) {
        return kd_fail(err, KD_EPARSE, "the object has no metadata");
    }
    id.ns = kd_json_get_str(metadata, KD_STR("namespace"), arena);
    id.name = kd_json_get_str(metadata, KD_STR("name"), arena);
    id.uid = kd_json_get_str(metadata, KD_STR("uid"), arena);
    if (id.name.len == 0) {
        return kd_fail(err, KD_EPARSE, "the object has no metadata.name");
    }
    if (!kd_kit_kind_of(test, id.group, id.kind) && !is_watched(test, &id)) {
        return kd_fail(err, KD_ENOENT,
                       "the plugin neither serves nor watches kind " KD_STR_FMT
                       " of group \"" KD_STR_FMT "\"",
                       KD_STR_ARG(id.kind), KD_STR_ARG(id.group));
    }
    *ret = id;
    return 0;
}

static struct kd_kit_object *find_or_add(struct kd_test *test, const struct identity *id)
{
    struct kd_kit_object **link = &test->objects;
    struct kd_kit_object *found = kd_kit_find(test, id->group, id->kind, id->ns, id->name);
    if (found) {
        return found;
    }
    while (*link) {
        link = &(*link)->next;
    }
    *link = kd_zalloc(sizeof(**link));
    **link = (struct kd_kit_object){
        .group = kd_str_dup(id->group),
        .kind = kd_str_dup(id->kind),
        .ns = kd_str_dup(id->ns),
        .name = kd_str_dup(id->name),
        .uid = kd_str_dup(id->uid),
    };
    return *link;
}

/* The last state before an object went; a later one takes an earlier one's place. */
static void bury(struct kd_kit_object *object, const char *json)
{
    kd_free(object->grave);
    object->grave = kd_strdup(json);
}

static void put(struct kd_test *test, const struct identity *id, struct kd_value root)
{
    struct kd_kit_object *object = find_or_add(test, id);
    char *before = object->json;
    bool replaced = before && id->uid.len && object->uid[0] && !kd_str_is(id->uid, object->uid);
    if (replaced) {
        bury(object, before);
    }
    kd_free(object->uid);
    object->uid = kd_str_dup(id->uid);
    object->json = kd_str_dup((struct kd_str){ root.ptr, root.len });
    kd_kit_tell(test, object, before, object->json, replaced ? KD_EVENT_NEW_UID : 0);
    kd_free(before);
}

static int apply_one(struct kd_test *test, struct kd_value root, struct kd_error *err)
{
    struct identity id;
    int rc = root.type == KD_JSON_OBJECT ? identify(test, root, &id, err)
                                         : kd_fail(err, KD_EPARSE, "no JSON object");
    if (rc == 0) {
        put(test, &id, root);
    }
    kd_arena_reset(&test->scratch, KD_MIB);
    return rc;
}

int32_t kd_test_apply(struct kd_test *test, const char *json, struct kd_error *err)
{
    struct kd_value root;
    struct kd_value items;
    struct kd_value key;
    struct kd_value item;
    struct kd_iter iter;
    KD_ENSURE(test->started, kd_fail(err, KD_EINVAL, "kd_test_start comes first"));
    KD_TRY(kd_json_parse(kd_str_from(json), &root, err));
    if (!kd_json_get(root, KD_STR("items"), &items) || items.type != KD_JSON_ARRAY) {
        return apply_one(test, root, err);
    }
    kd_json_iter_init(&iter, items);
    while (kd_json_iter_next(&iter, &key, &item)) {
        KD_TRY(apply_one(test, item, err));
    }
    return 0;
}

int32_t kd_test_apply_file(struct kd_test *test, const char *path, struct kd_error *err)
{
    KD_AUTO_BUF struct kd_buf text;
    kd_buf_init(&text, KD_KIT_TEXT_MAX);
    KD_TRY(kd_file_read(path, &text, err));
    int rc = kd_test_apply(test, text.ptr, err);
    return rc < 0 ? kd_fail_prefix(err, rc, "%s", path) : 0;
}

/* The first object of that kind's name, whatever its group. */
static struct kd_kit_object *find_named(struct kd_test *test, const char *kind, const char *ns,
                                        const char *name)
{
    struct kd_kit_object *object = test->objects;
    while (object && (strcmp(object->kind, kind) != 0 || strcmp(object->ns, ns ? ns : "") != 0 ||
                      strcmp(object->name, name) != 0)) {
        object = object->next;
    }
    return object;
}

int32_t kd_test_delete(struct kd_test *test, const char *kind, const char *ns, const char *name,
                       struct kd_error *err)
{
    struct kd_kit_object *object = find_named(test, kind, ns, name);
    if (!object || !object->json) {
        return kd_fail(err, KD_ENOENT, "no object %s/%s/%s", kind, ns ? ns : "", name);
    }
    char *before = kd_steal(object->json);
    bury(object, before);
    kd_kit_tell(test, object, before, NULL, 0);
    kd_free(before);
    return 0;
}

static const char *all_relations(struct kd_test *test)
{
    kd_buf_clear(&test->answer, KD_KIT_TEXT_MAX);
    (void)kd_buf_puts(&test->answer, ""); /* it is a text even without relations */
    for (const struct kd_kit_object *object = test->objects; object; object = object->next) {
        (void)kd_buf_puts(&test->answer, object->relations ? object->relations : "");
    }
    return test->answer.ptr;
}

const char *kd_test_relations(struct kd_test *test, const char *kind, const char *ns,
                              const char *name)
{
    if (!kind) {
        return all_relations(test);
    }
    const struct kd_kit_object *object = find_named(test, kind, ns, name);
    return object && object->relations ? object->relations : "";
}

const char *kd_test_resource(struct kd_test *test, const char *kind, const char *ns,
                             const char *name)
{
    const struct kd_kit_object *object = find_named(test, kind, ns, name);
    return object && object->resource ? object->resource : "";
}

void kd_kit_queue(struct kd_test *test, struct kd_kit_object *object, int64_t due_ns)
{
    (void)test;
    if (!object->queued || due_ns < object->due_ns) {
        object->queued = true;
        object->due_ns = due_ns;
    }
}

int64_t kd_test_next(const struct kd_test *test)
{
    int64_t next_ns = KD_NEVER_NS;
    for (const struct kd_kit_object *object = test->objects; object; object = object->next) {
        if (object->queued && object->due_ns < next_ns) {
            next_ns = object->due_ns;
        }
    }
    return next_ns;
}

void kd_kit_free_objects(struct kd_test *test)
{
    while (test->objects) {
        struct kd_kit_object *object = test->objects;
        test->objects = object->next;
        char *const texts[] = { object->group, object->kind,      object->ns,
                                object->name,  object->uid,       object->json,
                                object->grave, object->relations, object->resource };
        for (size_t i = 0; i < KD_ARRAY_LEN(texts); i++) {
            kd_free(texts[i]);
        }
        kd_free(object);
    }
}
