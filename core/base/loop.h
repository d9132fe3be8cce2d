/*
 * An event loop on one thread (libevent), with timers and a way in for other threads. The I/O
 * thread and the HTTP server each own one. Nothing called from it may block.
 * Thread: only kd_loop_post and kd_loop_stop may be called from another thread than the one that
 * runs the loop (before it runs, its creator counts as that thread).
 */
#ifndef KD_BASE_LOOP_H
#define KD_BASE_LOOP_H

#include "base/clock.h"
#include "base/error.h"

#include <stdbool.h>

struct event;
struct event_base;
struct kd_loop;

struct kd_loop *kd_loop_new(void); /* ends the process without memory or descriptors */
void kd_loop_free(struct kd_loop *loop);
/* libevent's base, for curl sockets and evhttp. Borrowed. */
struct event_base *kd_loop_base(struct kd_loop *loop);
/* Runs until kd_loop_stop. Posts made before the stop are carried out. */
void kd_loop_run(struct kd_loop *loop);
/* Runs what is ready now, waiting at most timeout_ns for something; for tests. */
void kd_loop_run_once(struct kd_loop *loop, int64_t timeout_ns);
void kd_loop_stop(struct kd_loop *loop);
/* Calls fn(arg) on the loop's thread, in the order of the posts. */
void kd_loop_post(struct kd_loop *loop, void (*fn)(void *arg), void *arg);
/* Like post, and waits until fn has returned. Not from the loop's own thread while it runs. */
void kd_loop_call(struct kd_loop *loop, void (*fn)(void *arg), void *arg);
/* Monotonic time at which the loop last came round, for a liveness check; any thread. */
int64_t kd_loop_last_turn_ns(const struct kd_loop *loop);

/* A one-shot timer in caller's memory. */
struct kd_timer {
    struct event *event;
    void (*fn)(void *arg);
    void *arg;
};

void kd_timer_init(struct kd_timer *timer, struct kd_loop *loop, void (*fn)(void *arg), void *arg);
void kd_timer_release(struct kd_timer *timer);
/* (Re)starts; a negative delay counts as zero. */
void kd_timer_start(struct kd_timer *timer, int64_t delay_ns);
void kd_timer_stop(struct kd_timer *timer);

#endif
