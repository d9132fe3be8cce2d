#include "plugin/slow_init.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/thread.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#define SLOW_NS (2 * KD_SEC_NS)
#define LOOK_NS (100 * KD_MS_NS) /* while a slow one runs */
#define EXIT_FAILED 1

static void init_monotonic_cond(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

static bool stop_is_asked_for(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1);
}

static void wait_locked(struct kd_init_watch *watch, int64_t until_ns)
{
    struct timespec until = { .tv_sec = (time_t)(until_ns / KD_SEC_NS),
                              .tv_nsec = (long)(until_ns % KD_SEC_NS) };
    (void)pthread_cond_timedwait(&watch->changed, &watch->lock, &until); /* the caller looks */
}

/* Tells once of one init; afterwards it looks for signals. */
static void look_locked(struct kd_init_watch *watch, int64_t now_ns)
{
    const char *name = watch->name;
    bool told = watch->told;
    watch->told = true;
    if (!told) {
        KD_WARN("init takes long: the start waits for it", KD_F("plugin", name),
                KD_FU("seconds", (now_ns - watch->since_ns) / KD_SEC_NS));
    }
    if (stop_is_asked_for()) {
        KD_ERROR("told to stop while init does not return: ending at once", KD_F("plugin", name));
        _exit(EXIT_FAILED); /* the plugin's code uses what an orderly stop would free */
    }
}

static void *watch_main(void *arg)
{
    struct kd_init_watch *watch = arg;
    pthread_mutex_lock(&watch->lock);
    while (!watch->ends) {
        int64_t now_ns = kd_now_ns(&kd_system_clock);
        if (!watch->name) {
            pthread_cond_wait(&watch->changed, &watch->lock);
        } else if (now_ns - watch->since_ns < SLOW_NS) {
            wait_locked(watch, watch->since_ns + SLOW_NS);
        } else {
            look_locked(watch, now_ns);
            wait_locked(watch, now_ns + LOOK_NS);
        }
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

void kd_init_watch_start(struct kd_init_watch *watch)
{
    *watch = (struct kd_init_watch){ .name = NULL };
    pthread_mutex_init(&watch->lock, NULL);
    init_monotonic_cond(&watch->changed);
    watch->runs = kd_thread_create(&watch->thread, "kd-init", watch_main, watch) == 0;
}

static void set(struct kd_init_watch *watch, const char *name, bool ends)
{
    pthread_mutex_lock(&watch->lock);
    watch->name = name;
    watch->since_ns = kd_now_ns(&kd_system_clock);
    watch->told = false;
    watch->ends = ends;
    pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
}

void kd_init_watch_begin(struct kd_init_watch *watch, const char *name)
{
    set(watch, name, false);
}

void kd_init_watch_end(struct kd_init_watch *watch)
{
    set(watch, NULL, false);
}

void kd_init_watch_stop(struct kd_init_watch *watch)
{
    set(watch, NULL, true);
    if (watch->runs) {
        (void)pthread_join(watch->thread, NULL);
    }
    pthread_cond_destroy(&watch->changed);
    pthread_mutex_destroy(&watch->lock);
}
