#include "controller/breaker.h"

#include "base/clock.h"
#include "base/macros.h"
#include "metrics/metrics.h"

static const char *const labels[] = { "controller" };

static const struct kd_family_spec gauge_family = {
    .type = KD_GAUGE,
    .name = "kindred_controller_breaker_state",
    .help = "Circuit breaker: 0 closed, 1 half-open, 2 open",
    .labels = labels,
    .n_labels = 1,
};

static const struct kd_family_spec opens_family = {
    .type = KD_COUNTER,
    .name = "kindred_controller_breaker_opens_total",
    .help = "Times that the circuit breaker has opened",
    .labels = labels,
    .n_labels = 1,
};

void kd_breaker_init(struct kd_breaker *breaker, int64_t limit, int64_t reset_ns,
                     struct kd_metrics *metrics, const char *name)
{
    *breaker = (struct kd_breaker){
        .limit = limit > 0 ? (uint64_t)limit : 0,
        .reset_ns = reset_ns,
        .gauge = kd_family_hold(kd_metrics_family(metrics, &gauge_family), &name),
        .opens = kd_family_hold(kd_metrics_family(metrics, &opens_family), &name),
    };
}

void kd_breaker_release(struct kd_breaker *breaker, struct kd_metrics *metrics, const char *name)
{
    kd_family_drop(kd_metrics_family(metrics, &gauge_family), &name);
    kd_family_drop(kd_metrics_family(metrics, &opens_family), &name);
    *breaker = (struct kd_breaker){ 0 };
}

int64_t kd_breaker_due_ns(const struct kd_breaker *breaker)
{
    switch (breaker->state) {
    case KD_BREAKER_CLOSED:
        return 0;
    case KD_BREAKER_HALF_OPEN:
        return KD_NEVER_NS;
    case KD_BREAKER_OPEN:
        return breaker->until_ns;
    }
    return 0;
}

static void enter(struct kd_breaker *breaker, enum kd_breaker_state state)
{
    breaker->state = state;
    kd_gauge_set(breaker->gauge, (double)state);
}

static void open_until(struct kd_breaker *breaker, int64_t until_ns)
{
    breaker->until_ns = until_ns;
    if (breaker->state == KD_BREAKER_CLOSED) {
        kd_counter_add(breaker->opens, 1);
    }
    enter(breaker, KD_BREAKER_OPEN);
}

void kd_breaker_begin(struct kd_breaker *breaker)
{
    if (breaker->state == KD_BREAKER_OPEN) {
        enter(breaker, KD_BREAKER_HALF_OPEN);
    }
}

void kd_breaker_end(struct kd_breaker *breaker, enum kd_verdict verdict, int64_t now_ns)
{
    int64_t until_ns = kd_time_add_ns(now_ns, breaker->reset_ns);
    if (verdict == KD_VERDICT_GOOD) {
        breaker->failures = 0;
        if (breaker->state != KD_BREAKER_CLOSED) {
            enter(breaker, KD_BREAKER_CLOSED);
        }
    } else if (verdict == KD_VERDICT_BAD) {
        breaker->failures++;
        if (breaker->limit && breaker->failures >= breaker->limit) {
            open_until(breaker, until_ns);
        }
    } else if (breaker->state == KD_BREAKER_HALF_OPEN) {
        open_until(breaker, until_ns);
    }
}

const char *kd_breaker_state_name(enum kd_breaker_state state)
{
    static const char *const names[] = { "closed", "half-open", "open" };
    return names[state];
}
