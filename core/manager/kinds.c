#include "manager/kinds.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>

/* A store that fails must not keep the caller from its signals; the next look tries again. */
#define FLUSH_NS (2 * KD_SEC_NS)

/* The instance kinds that share one informer. */
struct group {
    const struct kd_instance_kind **members;
    size_t n;
};

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
           same_list(&x->namespaces, &y->namespaces) &&
           strcmp(x->label_selector, y->label_selector) == 0 &&
           strcmp(x->field_selector, y->field_selector) == 0;
}

static void add_member(struct group *group, const struct kd_instance_kind *kind)
{
    group->members = kd_realloc_array(group->members, group->n + 1, sizeof(*group->members));
    group->members[group->n++] = kind;
    bool owns = !(kind->def.flags & KD_KIND_OBSERVER);
    if (owns) { /* the owner stands first */
        group->members[group->n - 1] = group->members[0];
        group->members[0] = kind;
    }
}

static struct group *make_groups(struct kd_instance *const *instances, size_t n, size_t *ret_n)
{
    struct group *groups = NULL;
    size_t n_groups = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < instances[i]->n_kinds; j++) {
            const struct kd_instance_kind *kind = &instances[i]->kinds[j];
            size_t g = 0;
            while (g < n_groups && !shares(groups[g].members[0], kind)) {
                g++;
            }
            if (g == n_groups) {
                groups = kd_realloc_array(groups, ++n_groups, sizeof(*groups));
                groups[g] = (struct group){ 0 };
            }
            add_member(&groups[g], kind);
        }
    }
    *ret_n = n_groups;
    return groups;
}

static void free_groups(struct group *groups, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        kd_free(groups[i].members);
    }
    kd_free(groups);
}

/* The union of what the members declare; arrays owned by the caller, texts borrowed. */
struct unions {
    const char **fields;
    size_t n_fields;
    const char **noise;
    size_t n_noise;
    struct kd_index *indexes;
    size_t n_indexes;
};

static void add_text(const char ***texts, size_t *n, const char *text)
{
    for (size_t i = 0; i < *n; i++) {
        if (strcmp((*texts)[i], text) == 0) {
            return;
        }
    }
    *texts = kd_realloc_array(*texts, *n + 1, sizeof(**texts));
    (*texts)[(*n)++] = text;
}

static void add_index(struct unions *unions, const struct kd_index *index)
{
    for (size_t i = 0; i < unions->n_indexes; i++) {
        if (strcmp(unions->indexes[i].name, index->name) == 0) {
            return;
        }
    }
    unions->indexes =
        kd_realloc_array(unions->indexes, unions->n_indexes + 1, sizeof(*unions->indexes));
    unions->indexes[unions->n_indexes++] = *index;
}

static struct unions make_unions(const struct group *group)
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

static int make_informer(struct kd_running_kind *running, const struct group *group,
                         const struct kd_kinds_deps *deps, struct kd_error *reterr)
{
    const struct kd_instance_kind *owner = group->members[0];
    const struct kd_kind_entry *entry = owner->instance->entry;
    struct unions unions = make_unions(group);
    const struct kd_informer_spec spec = {
        .group = owner->def.group,
        .version = owner->def.version,
        .kind = owner->def.kind,
        .resource = owner->def.resource,
        .namespaced = owner->def.scope == KD_SCOPE_NAMESPACED,
        .namespaces = entry->namespaces,
        .label_selector = entry->label_selector,
        .field_selector = entry->field_selector,
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
        .max_object_bytes = deps->config->cluster.max_object_bytes,
    };
    int rc =
        kd_informer_new(deps->loop, deps->client, deps->metrics, &spec, &running->informer, reterr);
    kd_free(unions.fields);
    kd_free(unions.noise);
    kd_free(unions.indexes);
    return rc;
}

