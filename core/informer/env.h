/*
 * What an informer needs of the world around it: requests, timers, a clock and a way back to the
 * I/O thread. By default these are the loop and the client; tests bring their own and so drive the
 * whole informer without sockets and without waiting.
 */
#ifndef KD_INFORMER_ENV_H
#define KD_INFORMER_ENV_H

#include "base/loop.h"
#include "client/client.h"

struct kd_informer_env {
    void *arg;
    const struct kd_clock *clock;
    uint64_t seed; /* of the jitter */
    /* I/O thread. As kd_client_start, kd_call_cancel and kd_call_abandon (optional). */
    void *(*call_start)(void *arg, const struct kd_request *request);
    void (*call_cancel)(void *arg, void *call);
    void (*call_abandon)(void *arg, void *call);
    /* I/O thread. One-shot timers; free accepts NULL and stops. */
    void *(*timer_new)(void *arg, void (*fn)(void *fn_arg), void *fn_arg);
    void (*timer_start)(void *arg, void *timer, int64_t delay_ns);
    void (*timer_stop)(void *arg, void *timer);
    void (*timer_free)(void *arg, void *timer);
    /* Any thread. fn runs on the I/O thread. NULL: dictionaries are not trained. */
    void (*post)(void *arg, void (*fn)(void *fn_arg), void *fn_arg);
    void (*release)(void *arg); /* optional: when the informer is freed */
};

/* The env on a real loop and client, both borrowed. */
void kd_informer_env_real(struct kd_loop *loop, struct kd_client *client,
                          struct kd_informer_env *ret);

#endif
