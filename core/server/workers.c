#include "server/workers.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdbool.h>

struct kd_workers {
    pthread_mutex_t lock; /* guards first, last, stopping */
    pthread_cond_t cond;
    struct kd_job *first;
    struct kd_job **last;
    bool stopping;
    unsigned n_threads;
    pthread_t threads[];
};

static void *worker_main(void *arg)
{
    struct kd_workers *workers = arg;
    (void)pthread_mutex_lock(&workers->lock);
    for (;;) {
        while (!workers->first && !workers->stopping) {
            (void)pthread_cond_wait(&workers->cond, &workers->lock);
        }
        if (workers->stopping) {
            break;
        }
        struct kd_job *job = workers->first;
        workers->first = job->next;
        if (!workers->first) {
            workers->last = &workers->first;
        }
        (void)pthread_mutex_unlock(&workers->lock);
        job->fn(job->arg);
        (void)pthread_mutex_lock(&workers->lock);
    }
    (void)pthread_mutex_unlock(&workers->lock);
    return NULL;
}

struct kd_workers *kd_workers_new(unsigned n_threads)
{
    struct kd_workers *workers =
        kd_zalloc(sizeof(*workers) + n_threads * sizeof(workers->threads[0]));
    workers->last = &workers->first;
    KD_ASSERT(pthread_mutex_init(&workers->lock, NULL) == 0);
    KD_ASSERT(pthread_cond_init(&workers->cond, NULL) == 0);
    for (unsigned i = 0; i < n_threads; i++) {
        KD_ASSERT(kd_thread_create(&workers->threads[i], "kd-query", worker_main, workers) == 0);
        workers->n_threads++;
    }
    return workers;
}

void kd_workers_free(struct kd_workers *workers)
{
    if (!workers) {
        return;
    }
    (void)pthread_mutex_lock(&workers->lock);
    workers->stopping = true;
    (void)pthread_cond_broadcast(&workers->cond);
    (void)pthread_mutex_unlock(&workers->lock);
    for (unsigned i = 0; i < workers->n_threads; i++) {
        (void)pthread_join(workers->threads[i], NULL);
    }
    (void)pthread_cond_destroy(&workers->cond);
    (void)pthread_mutex_destroy(&workers->lock);
    kd_free(workers);
}

void kd_workers_submit_first(struct kd_workers *workers, struct kd_job *job)
{
    (void)pthread_mutex_lock(&workers->lock);
    if (!workers->stopping) {
        job->next = workers->first;
        workers->last = workers->first ? workers->last : &job->next;
        workers->first = job;
        (void)pthread_cond_signal(&workers->cond);
    }
    (void)pthread_mutex_unlock(&workers->lock);
}

void kd_workers_submit(struct kd_workers *workers, struct kd_job *job)
{
    (void)pthread_mutex_lock(&workers->lock);
    if (!workers->stopping) {
        job->next = NULL;
        *workers->last = job;
        workers->last = &job->next;
        (void)pthread_cond_signal(&workers->cond);
    }
    (void)pthread_mutex_unlock(&workers->lock);
}
