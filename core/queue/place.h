/* Where a key waits: moves between not waiting, delayed, ready and dirty. All under the lock. */
#ifndef KD_QUEUE_PLACE_H
#define KD_QUEUE_PLACE_H

#include "queue/state.h"

/* What an add brings to the next run of a key. */
struct kd_queue_want {
    int32_t priority;
    uint32_t why;
    uint32_t changed;
    int64_t due_ns; /* at or before now: at once */
};

struct kd_queue_entry *kd_queue_find_locked(struct kd_queue *queue, struct kd_key key);
struct kd_queue_entry *kd_queue_find_or_make_locked(struct kd_queue *queue, struct kd_key key);
/* Frees the entry when its key neither waits nor is in work nor fails. */
void kd_queue_settle_locked(struct kd_queue *queue, struct kd_queue_entry *entry);
/* Merges the add into what waits. Returns the why bits that waited already. */
uint32_t kd_queue_want_locked(struct kd_queue *queue, struct kd_queue_entry *entry,
                              const struct kd_queue_want *want, int64_t now_ns);
/* Makes every key ready whose time has come. */
void kd_queue_promote_locked(struct kd_queue *queue, int64_t now_ns);
/* A dirty key, no longer in work, is ready. */
void kd_queue_ready_again_locked(struct kd_queue *queue, struct kd_queue_entry *entry);
/* What waits for a later time goes; with_ready, so does what is ready or dirty. */
void kd_queue_drop_locked(struct kd_queue *queue, bool with_ready);
/* All that is not in work goes, with its failures. Returns how many waited with one of these bits.
 */
uint64_t kd_queue_forget_all_locked(struct kd_queue *queue, uint32_t why);
/* Brings next_ns up to date; true when it has become sooner. */
bool kd_queue_refresh_locked(struct kd_queue *queue);

#endif
