/*
 * Writes that wait for the writer's thread. Any thread adds; only the writer takes. Bounded by
 * number and by bytes, what the writer holds included: who adds more waits.
 */
#ifndef KD_STORE_INBOX_H
#define KD_STORE_INBOX_H

#include "store/write.h"

#include <pthread.h>

struct kd_inbox {
    pthread_mutex_t lock; /* guards everything here and the waiters of adds */
    pthread_cond_t wake;  /* for the writer: work, hurry or closing. Monotonic clock */
    pthread_cond_t moved; /* for the others: room, or a batch is done. Monotonic clock */
    struct kd_write *first;
    struct kd_write **last;
    size_t n;          /* waiting */
    size_t held;       /* waiting and in the writer's hands */
    size_t held_bytes; /* of them */
    uint64_t added;    /* tickets given out */
    uint64_t done;     /* tickets committed or lost */
    uint64_t lost;     /* writes that failed for good */
    uint64_t hurry;    /* someone waits for this ticket */
    size_t batch_size;
    int64_t interval_ns;
    bool closing;
};

void kd_inbox_init(struct kd_inbox *inbox, size_t batch_size, int64_t interval_ns);
void kd_inbox_release(struct kd_inbox *inbox);

/* Takes the write, also when it fails with KD_ESHUTDOWN. Waits for room. */
int kd_inbox_add(struct kd_inbox *inbox, struct kd_write *write) KD_MUST_USE;
/* The same without waiting: KD_EAGAIN when there is no room. */
int kd_inbox_try_add(struct kd_inbox *inbox, struct kd_write *write) KD_MUST_USE;
/* The same, then waits until it is done and returns its result. */
int kd_inbox_add_wait(struct kd_inbox *inbox, struct kd_write *write) KD_MUST_USE;
/* Waits until all that was added before is done; KD_ESTORE when some of it was lost meanwhile.
 * KD_ETIMEOUT when limit_ns is over before; INT64_MAX: no limit. */
int kd_inbox_flush(struct kd_inbox *inbox, int64_t limit_ns) KD_MUST_USE;
/* Lets nothing more in; kd_inbox_take goes on until it is empty. */
void kd_inbox_close(struct kd_inbox *inbox);
size_t kd_inbox_length(struct kd_inbox *inbox);

/* The writer: the next batch, or NULL when closed and empty. Waits. */
struct kd_write *kd_inbox_take(struct kd_inbox *inbox);
/* Frees a batch that is committed, or lost when rc < 0, and tells who waits. */
void kd_inbox_done(struct kd_inbox *inbox, struct kd_write *batch, int rc);
/* Waits before a batch is tried again; true when the inbox is closing. */
bool kd_inbox_pause(struct kd_inbox *inbox, int64_t time_ns);

#endif
