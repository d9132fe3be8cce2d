#include "manager/purge.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/str.h"

#define PAGE 500
#define STEP_NS (20 * KD_MS_NS)
#define REST_NS (10 * KD_SEC_NS)
#define SETTLE_NS (200 * KD_MS_NS)

struct walk {
    struct kd_purge *purge;
    const struct kd_view *view;
    struct kd_store *store;
};

static bool runs(const struct kd_view *view, const struct kd_ref *ref, struct kd_str instance)
{
    for (size_t i = 0; i < view->n; i++) {
        const struct kd_running_kind *running = &view->items[i];
        if (!kd_str_is(ref->kind, running->owner->def.kind) ||
            !kd_str_is(ref->group, running->owner->def.group)) {
            continue;
        }
        for (size_t j = 0; j < running->n_members; j++) {
            const struct kd_running_member *member = &running->members[j];
            if (member->controller && kd_str_is(instance, member->kind->instance->name)) {
                return true;
            }
        }
    }
    return false;
}

/* A plugin that cannot be loaded today has left by accident. */
static bool is_refused(const struct kd_view *view, struct kd_str instance)
{
    const struct kd_plugin_report *reports = NULL;
    size_t n = view->plugins ? kd_plugins_report(view->plugins, &reports) : 0;
    for (size_t i = 0; i < n; i++) {
        if (reports[i].state == KD_PLUGIN_REFUSED && kd_str_is(instance, reports[i].name)) {
            return true;
        }
    }
    return false;
}

static bool has_owner(const struct kd_view *view, const struct kd_ref *ref)
{
    for (size_t i = 0; i < view->n; i++) {
        const struct kd_running_kind *running = &view->items[i];
        if (running->members[0].controller && !(running->owner->def.flags & KD_KIND_OBSERVER) &&
            kd_str_is(ref->kind, running->owner->def.kind) &&
            kd_str_is(ref->group, running->owner->def.group)) {
            return true;
        }
    }
    return false;
}

/* The graph is no longer complete for the kind: a later start must not believe that it is. */
static int unmark(struct walk *walk, const struct kd_ref *ref)
{
    struct kd_purge *purge = walk->purge;
    const struct kd_mark mark = { .group = ref->group, .kind = ref->kind };
    uint64_t hash = kd_hash(ref->group.ptr, ref->group.len, kd_hash_str(ref->kind));
    for (size_t i = 0; i < purge->n_unmarked; i++) {
        if (purge->unmarked[i] == hash) {
            return 0;
        }
    }
    if (has_owner(walk->view, ref)) {
        return 0;
    }
    KD_TRY(kd_store_mark(walk->store, &mark));
    purge->unmarked = kd_realloc_array(purge->unmarked, purge->n_unmarked + 1, sizeof(hash));
    purge->unmarked[purge->n_unmarked++] = hash;
    return 0;
}

static int look_at(void *arg, const struct kd_ref *ref, struct kd_str instance)
{
    struct walk *walk = arg;
    if (runs(walk->view, ref, instance) || is_refused(walk->view, instance)) {
        return 0;
    }
    KD_TRY(unmark(walk, ref));
    KD_TRY(kd_store_forget(walk->store, ref, instance));
    walk->purge->unsettled = true;
    walk->purge->forgotten++;
    return 0;
}

void kd_purge_begin(struct kd_purge *purge)
{
    bool unsettled = purge->unsettled;
    kd_purge_release(purge);
    *purge = (struct kd_purge){ .under_way = true, .unsettled = unsettled };
}

void kd_purge_release(struct kd_purge *purge)
{
    kd_free(purge->unmarked);
    *purge = (struct kd_purge){ 0 };
}

bool kd_purge_is_settled(struct kd_purge *purge, struct kd_store *store)
{
    if (purge->unsettled && kd_store_flush_for(store, SETTLE_NS) == 0) {
        purge->unsettled = false;
    }
    return !purge->unsettled;
}

static void end(struct kd_purge *purge)
{
    purge->under_way = false;
    if (purge->forgotten > 0) {
        KD_INFO("what no instance answers for any more was taken out of the graph",
                KD_FU("objects", purge->forgotten));
    }
}

bool kd_purge_step(struct kd_purge *purge, struct kd_kinds *kinds, struct kd_store *store)
{
    int64_t until_ns = kd_now_ns(&kd_system_clock) + STEP_NS;
    if (!purge->under_way || purge->rest_ns > until_ns) {
        return purge->under_way;
    }
    struct walk walk = { purge, kd_kinds_hold(kinds), store };
    int rc = 1;
    while (rc > 0 && kd_now_ns(&kd_system_clock) < until_ns) {
        rc = kd_store_walk_said(store, &purge->at, PAGE, look_at, &walk);
    }
    kd_kinds_drop(kinds, walk.view);
    if (rc == 0) {
        end(purge);
    } else if (rc < 0 && rc != KD_EAGAIN) {
        purge->rest_ns = until_ns + REST_NS;
        KD_WARN("cannot take out of the graph what no instance answers for; trying again",
                KD_F("error", kd_errno_text(rc)));
    }
    return purge->under_way;
}
