#include "store/inbox.h"

#include "base/clock.h"
#include "base/limits.h"

#include <time.h>

#define MAX_QUEUE_BYTES (128 * KD_MIB)

void kd_inbox_init(struct kd_inbox *inbox, size_t batch_size, int64_t interval_ns)
{
    pthread_condattr_t monotonic;
    *inbox =
        (struct kd_inbox){ .batch_size = batch_size ? batch_size : 1, .interval_ns = interval_ns };
    inbox->last = &inbox->first;
    (void)pthread_condattr_init(&monotonic); /* none of these can fail with these arguments */
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&inbox->lock, NULL);
    (void)pthread_cond_init(&inbox->wake, &monotonic);
    (void)pthread_cond_init(&inbox->moved, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
}

void kd_inbox_release(struct kd_inbox *inbox)
{
    KD_ASSERT(inbox->first == NULL);
    (void)pthread_cond_destroy(&inbox->moved);
    (void)pthread_cond_destroy(&inbox->wake);
    (void)pthread_mutex_destroy(&inbox->lock);
}

static bool is_full(const struct kd_inbox *inbox)
{
    return inbox->held >= KD_MAX_STORE_QUEUE || inbox->held_bytes >= MAX_QUEUE_BYTES;
}

static void append_locked(struct kd_inbox *inbox, struct kd_write *write)
{
    write->ticket = ++inbox->added;
    *inbox->last = write;
    inbox->last = &write->next;
    inbox->n++;
    inbox->held++;
    inbox->held_bytes += write->size;
    if (inbox->n == 1 || inbox->n == inbox->batch_size) {
        (void)pthread_cond_signal(&inbox->wake);
    }
}

static int add_locked(struct kd_inbox *inbox, struct kd_write *write)
{
    while (!inbox->closing && is_full(inbox)) {
        inbox->hurry = inbox->added;
        (void)pthread_cond_signal(&inbox->wake);
        (void)pthread_cond_wait(&inbox->moved, &inbox->lock);
    }
    if (inbox->closing) {
        return KD_ESHUTDOWN;
    }
    append_locked(inbox, write);
    return 0;
}

int kd_inbox_try_add(struct kd_inbox *inbox, struct kd_write *write)
{
    (void)pthread_mutex_lock(&inbox->lock);
    int rc = inbox->closing ? KD_ESHUTDOWN : is_full(inbox) ? KD_EAGAIN : 0;
    if (rc == 0) {
        append_locked(inbox, write);
    }
    (void)pthread_mutex_unlock(&inbox->lock);
    if (rc < 0) {
        kd_write_free(write);
    }
    return rc;
}

int kd_inbox_add(struct kd_inbox *inbox, struct kd_write *write)
{
    (void)pthread_mutex_lock(&inbox->lock);
    int rc = add_locked(inbox, write);
    (void)pthread_mutex_unlock(&inbox->lock);
    if (rc < 0) {
        kd_write_free(write);
    }
    return rc;
}

static void hurry_locked(struct kd_inbox *inbox, uint64_t ticket)
{
    if (ticket > inbox->hurry) {
        inbox->hurry = ticket;
        (void)pthread_cond_signal(&inbox->wake);
    }
}

int kd_inbox_add_wait(struct kd_inbox *inbox, struct kd_write *write)
{
    struct kd_write_waiter waiter = { 0 };
    write->waiter = &waiter;
    (void)pthread_mutex_lock(&inbox->lock);
    int rc = add_locked(inbox, write);
    if (rc == 0) {
        hurry_locked(inbox, inbox->added);
        while (!waiter.done) {
            (void)pthread_cond_wait(&inbox->moved, &inbox->lock);
        }
        rc = waiter.result;
        write = NULL; /* the writer has freed it */
    }
    (void)pthread_mutex_unlock(&inbox->lock);
    kd_write_free(write);
    return rc;
}

static struct timespec after(int64_t time_ns)
{
    int64_t until = kd_time_add_ns(kd_now_ns(&kd_system_clock), time_ns);
    return (struct timespec){ .tv_sec = until / KD_SEC_NS, .tv_nsec = until % KD_SEC_NS };
}

