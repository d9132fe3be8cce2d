#include "queue/queue.h"

#include "base/alloc.h"
#include "metrics/metrics.h"
#include "queue/place.h"

#define QUEUE_MAGIC 0x4b515545u
#define RETRY_MAX_NS (1000 * 3600 * KD_SEC_NS)

/* It is held for a few dozen instructions, so that to look again at once beats to sleep. */
static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

static void init_retries(struct kd_queue *queue, const struct kd_queue_settings *settings)
{
    if (settings->retry_qps > 0) {
        int64_t burst = settings->retry_burst > 1 ? settings->retry_burst : 1;
        double each_ns = (double)KD_SEC_NS / settings->retry_qps;
        double room_ns = each_ns * (double)burst;
        queue->retry_ns = each_ns < (double)RETRY_MAX_NS ? (int64_t)each_ns : RETRY_MAX_NS;
        queue->retry_room_ns = room_ns < (double)RETRY_MAX_NS ? (int64_t)room_ns : RETRY_MAX_NS;
    }
}

struct kd_queue *kd_queue_new(const struct kd_queue_settings *settings,
                              const struct kd_clock *clock, struct kd_metrics *metrics,
                              void (*wake)(void *arg), void *wake_arg)
{
    struct kd_queue *queue = kd_zalloc(sizeof(*queue));
    queue->magic = QUEUE_MAGIC;
    queue->name = kd_strdup(settings->name);
    queue->clock = clock;
    queue->backoff_base_ns = settings->backoff_base_ns;
    queue->backoff_max_ns = settings->backoff_max_ns;
    queue->debounce_ns = settings->debounce_ns > 0 ? settings->debounce_ns : 0;
    init_retries(queue, settings);
    queue->ready.fair = settings->fair;
    queue->wake = wake;
    queue->wake_arg = wake_arg;
    queue->meter.metrics = metrics;
    atomic_init(&queue->next_ns, KD_NEVER_NS);
    init_lock(&queue->lock);
    kd_queue_meter_start(queue);
    return queue;
}

void kd_queue_free(struct kd_queue *queue)
{
    if (!queue) {
        return;
    }
    KD_CHECK(queue, QUEUE_MAGIC);
    KD_ASSERT(queue->n_working == 0);
    kd_queue_meter_stop(queue);
    kd_queue_drop_locked(queue, true);
    struct kd_hnode *node; /* what is left has failures */
    while ((node = kd_hmap_begin(&queue->entries)) != NULL) {
        kd_hmap_remove(&queue->entries, node);
        kd_free(KD_CONTAINER_OF(node, struct kd_queue_entry, node));
    }
    kd_hmap_release(&queue->entries);
    kd_queue_ready_release(&queue->ready);
    kd_queue_heap_release(&queue->delayed);
    pthread_mutex_destroy(&queue->lock);
    kd_free(queue->name);
    queue->magic = 0;
    kd_free(queue);
}

/* Ends a change: brings next_ns up to date, unlocks, and tells the pool when it has to know. */
static void finish_unlock(struct kd_queue *queue)
{
    bool sooner = kd_queue_refresh_locked(queue);
    pthread_mutex_unlock(&queue->lock);
    if (sooner && queue->wake) {
        queue->wake(queue->wake_arg);
    }
}

uint32_t kd_queue_add(struct kd_queue *queue, struct kd_key key, int32_t priority, uint32_t why,
                      uint32_t changed)
{
    KD_CHECK(queue, QUEUE_MAGIC);
    int64_t now_ns = kd_now_ns(queue->clock);
    struct kd_queue_want want = { priority, why, changed,
                                  kd_time_add_ns(now_ns, queue->debounce_ns) };
    uint32_t waited = 0;
    pthread_mutex_lock(&queue->lock);
    if (!queue->shut) {
        struct kd_queue_entry *entry = kd_queue_find_or_make_locked(queue, key);
        waited = kd_queue_want_locked(queue, entry, &want, now_ns);
    }
    finish_unlock(queue);
    return waited;
}

