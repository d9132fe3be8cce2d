/*
 * Speed of core/queue: one producer adds distinct keys, workers take and finish them, waiting on a
 * condition while there is none, as those of the pool do. Prints adds and gets a second, of wall
 * time and of CPU. tests/bench/queue runs it beside its peers.
 *
 *     cmake -DKINDRED_BENCH=ON ... --target bench_queue && build/bench_queue [WORKERS]
 */
#include "base/alloc.h"
#include "base/str.h"
#include "metrics/metrics.h"
#include "queue/queue.h"

#include <kindred/types.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KEYS 1000000u
#define NAMESPACES 100u
#define NAME_MAX_BYTES 24

struct bench {
    struct kd_queue *queue;
    pthread_mutex_t lock; /* guards idle */
    pthread_cond_t work;
    size_t idle;
    atomic_uint done;
    char (*names)[NAME_MAX_BYTES];
};

static struct kd_key key_at(const struct bench *bench, unsigned i)
{
    return (struct kd_key){ kd_str_from(bench->names[i % NAMESPACES]),
                            kd_str_from(bench->names[i]) };
}

static void on_wake(void *arg)
{
    struct bench *bench = arg;
    pthread_mutex_lock(&bench->lock);
    if (bench->idle > 0) {
        pthread_cond_signal(&bench->work);
    }
    pthread_mutex_unlock(&bench->lock);
}

/* Whether there may be a key; false: all are done. */
static bool wait_for_key(struct bench *bench)
{
    pthread_mutex_lock(&bench->lock);
    while (kd_queue_next_ns(bench->queue) != 0 && atomic_load(&bench->done) < KEYS) {
        bench->idle++;
        pthread_cond_wait(&bench->work, &bench->lock);
        bench->idle--;
    }
    bool more = atomic_load(&bench->done) < KEYS;
    if (more && bench->idle > 0 && kd_queue_next_ns(bench->queue) == 0) {
        pthread_cond_signal(&bench->work); /* one tells the next */
    }
    pthread_mutex_unlock(&bench->lock);
    return more;
}

static void end_all(struct bench *bench)
{
    pthread_mutex_lock(&bench->lock);
    pthread_cond_broadcast(&bench->work);
    pthread_mutex_unlock(&bench->lock);
}

static void *work(void *arg)
{
    struct bench *bench = arg;
    while (wait_for_key(bench)) {
        const struct kd_queue_item *item;
        while ((item = kd_queue_get(bench->queue)) != NULL) {
            kd_queue_forget_item(bench->queue, item);
            kd_queue_done(bench->queue, item);
            if (atomic_fetch_add(&bench->done, 1) + 1 == KEYS) {
                end_all(bench);
            }
        }
    }
    return NULL;
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now); /* these clocks are there */
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void run(struct bench *bench, size_t n_workers, struct kd_metrics *metrics, bool fair)
{
    const struct kd_queue_settings settings = { .name = "bench",
                                                .backoff_base_ns = 5 * KD_MS_NS,
                                                .backoff_max_ns = 1000 * KD_SEC_NS,
                                                .fair = fair };
    pthread_t *threads = kd_zalloc_array(n_workers, sizeof(*threads));
    bench->queue = kd_queue_new(&settings, &kd_system_clock, metrics, on_wake, bench);
    atomic_store(&bench->done, 0);
    double wall = seconds(CLOCK_MONOTONIC);
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < n_workers; i++) {
        KD_ASSERT(pthread_create(&threads[i], NULL, work, bench) == 0);
    }
    for (unsigned i = 0; i < KEYS; i++) {
        (void)kd_queue_add(bench->queue, key_at(bench, i), KD_PRIORITY_NORMAL, KD_WHY_ADDED, 0);
    }
    for (size_t i = 0; i < n_workers; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    wall = seconds(CLOCK_MONOTONIC) - wall;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("%s%s %.0f %.0f\n", metrics ? "metrics" : "plain", fair ? "-fair" : "", 2 * KEYS / wall,
           2 * KEYS / cpu);
    kd_queue_free(bench->queue);
    kd_free(threads);
}

int main(int argc, char **argv)
{
    struct bench bench = { .names = kd_zalloc_array(KEYS, NAME_MAX_BYTES) };
    size_t n_workers = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
    pthread_mutex_init(&bench.lock, NULL);
    pthread_cond_init(&bench.work, NULL);
    for (unsigned i = 0; i < KEYS; i++) {
        (void)snprintf(bench.names[i], NAME_MAX_BYTES, "pod-%08x-%u", i * 2654435761u, i % 1000);
    }
    struct kd_metrics *metrics = kd_metrics_new();
    run(&bench, n_workers, NULL, false);
    run(&bench, n_workers, metrics, false);
    run(&bench, n_workers, metrics, true);
    kd_metrics_free(metrics);
    kd_free(bench.names);
    return 0;
}
