/* An event on its way: to the filter of the plugin's own kind, to map of a kind that watches. */
#include "base/limits.h"
#include "base/str.h"
#include "json/json.h"
#include "kit/kit.h"

#include <stdio.h>
#include <string.h>

static const char *const type_names[] = {
    [KD_EVENT_ADDED] = "added", [KD_EVENT_MODIFIED] = "modified", [KD_EVENT_DELETED] = "deleted"
};
static const struct {
    uint32_t bit;
    const char *name;
} section_names[] = {
    { KD_CHANGED_LABELS, "labels" },     { KD_CHANGED_ANNOTATIONS, "annotations" },
    { KD_CHANGED_METADATA, "metadata" }, { KD_CHANGED_SPEC, "spec" },
    { KD_CHANGED_STATUS, "status" },     { KD_CHANGED_REST, "rest" },
};

/* " labels,spec" for a change, else "". */
static void put_changed(const struct kd_event *event, char *out, size_t size)
{
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; event->type == KD_EVENT_MODIFIED && i < KD_ARRAY_LEN(section_names); i++) {
        if (event->changed & section_names[i].bit) {
            (void)snprintf(out + len, size - len, "%s%s", len ? "," : " ", section_names[i].name);
            len = strlen(out);
        }
    }
}

static void note_event(struct kd_test *test, const struct kd_kit_object *object,
                       const struct kd_event *event, const char *outcome)
{
    char changed[96];
    put_changed(event, changed, sizeof(changed));
    kd_kit_note(test, "event %s " KD_KIT_OBJECT_FMT "%s: %s", type_names[event->type],
                KD_KIT_OBJECT_ARG(object), changed, outcome);
}

static struct kd_value value_at(const char *json, const char *path)
{
    struct kd_value root;
    struct kd_value found = { 0 };
    if (!json || kd_json_parse(kd_str_from(json), &root, NULL) < 0 ||
        !kd_json_at(root, path, &found)) {
        return (struct kd_value){ 0 };
    }
    return found;
}

static struct kd_str version_of(const char *json, struct kd_arena *arena)
{
    struct kd_str text = { NULL, 0 };
    int rc = kd_json_string(value_at(json, "/metadata/resourceVersion"), arena, &text);
    return rc == 0 ? text : (struct kd_str){ NULL, 0 };
}

/* Where map puts its keys. */
struct mapping {
    struct kd_test *test;
    const struct kd_kit_object *from;
    const struct kd_kind *kind;
};

static void add_request(struct kd_requests *out, const struct kd_key *key)
{
    const struct mapping *mapping = out->host;
    struct kd_test *test = mapping->test;
    struct kd_kit_object *object =
        kd_kit_find(test, kd_str_from(mapping->kind->group), kd_str_from(mapping->kind->kind),
                    key->ns, key->name);
    kd_kit_note(test, "map " KD_KIT_OBJECT_FMT ": %s/" KD_STR_FMT "/" KD_STR_FMT "%s",
                KD_KIT_OBJECT_ARG(mapping->from), mapping->kind->kind, KD_STR_ARG(key->ns),
                KD_STR_ARG(key->name), object ? "" : " (not there)");
    if (object) {
        kd_kit_queue(test, object, test->now_ns);
    }
}

static void map_event(struct kd_test *test, const struct kd_kit_object *object,
                      const struct kd_event *event, const char *before, const char *after)
{
    static const struct kd_requests_ops ops = { .struct_size = sizeof(ops), .add = add_request };
    const struct kd_map_event told = {
        .struct_size = sizeof(told),
        .event = event,
        .old_labels = value_at(before, "/metadata/labels"),
        .new_labels = value_at(after, "/metadata/labels"),
        .old_owners = value_at(before, "/metadata/ownerReferences"),
        .new_owners = value_at(after, "/metadata/ownerReferences"),
    };
    for (size_t i = 0; i < test->instance.n_kinds; i++) {
        const struct kd_kind *kind = &test->instance.kinds[i].def;
        for (uint32_t j = 0; j < kind->n_watches; j++) {
            const struct kd_watch *watch = &kind->watches[j];
            struct mapping mapping = { test, object, kind };
            struct kd_requests out = { &ops, &mapping };
            if (strcmp(watch->kind, object->kind) == 0 &&
                strcmp(watch->group, object->group) == 0) {
                watch->map(test->instance.self, &told, &out);
            }
        }
    }
}

static struct kd_event event_of(struct kd_test *test, const struct kd_kit_object *object,
                                const struct kd_instance_kind *kind, const char *state)
{
    return (struct kd_event){
        .struct_size = sizeof(struct kd_event),
        .type = KD_EVENT_MODIFIED,
        .changed = KD_CHANGED_ALL,
        .ref = { .group = kd_str_from(object->group),
                 .version = kd_str_from(kind ? kind->def.version : ""),
                 .kind = kd_str_from(object->kind),
                 .ns = kd_str_from(object->ns),
                 .name = kd_str_from(object->name),
                 .uid = kd_str_from(object->uid) },
        .resource_version = version_of(state, &test->scratch),
    };
}

/* What is gone leaves the graph whatever the filter says, unless the plugin does all by itself. */
static void filter_event(struct kd_test *test, struct kd_kit_object *object,
                         const struct kd_kind *def, const struct kd_event *event)
{
    bool gone = event->type == KD_EVENT_DELETED || (event->flags & KD_EVENT_NEW_UID);
    bool wanted = !def->filter || def->filter(test->instance.self, event) != KD_FILTER_DROP;
    bool queued = wanted || (gone && !def->reconcile);
    note_event(test, object, event, queued ? "queued" : "dropped");
    if (queued) {
        kd_kit_queue(test, object, test->now_ns);
    }
}

void kd_kit_tell(struct kd_test *test, struct kd_kit_object *object, const char *before,
                 const char *after, uint32_t flags)
{
    const struct kd_instance_kind *kind =
        kd_kit_kind_of(test, kd_str_from(object->group), kd_str_from(object->kind));
    struct kd_event event = event_of(test, object, kind, after ? after : before);
    event.flags = flags;
    if (!before) {
        event.type = KD_EVENT_ADDED;
    } else if (!after) {
        event.type = KD_EVENT_DELETED;
    } else if (!flags) {
        event.changed = kd_kit_changed(kind ? &kind->def : NULL, before, after);
    }
    if (event.changed == 0) {
        note_event(test, object, &event, "nothing but noise");
        return;
    }
    if (kind) {
        filter_event(test, object, &kind->def, &event);
    }
    map_event(test, object, &event, before, after);
}