static void add_late_locked(struct kd_queue *queue, struct kd_queue_entry *entry, int64_t delay_ns,
                            uint32_t why, uint32_t changed)
{
    int64_t now_ns = kd_now_ns(queue->clock);
    struct kd_queue_want want = { entry->working ? entry->run.priority : KD_PRIORITY_NORMAL, why,
                                  changed, kd_time_add_ns(now_ns, delay_ns) };
    if (delay_ns > 0) {
        kd_counter_add(queue->meter.retries, 1);
    }
    (void)kd_queue_want_locked(queue, entry, &want, now_ns); /* what waited is of no interest */
}

void kd_queue_add_after(struct kd_queue *queue, struct kd_key key, int64_t delay_ns, uint32_t why)
{
    KD_CHECK(queue, QUEUE_MAGIC);
    pthread_mutex_lock(&queue->lock);
    if (!queue->shut) {
        add_late_locked(queue, kd_queue_find_or_make_locked(queue, key), delay_ns, why, 0);
    }
    finish_unlock(queue);
}

/* base * 2^failures, at most max; never falls, whatever the count. */
static int64_t backoff_ns(const struct kd_queue *queue, uint32_t failures)
{
    int64_t base_ns = queue->backoff_base_ns;
    int64_t max_ns = queue->backoff_max_ns;
    if (base_ns <= 0) {
        return 0;
    }
    if (failures >= 63 || base_ns > (max_ns >> failures)) {
        return max_ns;
    }
    return base_ns << failures;
}

/* Takes one retry out of the shared bucket; how long it has to wait for that. */
static int64_t retry_wait_locked(struct kd_queue *queue)
{
    int64_t now_ns = kd_now_ns(queue->clock);
    if (queue->retry_ns == 0) {
        return 0;
    }
    int64_t full_ns = queue->retries_full_ns > now_ns ? queue->retries_full_ns : now_ns;
    queue->retries_full_ns = kd_time_add_ns(full_ns, queue->retry_ns);
    int64_t wait_ns = queue->retries_full_ns - queue->retry_room_ns - now_ns;
    return wait_ns > 0 ? wait_ns : 0;
}

void kd_queue_add_rate_limited(struct kd_queue *queue, struct kd_key key)
{
    KD_CHECK(queue, QUEUE_MAGIC);
    pthread_mutex_lock(&queue->lock);
    if (!queue->shut) {
        struct kd_queue_entry *entry = kd_queue_find_or_make_locked(queue, key);
        int64_t delay_ns = backoff_ns(queue, entry->failures);
        int64_t wait_ns = retry_wait_locked(queue);
        delay_ns = delay_ns > wait_ns ? delay_ns : wait_ns;
        entry->failures += entry->failures < UINT32_MAX;
        add_late_locked(queue, entry, delay_ns, KD_WHY_RETRY,
                        entry->working ? entry->run.changed : 0);
    }
    finish_unlock(queue);
}

void kd_queue_forget_item(struct kd_queue *queue, const struct kd_queue_item *item)
{
    if (item->failures > 0) { /* nobody but who has it in work adds to them */
        kd_queue_forget(queue, item->key);
    }
}

void kd_queue_forget(struct kd_queue *queue, struct kd_key key)
{
    KD_CHECK(queue, QUEUE_MAGIC);
    pthread_mutex_lock(&queue->lock);
    struct kd_queue_entry *entry = kd_queue_find_locked(queue, key);
    if (entry) {
        entry->failures = 0;
        kd_queue_settle_locked(queue, entry);
    }
    pthread_mutex_unlock(&queue->lock);
}

