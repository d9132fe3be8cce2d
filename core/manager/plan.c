/* A change of the set of kinds: the difference between what runs and what is wanted. change.c
 * carries it out. */
#include "base/alloc.h"
#include "manager/set.h"

/* -- what goes on, and what is new */

static const struct kd_running_kind *find_serving(const struct kd_view *view,
                                                  const struct kd_informer_spec *want)
{
    for (size_t i = 0; i < view->n; i++) {
        if (kd_spec_serves(kd_informer_spec_of(view->items[i].informer), want)) {
            return &view->items[i];
        }
    }
    return NULL;
}

static const struct kd_running_member *find_member(const struct kd_running_kind *running,
                                                   const struct kd_instance_kind *kind)
{
    for (size_t i = 0; running && i < running->n_members; i++) {
        if (running->members[i].kind == kind) {
            return &running->members[i];
        }
    }
    return NULL;
}

static void plan_members(struct kd_running_kind *running, const struct kd_running_kind *before,
                         const struct kd_group *group)
{
    running->members = kd_zalloc_array(group->n, sizeof(*running->members));
    running->n_members = group->n;
    for (size_t i = 0; i < group->n; i++) {
        const struct kd_running_member *same = find_member(before, group->members[i]);
        running->members[i].kind = group->members[i];
        if (same && same->controller) {
            running->members[i].controller = same->controller;
            running->members[i].name = kd_strdup(same->name);
        }
    }
}

struct making {
    struct kd_kinds *kinds;
    const struct kd_informer_spec *spec;
    struct kd_informer *informer;
    int rc;
    struct kd_error *reterr;
};

static void make_informer(void *arg)
{
    struct making *making = arg;
    const struct kd_kinds_deps *deps = &making->kinds->deps;
    making->rc = kd_informer_new(deps->loop, deps->client, deps->metrics, making->spec,
                                 &making->informer, making->reterr);
}

static int plan_kind(struct kd_kinds *kinds, struct kd_view *view, const struct kd_group *group,
                     struct kd_error *reterr)
{
    struct kd_informer_spec spec;
    struct kd_running_kind *running = &view->items[view->n++];
    kd_group_spec(group, kinds->deps.max_object_bytes, &spec);
    const struct kd_running_kind *before = find_serving(kinds->view, &spec);
    struct making making = { .kinds = kinds, .spec = &spec, .reterr = reterr };
    running->owner = group->members[0];
    plan_members(running, before, group);
    if (before) {
        running->informer = before->informer;
        running->name = kd_strdup(before->name);
    } else {
        kd_kinds_on_io(kinds, make_informer, &making);
        running->informer = making.informer;
    }
    kd_group_spec_release(&spec);
    return making.rc;
}

/* -- what goes */

static bool shows_informer(const struct kd_view *view, const struct kd_informer *informer)
{
    for (size_t i = 0; i < view->n; i++) {
        if (view->items[i].informer == informer) {
            return true;
        }
    }
    return false;
}

static bool shows_controller(const struct kd_view *view, const struct kd_controller *controller)
{
    for (size_t i = 0; i < view->n; i++) {
        for (size_t j = 0; j < view->items[i].n_members; j++) {
            if (view->items[i].members[j].controller == controller) {
                return true;
            }
        }
    }
    return false;
}

static void let_go(struct kd_retiring *going, const struct kd_running_kind *running,
                   const struct kd_view *next)
{
    if (!shows_informer(next, running->informer)) {
        going->informers[going->n_informers++] = running->informer;
    }
    for (size_t i = 0; i < running->n_members; i++) {
        struct kd_controller *controller = running->members[i].controller;
        if (controller && !shows_controller(next, controller)) {
            going->controllers[going->n_controllers++] = controller;
        }
    }
}

static struct kd_retiring *plan_going(struct kd_view *before, const struct kd_view *next)
{
    struct kd_retiring *going = kd_zalloc(sizeof(*going));
    size_t n_members = 0;
    for (size_t i = 0; i < before->n; i++) {
        n_members += before->items[i].n_members;
    }
    going->view = before;
    going->informers = kd_zalloc_array(before->n, sizeof(struct kd_informer *));
    going->controllers = kd_zalloc_array(n_members, sizeof(struct kd_controller *));
    for (size_t i = 0; i < before->n; i++) {
        let_go(going, &before->items[i], next);
    }
    return going;
}

int kd_plan_make(struct kd_kinds *kinds, struct kd_plugins *plugins, struct kd_plan **ret,
                 struct kd_error *reterr)
{
    struct kd_groups groups;
    struct kd_instance *const *instances = NULL;
    size_t n = plugins ? kd_plugins_instances(plugins, &instances) : 0;
    kd_groups_make(&groups, instances, n);
    struct kd_plan *plan = kd_zalloc(sizeof(*plan));
    plan->view = kd_view_new(groups.n);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < groups.n; i++) {
        rc = plan_kind(kinds, plan->view, &groups.items[i], reterr);
    }
    kd_groups_release(&groups);
    plan->going = plan_going(kinds->view, plan->view);
    if (rc < 0) {
        kd_plan_drop(kinds, plan);
        return rc;
    }
    plan->view->plugins = plugins;
    *ret = plan;
    return 0;
}

/* Turned round: what is new goes, and nothing else. */
void kd_plan_drop(struct kd_kinds *kinds, struct kd_plan *plan)
{
    if (!plan) {
        return;
    }
    kd_retiring_free(kinds, plan_going(plan->view, kinds->view), true);
    plan->going->view = NULL; /* it stays, with all that it shows */
    plan->going->n_informers = 0;
    plan->going->n_controllers = 0;
    kd_retiring_free(kinds, plan->going, true);
    kd_free(plan);
}
