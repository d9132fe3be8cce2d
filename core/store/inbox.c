#include "store/inbox.h"

#include "base/clock.h"
#include "base/limits.h"

#include <time.h>

#define MAX_QUEUE_BYTES (128 * KD_MIB)

void kd_inbox_init(struct kd_inbox *queue, size_t batch_size, int64_t interval_ns)
{
    pthread_condattr_t monotonic;
    *queue =
        (struct kd_inbox){ .batch_size = batch_size ? batch_size : 1, .interval_ns = interval_ns };
    queue->last = &queue->first;
    (void)pthread_condattr_init(&monotonic); /* none of these can fail with these arguments */
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&queue->lock, NULL);
    (void)pthread_cond_init(&queue->wake, &monotonic);
    (void)pthread_cond_init(&queue->moved, NULL);
    (void)pthread_condattr_destroy(&monotonic);
}

void kd_inbox_release(struct kd_inbox *queue)
{
    KD_ASSERT(queue->first == NULL);
    (void)pthread_cond_destroy(&queue->moved);
    (void)pthread_cond_destroy(&queue->wake);
    (void)pthread_mutex_destroy(&queue->lock);
}

static bool is_full(const struct kd_inbox *queue)
{
    return queue->held >= KD_MAX_STORE_QUEUE || queue->held_bytes >= MAX_QUEUE_BYTES;
}

static int add_locked(struct kd_inbox *queue, struct kd_write *write)
{
    while (!queue->closing && is_full(queue)) {
        queue->hurry = queue->added;
        (void)pthread_cond_signal(&queue->wake);
        (void)pthread_cond_wait(&queue->moved, &queue->lock);
    }
    if (queue->closing) {
        return KD_ESHUTDOWN;
    }
    write->ticket = ++queue->added;
    *queue->last = write;
    queue->last = &write->next;
    queue->n++;
    queue->held++;
    queue->held_bytes += write->size;
    if (queue->n == 1 || queue->n == queue->batch_size) {
        (void)pthread_cond_signal(&queue->wake);
    }
    return 0;
}

int kd_inbox_add(struct kd_inbox *queue, struct kd_write *write)
{
    (void)pthread_mutex_lock(&queue->lock);
    int rc = add_locked(queue, write);
    (void)pthread_mutex_unlock(&queue->lock);
    if (rc < 0) {
        kd_write_free(write);
    }
    return rc;
}

static void hurry_locked(struct kd_inbox *queue, uint64_t ticket)
{
    if (ticket > queue->hurry) {
        queue->hurry = ticket;
        (void)pthread_cond_signal(&queue->wake);
    }
}

int kd_inbox_add_wait(struct kd_inbox *queue, struct kd_write *write)
{
    struct kd_write_waiter waiter = { 0 };
    write->waiter = &waiter;
    (void)pthread_mutex_lock(&queue->lock);
    int rc = add_locked(queue, write);
    if (rc == 0) {
        hurry_locked(queue, queue->added);
        while (!waiter.done) {
            (void)pthread_cond_wait(&queue->moved, &queue->lock);
        }
        rc = waiter.result;
        write = NULL; /* the writer has freed it */
    }
    (void)pthread_mutex_unlock(&queue->lock);
    kd_write_free(write);
    return rc;
}

int kd_inbox_flush(struct kd_inbox *queue)
{
    (void)pthread_mutex_lock(&queue->lock);
    uint64_t ticket = queue->added;
    uint64_t lost = queue->lost;
    hurry_locked(queue, ticket);
    while (queue->done < ticket) {
        (void)pthread_cond_wait(&queue->moved, &queue->lock);
    }
    bool ok = queue->lost == lost;
    (void)pthread_mutex_unlock(&queue->lock);
    return ok ? 0 : KD_ESTORE;
}

void kd_inbox_close(struct kd_inbox *queue)
{
    (void)pthread_mutex_lock(&queue->lock);
    queue->closing = true;
    (void)pthread_cond_signal(&queue->wake);
    (void)pthread_cond_broadcast(&queue->moved);
    (void)pthread_mutex_unlock(&queue->lock);
}

size_t kd_inbox_length(struct kd_inbox *queue)
{
    (void)pthread_mutex_lock(&queue->lock);
    size_t n = queue->held;
    (void)pthread_mutex_unlock(&queue->lock);
    return n;
}

static struct timespec after(int64_t time_ns)
{
    int64_t until = kd_time_add_ns(kd_now_ns(&kd_system_clock), time_ns);
    return (struct timespec){ .tv_sec = until / KD_SEC_NS, .tv_nsec = until % KD_SEC_NS };
}

static bool is_due(const struct kd_inbox *queue)
{
    return queue->closing || queue->n >= queue->batch_size || queue->hurry > queue->done;
}

static struct kd_write *cut_locked(struct kd_inbox *queue)
{
    struct kd_write *batch = queue->first;
    struct kd_write **link = &queue->first;
    size_t n = 0;
    while (*link && n < queue->batch_size) {
        link = &(*link)->next;
        n++;
    }
    queue->first = *link;
    if (!queue->first) {
        queue->last = &queue->first;
    }
    if (n) {
        *link = NULL;
    }
    queue->n -= n;
    return n ? batch : NULL;
}

struct kd_write *kd_inbox_take(struct kd_inbox *queue)
{
    (void)pthread_mutex_lock(&queue->lock);
    while (queue->n == 0 && !queue->closing) {
        (void)pthread_cond_wait(&queue->wake, &queue->lock);
    }
    struct timespec until = after(queue->interval_ns);
    int rc = 0;
    while (rc == 0 && !is_due(queue)) {
        rc = pthread_cond_timedwait(&queue->wake, &queue->lock, &until);
    }
    struct kd_write *batch = cut_locked(queue);
    (void)pthread_mutex_unlock(&queue->lock);
    return batch;
}

void kd_inbox_done(struct kd_inbox *queue, struct kd_write *batch, int rc)
{
    (void)pthread_mutex_lock(&queue->lock);
    for (struct kd_write *write = batch; write; write = write->next) {
        int result = rc < 0 ? rc : write->result;
        queue->done = write->ticket;
        queue->held--;
        queue->held_bytes -= write->size;
        queue->lost += result < 0 && result != KD_EEXIST;
        if (write->waiter) {
            write->waiter->result = result;
            write->waiter->done = true;
        }
    }
    (void)pthread_cond_broadcast(&queue->moved);
    (void)pthread_mutex_unlock(&queue->lock);
    while (batch) {
        struct kd_write *next = batch->next;
        kd_write_free(batch);
        batch = next;
    }
}

bool kd_inbox_pause(struct kd_inbox *queue, int64_t time_ns)
{
    (void)pthread_mutex_lock(&queue->lock);
    struct timespec until = after(time_ns);
    bool closing = queue->closing;
    int rc = 0;
    while (rc == 0 && queue->closing == closing) { /* more work is no reason to try sooner */
        rc = pthread_cond_timedwait(&queue->wake, &queue->lock, &until);
    }
    closing = queue->closing;
    (void)pthread_mutex_unlock(&queue->lock);
    return closing;
}