int kd_inbox_flush(struct kd_inbox *inbox, int64_t limit_ns)
{
    struct timespec until = after(limit_ns);
    int rc = 0;
    (void)pthread_mutex_lock(&inbox->lock);
    uint64_t ticket = inbox->added;
    uint64_t lost = inbox->lost;
    hurry_locked(inbox, ticket);
    while (rc == 0 && inbox->done < ticket) {
        rc = pthread_cond_timedwait(&inbox->moved, &inbox->lock, &until);
    }
    bool done = inbox->done >= ticket;
    bool ok = inbox->lost == lost;
    (void)pthread_mutex_unlock(&inbox->lock);
    return !done ? KD_ETIMEOUT : ok ? 0 : KD_ESTORE;
}

void kd_inbox_close(struct kd_inbox *inbox)
{
    (void)pthread_mutex_lock(&inbox->lock);
    inbox->closing = true;
    (void)pthread_cond_signal(&inbox->wake);
    (void)pthread_cond_broadcast(&inbox->moved);
    (void)pthread_mutex_unlock(&inbox->lock);
}

size_t kd_inbox_length(struct kd_inbox *inbox)
{
    (void)pthread_mutex_lock(&inbox->lock);
    size_t n = inbox->held;
    (void)pthread_mutex_unlock(&inbox->lock);
    return n;
}

static bool is_due(const struct kd_inbox *inbox)
{
    return inbox->closing || inbox->n >= inbox->batch_size || inbox->hurry > inbox->done;
}

static struct kd_write *cut_locked(struct kd_inbox *inbox)
{
    struct kd_write *batch = inbox->first;
    struct kd_write **link = &inbox->first;
    size_t n = 0;
    while (*link && n < inbox->batch_size) {
        link = &(*link)->next;
        n++;
    }
    inbox->first = *link;
    if (!inbox->first) {
        inbox->last = &inbox->first;
    }
    if (n) {
        *link = NULL;
    }
    inbox->n -= n;
    return n ? batch : NULL;
}

struct kd_write *kd_inbox_take(struct kd_inbox *inbox)
{
    (void)pthread_mutex_lock(&inbox->lock);
    while (inbox->n == 0 && !inbox->closing) {
        (void)pthread_cond_wait(&inbox->wake, &inbox->lock);
    }
    struct timespec until = after(inbox->interval_ns);
    int rc = 0;
    while (rc == 0 && !is_due(inbox)) {
        rc = pthread_cond_timedwait(&inbox->wake, &inbox->lock, &until);
    }
    struct kd_write *batch = cut_locked(inbox);
    (void)pthread_mutex_unlock(&inbox->lock);
    return batch;
}

void kd_inbox_done(struct kd_inbox *inbox, struct kd_write *batch, int rc)
{
    (void)pthread_mutex_lock(&inbox->lock);
    for (struct kd_write *write = batch; write; write = write->next) {
        int result = rc < 0 ? rc : write->result;
        inbox->done = write->ticket;
        inbox->held--;
        inbox->held_bytes -= write->size;
        inbox->lost += result < 0 && result != KD_EEXIST;
        if (write->waiter) {
            write->waiter->result = result;
            write->waiter->done = true;
        }
    }
    (void)pthread_cond_broadcast(&inbox->moved);
    (void)pthread_mutex_unlock(&inbox->lock);
    while (batch) {
        struct kd_write *next = batch->next;
        kd_write_free(batch);
        batch = next;
    }
}

bool kd_inbox_pause(struct kd_inbox *inbox, int64_t time_ns)
{
    (void)pthread_mutex_lock(&inbox->lock);
    struct timespec until = after(time_ns);
    bool closing = inbox->closing;
    int rc = 0;
    while (rc == 0 && inbox->closing == closing) { /* more work is no reason to try sooner */
        rc = pthread_cond_timedwait(&inbox->wake, &inbox->lock, &until);
    }
    closing = inbox->closing;
    (void)pthread_mutex_unlock(&inbox->lock);
    return closing;
}
