#include "informer/helper.h"

#include "base/alloc.h"
#include "base/thread.h"

#include <pthread.h>

struct job {
    struct job *next;
    void (*fn)(void *arg);
    void *arg;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static struct job *first;
static struct job **last = &first;
static bool running;

static struct job *next_job(void)
{
    (void)pthread_mutex_lock(&lock);
    struct job *job = first;
    if (job) {
        first = job->next;
        last = first ? last : &first;
    } else {
        running = false;
    }
    (void)pthread_mutex_unlock(&lock);
    return job;
}

static void *run(void *arg)
{
    struct job *job;
    (void)arg;
    while ((job = next_job()) != NULL) {
        job->fn(job->arg);
        kd_free(job);
    }
    return NULL;
}

static bool start_locked(void)
{
    pthread_t thread;
    bool started = kd_thread_create(&thread, "kd-helper", run, NULL) == 0;
    if (started) {
        (void)pthread_detach(thread);
    }
    return started;
}

bool kd_helper_run(void (*fn)(void *arg), void *arg)
{
    struct job *job = kd_alloc(sizeof(*job));
    *job = (struct job){ NULL, fn, arg };
    (void)pthread_mutex_lock(&lock);
    running = running || start_locked();
    bool taken = running;
    if (taken) {
        *last = job;
        last = &job->next;
    }
    (void)pthread_mutex_unlock(&lock);
    if (!taken) {
        kd_free(job);
    }
    return taken;
}
