#include "store/subscribe.h"

#include "base/alloc.h"

struct kd_store_subscription {
    struct kd_store_subscription *next;
    struct kd_hub *hub;
    void (*fn)(void *arg, uint64_t seq);
    void *arg;
    uint64_t told; /* last seq that it was called with, or subscribed at */
    bool calling;
    bool gone; /* unsubscribed from inside its own call: freed after it */
};

void kd_hub_init(struct kd_hub *hub, uint64_t seq)
{
    *hub = (struct kd_hub){ .seq = seq };
    (void)pthread_mutex_init(&hub->lock, NULL); /* neither fails without attributes */
    (void)pthread_cond_init(&hub->idle, NULL);
}

void kd_hub_release(struct kd_hub *hub)
{
    KD_ASSERT(hub->first == NULL);
    (void)pthread_cond_destroy(&hub->idle);
    (void)pthread_mutex_destroy(&hub->lock);
}

struct kd_store_subscription *kd_hub_add(struct kd_hub *hub, void (*fn)(void *arg, uint64_t seq),
                                         void *arg, uint64_t *ret_seq)
{
    struct kd_store_subscription *subscription = kd_zalloc(sizeof(*subscription));
    *subscription = (struct kd_store_subscription){ .hub = hub, .fn = fn, .arg = arg };
    (void)pthread_mutex_lock(&hub->lock);
    /* Under the same lock as a commit is made known: it is in this seq or is told later. */
    subscription->told = hub->seq;
    *ret_seq = hub->seq;
    subscription->next = hub->first;
    hub->first = subscription;
    (void)pthread_mutex_unlock(&hub->lock);
    return subscription;
}

static void unlink_locked(struct kd_hub *hub, struct kd_store_subscription *subscription)
{
    struct kd_store_subscription **link = &hub->first;
    while (*link != subscription) {
        KD_ASSERT(*link != NULL);
        link = &(*link)->next;
    }
    *link = subscription->next;
}

void kd_store_unsubscribe(struct kd_store_subscription *subscription)
{
    if (!subscription) {
        return;
    }
    struct kd_hub *hub = subscription->hub;
    (void)pthread_mutex_lock(&hub->lock);
    if (subscription->calling && pthread_equal(hub->teller, pthread_self())) {
        subscription->gone = true;
        subscription = NULL;
    }
    while (subscription && subscription->calling) {
        (void)pthread_cond_wait(&hub->idle, &hub->lock);
    }
    if (subscription) {
        unlink_locked(hub, subscription);
    }
    (void)pthread_mutex_unlock(&hub->lock);
    kd_free(subscription);
}

uint64_t kd_hub_seq(struct kd_hub *hub)
{
    (void)pthread_mutex_lock(&hub->lock);
    uint64_t seq = hub->seq;
    (void)pthread_mutex_unlock(&hub->lock);
    return seq;
}

static struct kd_store_subscription *next_untold_locked(struct kd_hub *hub)
{
    struct kd_store_subscription *subscription = hub->first;
    while (subscription && subscription->told >= hub->seq) {
        subscription = subscription->next;
    }
    return subscription;
}

void kd_hub_publish(struct kd_hub *hub, uint64_t seq)
{
    (void)pthread_mutex_lock(&hub->lock);
    hub->seq = seq;
    (void)pthread_mutex_unlock(&hub->lock);
}

void kd_hub_tell(struct kd_hub *hub)
{
    struct kd_store_subscription *subscription;
    (void)pthread_mutex_lock(&hub->lock);
    hub->teller = pthread_self();
    while ((subscription = next_untold_locked(hub))) {
        uint64_t seq = hub->seq;
        subscription->calling = true;
        subscription->told = seq;
        (void)pthread_mutex_unlock(&hub->lock);
        subscription->fn(subscription->arg, seq);
        (void)pthread_mutex_lock(&hub->lock);
        subscription->calling = false;
        if (subscription->gone) {
            unlink_locked(hub, subscription);
            kd_free(subscription);
        }
        (void)pthread_cond_broadcast(&hub->idle);
    }
    (void)pthread_mutex_unlock(&hub->lock);
}
