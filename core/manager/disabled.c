/* What is shown of kinds that ran until their entry was disabled. */
#include "base/alloc.h"
#include "manager/set.h"

#include <string.h>

void kd_disabled_release(struct kd_disabled_kind *kind)
{
    kd_free(kind->group);
    kd_free(kind->version);
    kd_free(kind->kind);
    kd_free(kind->resource);
    kd_free(kind->entry);
    kd_free(kind->plugin_version);
}

static bool is_disabled(const struct kd_config *config, const char *name)
{
    for (size_t i = 0; i < config->n_kinds; i++) {
        if (!config->kinds[i].enabled && strcmp(config->kinds[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* A kind has one row, and that of what runs comes first. */
static bool is_shown(const struct kd_view *view, const char *group, const char *kind)
{
    for (size_t i = 0; i < view->n; i++) {
        const struct kd_kind *def = &view->items[i].owner->def;
        if (strcmp(def->group, group) == 0 && strcmp(def->kind, kind) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < view->n_disabled; i++) {
        const struct kd_disabled_kind *other = &view->disabled[i];
        if (strcmp(other->group, group) == 0 && strcmp(other->kind, kind) == 0) {
            return true;
        }
    }
    return false;
}

static void add(struct kd_view *view, const struct kd_disabled_kind *from)
{
    if (is_shown(view, from->group, from->kind)) {
        return;
    }
    view->disabled =
        kd_realloc_array(view->disabled, view->n_disabled + 1, sizeof(*view->disabled));
    view->disabled[view->n_disabled++] = (struct kd_disabled_kind){
        .group = kd_strdup(from->group),
        .version = kd_strdup(from->version),
        .kind = kd_strdup(from->kind),
        .resource = kd_strdup(from->resource),
        .entry = kd_strdup(from->entry),
        .plugin_version = kd_strdup(from->plugin_version),
        .namespaced = from->namespaced,
    };
}

static char *borrow(const char *text)
{
    return (char *)(uintptr_t)text; /* add copies it */
}

static void note_member(struct kd_view *view, const struct kd_instance_kind *kind)
{
    const struct kd_disabled_kind borrowed = {
        .group = borrow(kind->def.group),
        .version = borrow(kind->def.version),
        .kind = borrow(kind->def.kind),
        .resource = borrow(kind->def.resource),
        .entry = borrow(kind->instance->name),
        .plugin_version = borrow(kind->instance->plugin->version),
        .namespaced = kind->def.scope == KD_SCOPE_NAMESPACED,
    };
    add(view, &borrowed);
}

void kd_plan_note_disabled(struct kd_kinds *kinds, struct kd_plan *plan,
                           const struct kd_config *config)
{
    const struct kd_view *before = kinds->view;
    for (size_t i = 0; i < before->n; i++) {
        for (size_t j = 0; j < before->items[i].n_members; j++) {
            const struct kd_instance_kind *kind = before->items[i].members[j].kind;
            if (is_disabled(config, kind->instance->name)) {
                note_member(plan->view, kind);
            }
        }
    }
    for (size_t i = 0; i < before->n_disabled; i++) {
        if (is_disabled(config, before->disabled[i].entry)) {
            add(plan->view, &before->disabled[i]);
        }
    }
}
