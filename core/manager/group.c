#include "manager/group.h"

#include "base/alloc.h"
#include "manager/scope.h"

#include <string.h>

static bool same_list(const struct kd_strlist *a, const struct kd_strlist *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++) {
        same = strcmp(a->items[i], b->items[i]) == 0;
    }
    return same;
}

static const char *mode_of(const struct kd_instance_kind *kind)
{
    return kind->def.flags & KD_KIND_METADATA_ONLY ? "metadata"
                                                   : kind->instance->entry->tuning.mode;
}

static bool shares(const struct kd_instance_kind *a, const struct kd_instance_kind *b)
{
    const struct kd_kind_entry *x = a->instance->entry;
    const struct kd_kind_entry *y = b->instance->entry;
    return strcmp(a->def.group, b->def.group) == 0 && strcmp(a->def.version, b->def.version) == 0 &&
           strcmp(a->def.resource, b->def.resource) == 0 && strcmp(mode_of(a), mode_of(b)) == 0 &&
           strcmp(x->label_selector, y->label_selector) == 0 && kd_scope_same(a, b);
}

static void add_member(struct kd_group *group, const struct kd_instance_kind *kind)
{
    group->members = kd_realloc_array(group->members, group->n + 1, sizeof(*group->members));
    group->members[group->n++] = kind;
    bool owns = !(kind->def.flags & KD_KIND_OBSERVER);
    if (owns) { /* the owner stands first */
        group->members[group->n - 1] = group->members[0];
        group->members[0] = kind;
    }
}

static void place(struct kd_groups *groups, const struct kd_instance_kind *kind)
{
    size_t g = 0;
    while (g < groups->n && !shares(groups->items[g].members[0], kind)) {
        g++;
    }
    if (g == groups->n) {
        groups->items = kd_realloc_array(groups->items, ++groups->n, sizeof(*groups->items));
        groups->items[g] = (struct kd_group){ 0 };
    }
    add_member(&groups->items[g], kind);
}

void kd_groups_make(struct kd_groups *groups, struct kd_instance *const *instances, size_t n)
{
    *groups = (struct kd_groups){ 0 };
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < instances[i]->n_kinds; j++) {
            place(groups, &instances[i]->kinds[j]);
        }
    }
}

void kd_groups_release(struct kd_groups *groups)
{
    for (size_t i = 0; i < groups->n; i++) {
        kd_free(groups->items[i].members);
    }
    groups->items = kd_free(groups->items);
    groups->n = 0;
}

/* What the members declare; arrays owned, texts borrowed. */
struct unions {
    const char **fields;
    size_t n_fields;
    const char **noise;
    size_t n_noise;
    struct kd_index *indexes;
    size_t n_indexes;
};

