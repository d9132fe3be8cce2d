/* Carries a plan out: stops what goes, makes the new controllers, shows the new set. */
#include "base/alloc.h"
#include "base/str.h"
#include "manager/fingerprint.h"
#include "manager/set.h"

#include <ctype.h>
#include <string.h>

struct step {
    struct kd_kinds *kinds;
    struct kd_plan *plan;
};

static bool goes(const struct kd_retiring *going, const struct kd_controller *controller)
{
    for (size_t i = 0; i < going->n_controllers; i++) {
        if (going->controllers[i] == controller) {
            return true;
        }
    }
    return false;
}

static void mark_going(struct kd_view *view, const struct kd_retiring *going)
{
    for (size_t i = 0; i < view->n; i++) {
        for (size_t j = 0; j < view->items[i].n_members; j++) {
            struct kd_running_member *member = &view->items[i].members[j];
            if (goes(going, member->controller)) {
                member->started = false;
                member->going = true;
            }
        }
    }
}

static void begin(void *arg)
{
    struct step *step = arg;
    struct kd_retiring *going = step->plan->going;
    mark_going(step->kinds->view, going);
    for (size_t i = 0; i < going->n_controllers; i++) {
        kd_controller_retire(going->controllers[i]);
    }
    for (size_t i = 0; i < going->n_informers; i++) {
        kd_informer_stop(going->informers[i]);
    }
}

void kd_plan_begin(struct kd_kinds *kinds, struct kd_plan *plan)
{
    struct step step = { kinds, plan };
    kd_kinds_on_io(kinds, begin, &step);
}

bool kd_plan_is_quiet(const struct kd_plan *plan)
{
    return kd_retiring_is_quiet(plan->going);
}

/* -- names */

static bool is_kind_name(const struct kd_view *view, const char *name)
{
    for (size_t i = 0; i < view->n; i++) {
        if (view->items[i].name && strcmp(view->items[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_member_name(const struct kd_view *view, const char *name)
{
    for (size_t i = 0; i < view->n; i++) {
        for (size_t j = 0; j < view->items[i].n_members; j++) {
            const char *other = view->items[i].members[j].name;
            if (other && strcmp(other, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* The name, or where it is taken the name with the instance, which is there but once. */
static char *pick(const struct kd_view *view, bool (*taken)(const struct kd_view *, const char *),
                  const char *name, const char *instance)
{
    return taken(view, name) ? kd_asprintf("%s-%s", name, instance) : kd_strdup(name);
}

static char *lower_kind(const char *kind)
{
    char *name = kd_strdup(kind);
    for (char *c = name; *c; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    return name;
}

/* -- controllers */

static int is_cluster(void *arg, struct kd_str group, struct kd_str kind)
{
    struct kd_kinds *kinds = arg;
    const struct kd_view *view = kd_kinds_hold(kinds);
    int found = -1;
    for (size_t i = 0; found < 0 && i < view->n; i++) {
        const struct kd_kind *def = &view->items[i].owner->def;
        if (kd_str_is(group, def->group) && kd_str_is(kind, def->kind)) {
            found = def->scope == KD_SCOPE_CLUSTER;
        }
    }
    kd_kinds_drop(kinds, view);
    return found;
}

static void make_controller(struct kd_kinds *kinds, const struct kd_view *view,
                            struct kd_running_kind *running, struct kd_running_member *member)
{
    const struct kd_controller_spec spec = {
        .name = member->name,
        .kind = member->kind,
        .informer = running->informer,
        .store = kinds->deps.store,
        .tuning = &member->kind->instance->entry->tuning,
        .scopes = { kinds, is_cluster },
        .fence = kinds->deps.fence,
        .fingerprint = kd_fingerprint(view->plugins, member->kind),
    };
    member->controller =
        kd_controller_new(kinds->deps.pool, &spec, &kd_system_clock, kinds->deps.metrics);
}

static void make_controllers(struct kd_kinds *kinds, struct kd_view *view, size_t i)
{
    struct kd_running_kind *running = &view->items[i];
    for (size_t j = 0; j < running->n_members; j++) {
        struct kd_running_member *member = &running->members[j];
        const struct kd_instance *instance = member->kind->instance;
        if (!member->controller && instance->entry->reconcile) {
            member->name = pick(view, is_member_name, running->name, instance->name);
            make_controller(kinds, view, running, member);
        }
    }
}

static void name_kinds(struct kd_view *view)
{
    for (size_t i = 0; i < view->n; i++) {
        struct kd_running_kind *running = &view->items[i];
        if (!running->name) {
            KD_AUTO_FREE char *kind = lower_kind(running->owner->def.kind);
            running->name = pick(view, is_kind_name, kind, running->owner->instance->name);
        }
    }
}

/* -- the new view */

static bool was_started(const struct kd_view *view, const struct kd_running_member *member)
{
    for (size_t i = 0; i < view->n; i++) {
        for (size_t j = 0; j < view->items[i].n_members; j++) {
            const struct kd_running_member *other = &view->items[i].members[j];
            if (member->controller && other->controller == member->controller) {
                return other->started;
            }
        }
    }
    return false;
}

/* What was written for the owner stays written, whoever joins. */
static void take_over(struct kd_running_kind *running, const struct kd_view *view)
{
    for (size_t i = 0; i < view->n; i++) {
        const struct kd_running_kind *before = &view->items[i];
        if (before->informer == running->informer) {
            bool same = running->members[0].controller == before->members[0].controller;
            running->started = before->started;
            atomic_store(&running->written, same && atomic_load(&before->written));
        }
    }
}

/* On the I/O thread, which alone knows what is started. */
static void show(void *arg)
{
    struct step *step = arg;
    struct kd_kinds *kinds = step->kinds;
    struct kd_view *view = step->plan->view;
    for (size_t i = 0; i < view->n; i++) {
        struct kd_running_kind *running = &view->items[i];
        take_over(running, kinds->view);
        for (size_t j = 0; j < running->n_members; j++) {
            running->members[j].started = was_started(kinds->view, &running->members[j]);
        }
    }
    pthread_mutex_lock(&kinds->lock);
    kinds->view = view;
    pthread_mutex_unlock(&kinds->lock);
}

void kd_plan_commit(struct kd_kinds *kinds, struct kd_plan *plan)
{
    struct step step = { kinds, plan };
    name_kinds(plan->view);
    for (size_t i = 0; i < plan->view->n; i++) {
        make_controllers(kinds, plan->view, i);
    }
    kd_kinds_on_io(kinds, show, &step);
    plan->going->next = kinds->retiring;
    kinds->retiring = plan->going;
    kd_free(plan);
}
