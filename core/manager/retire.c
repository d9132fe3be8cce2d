/* The end of what a change took out: when its workers and its readers have left. */
#include "base/alloc.h"
#include "manager/set.h"

bool kd_retiring_is_quiet(const struct kd_retiring *going)
{
    for (size_t i = 0; i < going->n_controllers; i++) {
        if (!kd_controller_is_quiet(going->controllers[i])) {
            return false;
        }
    }
    return true;
}

static void free_informers(void *arg)
{
    struct kd_retiring *going = arg;
    for (size_t i = 0; i < going->n_informers; i++) {
        kd_informer_free(going->informers[i]);
    }
}

void kd_retiring_free(struct kd_kinds *kinds, struct kd_retiring *going, bool loop_runs)
{
    for (size_t i = 0; i < going->n_controllers; i++) {
        kd_controller_free(going->controllers[i]);
    }
    if (going->n_informers > 0 && loop_runs) {
        kd_kinds_on_io(kinds, free_informers, going);
    } else {
        free_informers(going);
    }
    if (going->view) {
        kd_plugins_free(going->view->plugins);
        kd_view_free(going->view);
    }
    kd_free(going->controllers);
    kd_free(going->informers);
    kd_free(going);
}

static bool is_read(struct kd_kinds *kinds, const struct kd_retiring *going)
{
    pthread_mutex_lock(&kinds->lock);
    bool read = going->view->readers > 0;
    pthread_mutex_unlock(&kinds->lock);
    return read;
}

bool kd_kinds_tidy(struct kd_kinds *kinds)
{
    struct kd_retiring **link = &kinds->retiring;
    while (*link) {
        struct kd_retiring *going = *link;
        if (is_read(kinds, going) || !kd_retiring_is_quiet(going)) {
            link = &going->next;
            continue;
        }
        *link = going->next;
        kd_retiring_free(kinds, going, true);
    }
    return kinds->retiring != NULL;
}
