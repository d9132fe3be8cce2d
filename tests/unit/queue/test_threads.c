/* Producers and workers at once: no key in two hands, none lost. Most telling under TSan. */
#include "base/rand.h"
#include "unit/queue/fake.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define N_KEYS 64
#define N_PRODUCERS 3
#define N_WORKERS 4
#define N_ADDS 20000

struct shared {
    struct kd_queue *queue;
    pthread_mutex_t lock; /* guards woken */
    pthread_cond_t cond;
    bool woken;
    _Atomic uint64_t added[N_KEYS]; /* version that an add announces */
    _Atomic uint64_t seen[N_KEYS];  /* version that the last run saw */
    _Atomic int in_work[N_KEYS];
    atomic_bool stop;
    char names[N_KEYS][8];
};

static void on_wake(void *arg)
{
    struct shared *shared = arg;
    pthread_mutex_lock(&shared->lock);
    shared->woken = true;
    pthread_cond_broadcast(&shared->cond);
    pthread_mutex_unlock(&shared->lock);
}

struct producer {
    struct shared *shared;
    uint64_t seed;
};

static void *produce(void *arg)
{
    struct producer *producer = arg;
    struct shared *shared = producer->shared;
    struct kd_rand rand;
    kd_rand_init(&rand, producer->seed);
    for (int i = 0; i < N_ADDS; i++) {
        size_t at = kd_rand_below(&rand, N_KEYS);
        struct kd_key key = key_of("ns", shared->names[at]);
        atomic_fetch_add(&shared->added[at], 1);
        if (kd_rand_below(&rand, 8) == 0) {
            kd_queue_add_after(shared->queue, key, (int64_t)kd_rand_below(&rand, 100000), 0);
        } else {
            (void)kd_queue_add(shared->queue, key, (int32_t)kd_rand_below(&rand, 2), 1, 1);
        }
    }
    return NULL;
}

static void process(struct shared *shared, const struct kd_queue_item *item, struct kd_rand *rand)
{
    size_t at = 0;
    while (!kd_str_is(item->key.name, shared->names[at])) {
        at++;
    }
    assert_int_equal(atomic_fetch_add(&shared->in_work[at], 1), 0);
    atomic_store(&shared->seen[at], atomic_load(&shared->added[at]));
    if (kd_rand_below(rand, 16) == 0) {
        kd_queue_add_rate_limited(shared->queue, item->key);
    } else {
        kd_queue_forget(shared->queue, item->key);
    }
    atomic_fetch_sub(&shared->in_work[at], 1);
    kd_queue_done(shared->queue, item);
}

/* Sleeps until a wake or the next due time. */
static void wait_for_more(struct shared *shared)
{
    pthread_mutex_lock(&shared->lock);
    int64_t next_ns = kd_queue_next_ns(shared->queue);
    while (!shared->woken && next_ns == KD_NEVER_NS && !atomic_load(&shared->stop)) {
        pthread_cond_wait(&shared->cond, &shared->lock);
        next_ns = kd_queue_next_ns(shared->queue);
    }
    shared->woken = false;
    pthread_mutex_unlock(&shared->lock);
}

static void *work(void *arg)
{
    struct producer *worker = arg;
    struct shared *shared = worker->shared;
    struct kd_rand rand;
    kd_rand_init(&rand, worker->seed);
    while (!atomic_load(&shared->stop)) {
        const struct kd_queue_item *item = kd_queue_get(shared->queue);
        if (item) {
            process(shared, item, &rand);
        } else {
            wait_for_more(shared);
        }
    }
    return NULL;
}

static bool all_seen(struct shared *shared)
{
    struct kd_queue_stats stats = stats_of(shared->queue);
    bool all = stats.depth + stats.delayed + stats.working == 0;
    for (size_t i = 0; all && i < N_KEYS; i++) {
        all = atomic_load(&shared->seen[i]) == atomic_load(&shared->added[i]);
    }
    return all;
}

static void test_threads(void **state)
{
    (void)state;
    struct shared shared = { .lock = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER };
    struct kd_queue_settings settings = { .name = "pod",
                                          .backoff_base_ns = 1000,
                                          .backoff_max_ns = 100000 };
    pthread_t threads[N_PRODUCERS + N_WORKERS];
    struct producer args[N_PRODUCERS + N_WORKERS];
    for (size_t i = 0; i < N_KEYS; i++) {
        (void)snprintf(shared.names[i], sizeof(shared.names[i]), "k%zu", i);
    }
    shared.queue = kd_queue_new(&settings, &kd_system_clock, NULL, on_wake, &shared);
    for (size_t i = 0; i < N_PRODUCERS + N_WORKERS; i++) {
        args[i] = (struct producer){ &shared, i + 1 };
        assert_int_equal(
            pthread_create(&threads[i], NULL, i < N_PRODUCERS ? produce : work, &args[i]), 0);
    }
    for (size_t i = 0; i < N_PRODUCERS; i++) {
        pthread_join(threads[i], NULL);
    }
    while (!all_seen(&shared)) { /* a lost key would hang here, and the test's time limit tell */
        sched_yield();
    }
    atomic_store(&shared.stop, true);
    on_wake(&shared);
    for (size_t i = N_PRODUCERS; i < N_PRODUCERS + N_WORKERS; i++) {
        pthread_join(threads[i], NULL);
    }
    kd_queue_free(shared.queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_threads) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
