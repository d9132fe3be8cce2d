/*
 * Subscriptions. A late one is handed what is there shard by shard, so that the loop never stands
 * still for the whole table; until a shard has been handed over, changes in it are not told, since
 * the hand-over will bring their outcome.
 */
#include "base/alloc.h"
#include "base/log.h"
#include "informer/parts.h"

struct kd_subscription {
    struct kd_subscription *next;
    struct kd_informer *informer;
    struct kd_informer_sink sink;
    size_t shards; /* handed over so far */
    bool synced;   /* has been told */
    bool gone;     /* unsubscribed while sinks ran */
};

static bool is_listening(const struct kd_subscription *subscription, size_t shard)
{
    return !subscription->gone && shard < subscription->shards;
}

static void tell_synced(struct kd_subscription *subscription)
{
    if (subscription->synced || subscription->gone || subscription->shards < KD_TABLE_SHARDS ||
        !subscription->informer->ever_synced) {
        return;
    }
    subscription->synced = true;
    if (subscription->sink.synced) {
        subscription->sink.synced(subscription->sink.arg);
    }
}

static void sweep_gone(struct kd_informer *informer)
{
    struct kd_subscription **link = &informer->subscriptions;
    while (*link) {
        struct kd_subscription *subscription = *link;
        if (subscription->gone) {
            *link = subscription->next;
            kd_free(subscription);
        } else {
            link = &subscription->next;
        }
    }
}

static void delivered(struct kd_informer *informer)
{
    if (--informer->delivering == 0) {
        sweep_gone(informer);
    }
}

void kd_subscriptions_deliver(struct kd_informer *informer, const struct kd_informer_event *event)
{
    if (!informer->subscriptions) {
        return;
    }
    size_t shard = kd_table_shard_of(kd_record_key(event->record));
    informer->delivering++;
    for (struct kd_subscription *one = informer->subscriptions; one; one = one->next) {
        if (is_listening(one, shard)) {
            one->sink.event(one->sink.arg, event);
        }
    }
    delivered(informer);
}

void kd_subscriptions_synced(struct kd_informer *informer)
{
    informer->delivering++;
    for (struct kd_subscription *one = informer->subscriptions; one; one = one->next) {
        tell_synced(one);
    }
    delivered(informer);
}

void kd_subscriptions_listed(struct kd_informer *informer)
{
    informer->delivering++;
    for (struct kd_subscription *one = informer->subscriptions; one; one = one->next) {
        if (!one->gone && one->synced && one->sink.listed) {
            one->sink.listed(one->sink.arg);
        }
    }
    delivered(informer);
}

static void hand_over_shard(struct kd_subscription *subscription)
{
    struct kd_record **records;
    size_t n;
    if (kd_table_shard(&subscription->informer->table, subscription->shards, &records, &n) < 0) {
        return; /* no memory now: the timer comes again */
    }
    for (size_t i = 0; i < n; i++) {
        const struct kd_informer_event event = { .type = KD_EVENT_ADDED,
                                                 .changed = KD_CHANGED_ALL,
                                                 .flags = KD_EVENT_INITIAL,
                                                 .record = records[i] };
        if (!subscription->gone) {
            subscription->sink.event(subscription->sink.arg, &event);
        }
        kd_record_unref(records[i]);
    }
    kd_free(records);
    subscription->shards++;
}

/* Shards are about alike: the share of them that is left stands for the share of objects. */
static void tell_queued(struct kd_informer *informer)
{
    struct kd_informer_metrics *metrics = &informer->metrics;
    double per_shard = (double)informer->table.n / KD_TABLE_SHARDS;
    double queued = 0;
    for (struct kd_subscription *one = informer->subscriptions; one; one = one->next) {
        queued += one->gone ? 0 : per_shard * (double)(KD_TABLE_SHARDS - one->shards);
    }
    kd_gauge_add(metrics->queued, queued - metrics->told_queued);
    metrics->told_queued = queued;
}

void kd_subscriptions_handover(void *arg)
{
    struct kd_informer *informer = arg;
    bool more = false;
    informer->delivering++;
    for (struct kd_subscription *one = informer->subscriptions; one; one = one->next) {
        if (!one->gone && one->shards < KD_TABLE_SHARDS) {
            hand_over_shard(one);
            more = more || one->shards < KD_TABLE_SHARDS;
            tell_synced(one);
        }
    }
    tell_queued(informer);
    delivered(informer);
    if (more) {
        informer->env.timer_start(informer->env.arg, informer->handover, 0);
    }
}

void kd_subscriptions_resume(struct kd_informer *informer)
{
    for (struct kd_subscription *one = informer->subscriptions; one; one = one->next) {
        if (one->shards < KD_TABLE_SHARDS) {
            informer->env.timer_start(informer->env.arg, informer->handover, 0);
            return;
        }
    }
}

struct kd_subscription *kd_informer_subscribe(struct kd_informer *informer,
                                              const struct kd_informer_sink *sink)
{
    KD_CHECK(informer, KD_INFORMER_MAGIC);
    KD_ASSERT(sink->event != NULL);
    struct kd_subscription *subscription = kd_zalloc(sizeof(*subscription));
    subscription->informer = informer;
    subscription->sink = *sink;
    subscription->next = informer->subscriptions;
    informer->subscriptions = subscription;
    if (informer->table.n == 0 && !informer->ever_synced) {
        subscription->shards = KD_TABLE_SHARDS;
    }
    kd_subscriptions_resume(informer);
    return subscription;
}

void kd_informer_unsubscribe(struct kd_subscription *subscription)
{
    if (subscription) {
        struct kd_informer *informer = subscription->informer;
        subscription->gone = true;
        if (informer->delivering == 0) {
            sweep_gone(informer);
        }
    }
}
