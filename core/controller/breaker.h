/*
 * The circuit breaker of one controller: after so many failures in a row no reconcile begins for a
 * while; then one is tried, and its end decides. Keys stay in the queue meanwhile. A zeroed one
 * never opens. Guarded by the pool's lock.
 */
#ifndef KD_CONTROLLER_BREAKER_H
#define KD_CONTROLLER_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

struct kd_metrics;
struct kd_series;

enum kd_breaker_state {
    KD_BREAKER_CLOSED,    /* all is well */
    KD_BREAKER_HALF_OPEN, /* the probe is under way */
    KD_BREAKER_OPEN,
};

/* How a reconcile ended, as far as the breaker cares. */
enum kd_verdict {
    KD_VERDICT_GOOD,
    KD_VERDICT_BAD,
    KD_VERDICT_NONE, /* nothing was learned; a probe has to be repeated */
};

struct kd_breaker {
    enum kd_breaker_state state;
    uint64_t limit; /* failures in a row; 0: none opens it */
    int64_t reset_ns;
    uint64_t failures;
    int64_t until_ns; /* while open */
    struct kd_series *gauge;
    struct kd_series *opens;
};

/* Metrics may be NULL. */
void kd_breaker_init(struct kd_breaker *breaker, int64_t limit, int64_t reset_ns,
                     struct kd_metrics *metrics, const char *name);
void kd_breaker_release(struct kd_breaker *breaker, struct kd_metrics *metrics, const char *name);
/* From when on a reconcile may begin: 0 at once; KD_NEVER_NS while the probe is under way. */
int64_t kd_breaker_due_ns(const struct kd_breaker *breaker);
/* A reconcile begins, which kd_breaker_due_ns allows. */
void kd_breaker_begin(struct kd_breaker *breaker);
void kd_breaker_end(struct kd_breaker *breaker, enum kd_verdict verdict, int64_t now_ns);
const char *kd_breaker_state_name(enum kd_breaker_state state);

#endif