static const struct kd_queue_item *take_first_locked(struct kd_queue *queue, int64_t now_ns)
{
    struct kd_queue_entry *entry = kd_queue_ready_take(&queue->ready);
    if (!entry) {
        return NULL;
    }
    entry->place = KD_PLACE_NONE;
    entry->working = true;
    entry->work_ns = now_ns;
    entry->run.priority = entry->priority;
    entry->run.why = entry->why;
    entry->run.changed = entry->changed;
    entry->run.failures = entry->failures;
    kd_queue_list_append(&queue->working, entry);
    queue->n_working++;
    queue->work_sum_ns += now_ns;
    kd_histogram_observe(queue->meter.wait_seconds, kd_queue_seconds(now_ns - entry->added_ns));
    return &entry->run;
}

const struct kd_queue_item *kd_queue_get(struct kd_queue *queue)
{
    KD_CHECK(queue, QUEUE_MAGIC);
    int64_t now_ns = kd_now_ns(queue->clock);
    pthread_mutex_lock(&queue->lock);
    kd_queue_promote_locked(queue, now_ns);
    const struct kd_queue_item *item = take_first_locked(queue, now_ns);
    (void)kd_queue_refresh_locked(queue); /* the caller looks for more by itself */
    pthread_mutex_unlock(&queue->lock);
    return item;
}

/* By address alone: what the caller holds may be long gone. */
static struct kd_queue_entry *find_working_locked(const struct kd_queue *queue,
                                                  const struct kd_queue_item *item)
{
    struct kd_queue_entry *entry = queue->working.head;
    while (entry && &entry->run != item) {
        entry = entry->next;
    }
    return entry;
}

static void end_work_locked(struct kd_queue *queue, struct kd_queue_entry *entry, int64_t now_ns)
{
    kd_queue_list_remove(&queue->working, entry);
    entry->working = false;
    queue->n_working--;
    queue->work_sum_ns -= entry->work_ns;
    kd_histogram_observe(queue->meter.work_seconds, kd_queue_seconds(now_ns - entry->work_ns));
    if (entry->place == KD_PLACE_DIRTY) {
        kd_queue_ready_again_locked(queue, entry);
    } else {
        kd_queue_settle_locked(queue, entry);
    }
}

void kd_queue_done(struct kd_queue *queue, const struct kd_queue_item *item)
{
    KD_CHECK(queue, QUEUE_MAGIC);
    int64_t now_ns = kd_now_ns(queue->clock);
    pthread_mutex_lock(&queue->lock);
    struct kd_queue_entry *entry = find_working_locked(queue, item);
    if (entry) {
        end_work_locked(queue, entry, now_ns);
    }
    finish_unlock(queue);
}

int64_t kd_queue_next_ns(const struct kd_queue *queue)
{
    return atomic_load_explicit(&queue->next_ns, memory_order_acquire);
}

uint64_t kd_queue_clear(struct kd_queue *queue, uint32_t why)
{
    KD_CHECK(queue, QUEUE_MAGIC);
    pthread_mutex_lock(&queue->lock);
    uint64_t n = kd_queue_forget_all_locked(queue, why);
    finish_unlock(queue);
    return n;
}

void kd_queue_shutdown(struct kd_queue *queue, bool drain)
{
    KD_CHECK(queue, QUEUE_MAGIC);
    pthread_mutex_lock(&queue->lock);
    queue->shut = true;
    kd_queue_drop_locked(queue, !drain);
    finish_unlock(queue);
}

void kd_queue_get_stats(struct kd_queue *queue, struct kd_queue_stats *ret)
{
    KD_CHECK(queue, QUEUE_MAGIC);
    pthread_mutex_lock(&queue->lock);
    const struct kd_queue_entry *oldest = queue->working.head;
    *ret = (struct kd_queue_stats){ .depth = queue->ready.n,
                                    .delayed = queue->delayed.n,
                                    .working = queue->n_working,
                                    .oldest_work_ns = oldest ? oldest->work_ns : 0 };
    pthread_mutex_unlock(&queue->lock);
}