static char *lower_kind(const char *kind)
{
    char *name = kd_strdup(kind);
    for (char *c = name; *c; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    return name;
}

/* Lower-case kind; the group, then the instance are added where that is taken. */
static char *unique_name(const struct kd_kinds *kinds, const struct kd_instance_kind *kind)
{
    char *name = lower_kind(kind->def.kind);
    for (size_t i = 0; i < kinds->n; i++) {
        if (kinds->items[i].name && strcmp(kinds->items[i].name, name) == 0) {
            char *longer = kd_asprintf("%s-%s", name, kind->instance->name);
            kd_free(name);
            return longer;
        }
    }
    return name;
}

static int is_cluster(void *arg, struct kd_str group, struct kd_str kind)
{
    const struct kd_kinds *kinds = arg;
    for (size_t i = 0; i < kinds->n; i++) {
        const struct kd_kind *def = &kinds->items[i].owner->def;
        if (kd_str_is(group, def->group) && kd_str_is(kind, def->kind)) {
            return def->scope == KD_SCOPE_CLUSTER;
        }
    }
    return -1;
}

static void make_controllers(struct kd_kinds *kinds, struct kd_running_kind *running,
                             const struct group *group, const struct kd_kinds_deps *deps)
{
    running->controllers = kd_zalloc_array(group->n, sizeof(*running->controllers));
    for (size_t i = 0; i < group->n; i++) {
        const struct kd_instance_kind *kind = group->members[i];
        if (!kind->instance->entry->reconcile) {
            continue;
        }
        bool first = running->n_controllers == 0;
        char *name = first ? kd_strdup(running->name)
                           : kd_asprintf("%s-%s", running->name, kind->instance->name);
        const struct kd_controller_spec spec = {
            .name = name,
            .kind = kind,
            .informer = running->informer,
            .store = deps->store,
            .tuning = &kind->instance->entry->tuning,
            .scopes = { kinds, is_cluster },
        };
        running->controllers[running->n_controllers++] =
            kd_controller_new(deps->pool, &spec, &kd_system_clock, deps->metrics);
        kd_free(name);
    }
}

int kd_kinds_make(struct kd_kinds *kinds, struct kd_instance *const *instances, size_t n,
                  const struct kd_kinds_deps *deps, struct kd_error *reterr)
{
    size_t n_groups = 0;
    struct group *groups = make_groups(instances, n, &n_groups);
    int rc = 0;
    kinds->items = kd_zalloc_array(n_groups, sizeof(*kinds->items));
    for (size_t i = 0; rc == 0 && i < n_groups; i++) {
        struct kd_running_kind *running = &kinds->items[i];
        running->owner = groups[i].members[0];
        running->name = unique_name(kinds, running->owner);
        kinds->n++;
        rc = make_informer(running, &groups[i], deps, reterr);
        if (rc == 0) {
            make_controllers(kinds, running, &groups[i], deps);
        }
    }
    free_groups(groups, n_groups);
    return rc;
}

void kd_kinds_start(struct kd_kinds *kinds)
{
    for (size_t i = 0; i < kinds->n; i++) {
        struct kd_running_kind *running = &kinds->items[i];
        for (size_t j = 0; j < running->n_controllers; j++) {
            kd_controller_start(running->controllers[j]);
        }
        kd_informer_start(running->informer);
    }
}

void kd_kinds_stop(struct kd_kinds *kinds)
{
    for (size_t i = 0; i < kinds->n; i++) {
        struct kd_running_kind *running = &kinds->items[i];
        for (size_t j = 0; j < running->n_controllers; j++) {
            kd_controller_stop(running->controllers[j]);
        }
        kd_informer_stop(running->informer);
    }
}

void kd_kinds_free(struct kd_kinds *kinds)
{
    for (size_t i = 0; i < kinds->n; i++) {
        struct kd_running_kind *running = &kinds->items[i];
        for (size_t j = 0; j < running->n_controllers; j++) {
            kd_controller_free(running->controllers[j]);
        }
        kd_free(running->controllers);
        kd_informer_free(running->informer);
        kd_free(running->name);
    }
    kinds->items = kd_free(kinds->items);
    kinds->n = 0;
}

/* The first list is in the cache and every key of it went through each controller. */
static bool is_reconciled(const struct kd_running_kind *running)
{
    struct kd_informer_status status;
    kd_informer_get_status(running->informer, &status);
    bool done = status.ever_synced;
    for (size_t i = 0; done && i < running->n_controllers; i++) {
        struct kd_controller_status controller;
        kd_controller_get_status(running->controllers[i], &controller);
        done = controller.synced;
    }
    return done;
}

static void mark_written(struct kd_running_kind *running)
{
    struct kd_informer_status status;
    kd_informer_get_status(running->informer, &status);
    atomic_store(&running->written, true);
    KD_INFO("kind ready", KD_F("kind", running->owner->def.kind), KD_FU("objects", status.objects),
            KD_F("resourceVersion", status.version));
}

bool kd_kinds_note_written(struct kd_kinds *kinds, struct kd_store *store)
{
    bool *reconciled = kd_zalloc_array(kinds->n, sizeof(*reconciled));
    size_t fresh = 0;
    size_t waiting = 0;
    for (size_t i = 0; i < kinds->n; i++) {
        if (!atomic_load(&kinds->items[i].written)) {
            reconciled[i] = is_reconciled(&kinds->items[i]);
            fresh += reconciled[i];
            waiting++;
        }
    }
    if (fresh > 0 && kd_store_flush_for(store, FLUSH_NS) == 0) {
        for (size_t i = 0; i < kinds->n; i++) {
            if (reconciled[i]) {
                mark_written(&kinds->items[i]);
            }
        }
        waiting -= fresh;
    }
    kd_free(reconciled);
    return waiting > 0;
}