static bool has_text(const char *const *texts, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(texts[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static void add_text(const char ***texts, size_t *n, const char *text)
{
    if (!has_text(*texts, *n, text)) {
        *texts = kd_realloc_array(*texts, *n + 1, sizeof(**texts));
        (*texts)[(*n)++] = text;
    }
}

static const struct kd_index *find_index(const struct kd_index *indexes, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(indexes[i].name, name) == 0) {
            return &indexes[i];
        }
    }
    return NULL;
}

static void add_index(struct unions *unions, const struct kd_index *index)
{
    if (!find_index(unions->indexes, unions->n_indexes, index->name)) {
        unions->indexes =
            kd_realloc_array(unions->indexes, unions->n_indexes + 1, sizeof(*unions->indexes));
        unions->indexes[unions->n_indexes++] = *index;
    }
}

static struct unions make_unions(const struct kd_group *group)
{
    struct unions unions = { 0 };
    for (size_t m = 0; m < group->n; m++) {
        const struct kd_kind *def = &group->members[m]->def;
        for (uint32_t i = 0; i < def->n_fields; i++) {
            add_text(&unions.fields, &unions.n_fields, def->fields[i]);
        }
        for (uint32_t i = 0; i < def->n_noise; i++) {
            add_text(&unions.noise, &unions.n_noise, def->noise[i]);
        }
        for (uint32_t i = 0; i < def->n_indexes; i++) {
            add_index(&unions, &def->indexes[i]);
        }
    }
    return unions;
}

void kd_group_spec(const struct kd_group *group, int64_t max_object_bytes,
                   struct kd_informer_spec *ret)
{
    const struct kd_instance_kind *owner = group->members[0];
    const struct kd_kind_entry *entry = owner->instance->entry;
    struct unions unions = make_unions(group);
    struct kd_scope scope;
    kd_scope_make(owner, &scope);
    *ret = (struct kd_informer_spec){
        .group = owner->def.group,
        .version = owner->def.version,
        .kind = owner->def.kind,
        .resource = owner->def.resource,
        .namespaced = owner->def.scope == KD_SCOPE_NAMESPACED,
        .namespaces = scope.namespaces,
        .label_selector = entry->label_selector,
        .field_selector = kd_steal(scope.field_selector),
        .mode = mode_of(owner),
        .fields = unions.fields,
        .n_fields = unions.n_fields,
        .noise = unions.noise,
        .n_noise = unions.n_noise,
        .indexes = unions.indexes,
        .n_indexes = unions.n_indexes,
        .list_page = entry->tuning.list_page,
        .watch_timeout_ns = entry->tuning.watch_timeout_ns,
        .stream_list = entry->tuning.stream_list,
        .stream_deadline_ns = entry->tuning.stream_deadline_ns,
        .max_object_bytes = max_object_bytes,
    };
}

void kd_group_spec_release(struct kd_informer_spec *spec)
{
    kd_free((void *)(uintptr_t)spec->fields);
    kd_free((void *)(uintptr_t)spec->noise);
    kd_free((void *)(uintptr_t)spec->indexes);
    kd_free((void *)(uintptr_t)spec->field_selector);
    kd_free(spec->namespaces.items);
    *spec = (struct kd_informer_spec){ 0 };
}

static bool same_scope(const struct kd_informer_spec *a, const struct kd_informer_spec *b)
{
    return strcmp(a->group, b->group) == 0 && strcmp(a->version, b->version) == 0 &&
           strcmp(a->kind, b->kind) == 0 && strcmp(a->resource, b->resource) == 0 &&
           a->namespaced == b->namespaced && same_list(&a->namespaces, &b->namespaces) &&
           strcmp(a->label_selector, b->label_selector) == 0 &&
           strcmp(a->field_selector, b->field_selector) == 0;
}

static bool same_ways(const struct kd_informer_spec *a, const struct kd_informer_spec *b)
{
    return strcmp(a->mode, b->mode) == 0 && a->list_page == b->list_page &&
           a->watch_timeout_ns == b->watch_timeout_ns && a->stream_list == b->stream_list &&
           a->stream_deadline_ns == b->stream_deadline_ns &&
           a->max_object_bytes == b->max_object_bytes;
}

static bool covers(const char *const *have, size_t n_have, const char *const *want, size_t n_want)
{
    for (size_t i = 0; i < n_want; i++) {
        if (!has_text(have, n_have, want[i])) {
            return false;
        }
    }
    return true;
}

static bool has_indexes(const struct kd_informer_spec *have, const struct kd_informer_spec *want)
{
    for (size_t i = 0; i < want->n_indexes; i++) {
        const struct kd_index *index =
            find_index(have->indexes, have->n_indexes, want->indexes[i].name);
        if (!index || strcmp(index->path, want->indexes[i].path) != 0) {
            return false;
        }
    }
    return true;
}

bool kd_spec_serves(const struct kd_informer_spec *have, const struct kd_informer_spec *want)
{
    bool some_fields = strcmp(want->mode, "fields") == 0;
    return same_scope(have, want) && same_ways(have, want) &&
           (!some_fields || covers(have->fields, have->n_fields, want->fields, want->n_fields)) &&
           covers(want->noise, want->n_noise, have->noise, have->n_noise) &&
           has_indexes(have, want);
}
