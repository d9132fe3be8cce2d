#include "manager/kinds.h"

#include "base/alloc.h"
#include "manager/marks.h"
#include "manager/set.h"

#include <sys/eventfd.h>
#include <unistd.h>

struct kd_view *kd_view_new(size_t n_kinds)
{
    struct kd_view *view = kd_zalloc(sizeof(*view));
    view->items = kd_zalloc_array(n_kinds, sizeof(*view->items));
    return view;
}

void kd_view_free(struct kd_view *view)
{
    if (!view) {
        return;
    }
    for (size_t i = 0; i < view->n; i++) {
        struct kd_running_kind *running = &view->items[i];
        for (size_t j = 0; j < running->n_members; j++) {
            kd_free(running->members[j].name);
        }
        kd_free(running->members);
        kd_free(running->name);
    }
    for (size_t i = 0; i < view->n_disabled; i++) {
        kd_disabled_release(&view->disabled[i]);
    }
    kd_free(view->disabled);
    kd_free(view->items);
    kd_free(view);
}

void kd_kinds_init(struct kd_kinds *kinds, const struct kd_kinds_deps *deps)
{
    *kinds = (struct kd_kinds){ .deps = *deps };
    pthread_mutex_init(&kinds->lock, NULL);
    kinds->view = kd_view_new(0);
    kinds->turned = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    KD_ASSERT(kinds->turned >= 0);
}

/* All that the current view shows goes as what went before it. */
void kd_kinds_free(struct kd_kinds *kinds)
{
    if (!kinds->view) {
        return;
    }
    struct kd_plan *plan = NULL;
    KD_ASSERT(kd_plan_make(kinds, NULL, &plan, NULL) == 0); /* nothing is to be made */
    plan->going->next = kinds->retiring;
    kinds->retiring = plan->going;
    kd_view_free(plan->view);
    kd_free(plan);
    while (kinds->retiring) {
        struct kd_retiring *going = kinds->retiring;
        kinds->retiring = going->next;
        kd_retiring_free(kinds, going, false);
    }
    (void)close(kinds->turned); /* a count that nobody waits for */
    pthread_mutex_destroy(&kinds->lock);
    *kinds = (struct kd_kinds){ 0 };
}

const struct kd_view *kd_kinds_hold(struct kd_kinds *kinds)
{
    pthread_mutex_lock(&kinds->lock);
    struct kd_view *view = kinds->view;
    view->readers++;
    pthread_mutex_unlock(&kinds->lock);
    return view;
}

void kd_kinds_drop(struct kd_kinds *kinds, const struct kd_view *view)
{
    struct kd_view *held = (struct kd_view *)(uintptr_t)view; /* only the count changes */
    pthread_mutex_lock(&kinds->lock);
    KD_ASSERT(held->readers > 0);
    held->readers--;
    pthread_mutex_unlock(&kinds->lock);
}

void kd_kinds_on_io(struct kd_kinds *kinds, void (*fn)(void *arg), void *arg)
{
    kd_loop_call(kinds->deps.loop, fn, arg);
}

static void start_member(struct kd_running_member *member)
{
    if (member->controller && !member->started && !member->going) {
        kd_controller_start(member->controller);
        member->started = true;
    }
}

static void stop_member(struct kd_running_member *member)
{
    if (member->started) {
        kd_controller_stop(member->controller);
        member->started = false;
    }
}

static void drop_member(struct kd_running_member *member)
{
    if (member->controller && !member->going) {
        kd_controller_drop(member->controller);
        member->started = false;
    }
}

static void forget_written(struct kd_kinds *kinds)
{
    for (size_t i = 0; i < kinds->view->n; i++) {
        atomic_store(&kinds->view->items[i].written, false);
    }
}

static void each_member(struct kd_kinds *kinds, void (*fn)(struct kd_running_member *member))
{
    for (size_t i = 0; i < kinds->view->n; i++) {
        struct kd_running_kind *running = &kinds->view->items[i];
        for (size_t j = 0; j < running->n_members; j++) {
            fn(&running->members[j]);
        }
    }
}

static void align_marks(struct kd_kinds *kinds)
{
    if (kinds->deps.marks) {
        kd_marks_align(kinds->deps.marks);
    }
}

static void tell_turned(struct kd_kinds *kinds)
{
    (void)eventfd_write(kinds->turned, 1); /* fails only where a look is long due */
}

void kd_kinds_lead(struct kd_kinds *kinds)
{
    forget_written(kinds);
    atomic_store(&kinds->leading, true);
    align_marks(kinds);
    each_member(kinds, start_member);
    tell_turned(kinds);
}

void kd_kinds_follow(struct kd_kinds *kinds)
{
    atomic_store(&kinds->leading, false);
    each_member(kinds, drop_member);
    forget_written(kinds);
    tell_turned(kinds);
}

void kd_kinds_start(struct kd_kinds *kinds)
{
    align_marks(kinds);
    if (atomic_load(&kinds->leading)) { /* before the list, so that it is seen as the first one */
        each_member(kinds, start_member);
    }
    for (size_t i = 0; i < kinds->view->n; i++) {
        struct kd_running_kind *running = &kinds->view->items[i];
        if (!running->started) {
            kd_informer_start(running->informer);
            running->started = true;
        }
    }
}

void kd_kinds_stop(struct kd_kinds *kinds)
{
    each_member(kinds, stop_member);
    for (size_t i = 0; i < kinds->view->n; i++) {
        kd_informer_stop(kinds->view->items[i].informer);
    }
}
