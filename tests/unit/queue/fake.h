/* A clock that stands still until a test moves it, and short ways to name keys. */
#ifndef KD_UNIT_QUEUE_FAKE_H
#define KD_UNIT_QUEUE_FAKE_H

#include "base/clock.h"
#include "base/str.h"
#include "queue/queue.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

struct fake_clock {
    int64_t now_ns;
    struct kd_clock clock;
};

static inline int64_t fake_now(void *arg)
{
    return ((struct fake_clock *)arg)->now_ns;
}

static inline struct fake_clock *fake_clock_init(struct fake_clock *fake)
{
    fake->now_ns = KD_SEC_NS;
    fake->clock = (struct kd_clock){ fake_now, fake_now, fake };
    return fake;
}

static inline struct kd_key key_of(const char *ns, const char *name)
{
    return (struct kd_key){ kd_str_from(ns), kd_str_from(name) };
}

static inline struct kd_queue *queue_on(struct fake_clock *fake, struct kd_metrics *metrics)
{
    struct kd_queue_settings settings = { .name = "pod",
                                          .backoff_base_ns = 5 * KD_MS_NS,
                                          .backoff_max_ns = 1000 * KD_SEC_NS };
    return kd_queue_new(&settings, &fake_clock_init(fake)->clock, metrics, NULL, NULL);
}

/* Takes the next key, which must have this name. */
static inline const struct kd_queue_item *get_named(struct kd_queue *queue, const char *name)
{
    const struct kd_queue_item *item = kd_queue_get(queue);
    assert_non_null(item);
    assert_true(kd_str_is(item->key.name, name));
    return item;
}

static inline struct kd_queue_stats stats_of(struct kd_queue *queue)
{
    struct kd_queue_stats stats;
    kd_queue_get_stats(queue, &stats);
    return stats;
}

#endif
