/*
 * Who is told of commits. The writer calls without a lock; a subscription that goes waits for a
 * call that is under way, unless it goes from inside of that call.
 */
#ifndef KD_STORE_SUBSCRIBE_H
#define KD_STORE_SUBSCRIBE_H

#include "store/store.h"

#include <pthread.h>

struct kd_hub {
    pthread_mutex_t lock; /* guards everything here and the state of each subscription */
    pthread_cond_t idle;  /* a call has ended */
    struct kd_store_subscription *first;
    uint64_t seq; /* last committed */
    pthread_t teller;
};

void kd_hub_init(struct kd_hub *hub, uint64_t seq);
void kd_hub_release(struct kd_hub *hub); /* every subscription is gone */
struct kd_store_subscription *kd_hub_add(struct kd_hub *hub, void (*fn)(void *arg, uint64_t seq),
                                         void *arg, uint64_t *ret_seq);
uint64_t kd_hub_seq(struct kd_hub *hub);
/* The writer: seq is committed ... */
void kd_hub_publish(struct kd_hub *hub, uint64_t seq);
/* ... and tells everyone who has not heard of it. */
void kd_hub_tell(struct kd_hub *hub);

#endif
