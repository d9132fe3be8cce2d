#include "base/thread.h"

#include "base/alloc.h"
#include "base/crash.h"
#include "base/stacks.h"

#include <signal.h>
#include <stdio.h>

#define NAME_BYTES 16

struct start {
    void *(*fn)(void *arg);
    void *arg;
    char name[NAME_BYTES];
};

static void *run(void *arg)
{
    const struct start start = *(const struct start *)arg;
    kd_free(arg);
    (void)pthread_setname_np(pthread_self(), start.name); /* it is short enough */
    kd_crash_thread_begin();
    void *result = start.fn(start.arg);
    kd_crash_thread_end();
    return result;
}

int kd_thread_create(pthread_t *ret, const char *name, void *(*fn)(void *arg), void *arg)
{
    struct start *start = kd_alloc(sizeof(*start));
    sigset_t blocked;
    sigset_t before;
    *start = (struct start){ .fn = fn, .arg = arg };
    (void)snprintf(start->name, sizeof(start->name), "%s", name); /* cut to fit */
    (void)sigfillset(&blocked); /* none of these fails for signals that there are */
    (void)sigdelset(&blocked, kd_stacks_signal());
    kd_crash_let_through(&blocked);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int rc = pthread_create(ret, NULL, run, start);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0) {
        kd_free(start);
    }
    return rc;
}
