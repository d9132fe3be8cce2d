/*
 * What leading and following mean for this process: without an election it leads from start to end;
 * with followers = "standby" kinds work only while it leads; with "serve" they always work, and the
 * election decides nothing but who is the leader.
 *
 * Threads: as said at each function; what others ask is for any thread.
 */
#ifndef KD_MANAGER_LEAD_H
#define KD_MANAGER_LEAD_H

#include "leader/leader.h"
#include "manager/kinds.h"

struct kd_lead_deps {
    struct kd_loop *loop;
    struct kd_client *client;
    struct kd_metrics *metrics;
    const struct kd_leader_settings *settings;
};

struct kd_lead {
    struct kd_lead_deps deps;
    struct kd_kinds *kinds;
    struct kd_leader *leader; /* NULL: no election */
    struct kd_fence fence;    /* of all work that fills the graph */
    bool stands_by;           /* works only while it leads */
    _Atomic bool leads;       /* works: kinds may fill the graph */
    _Atomic bool caught_up;   /* in this term: the graph is as the cache is */
    _Atomic bool over;        /* lost, and not allowed to stand again */
    pthread_mutex_t lock;     /* guards stopped */
    pthread_cond_t cond;
    bool stopped;
};

/* Main thread, before the kinds are made. The fence is ready after it. */
void kd_lead_init(struct kd_lead *lead, const struct kd_lead_deps *deps, struct kd_kinds *kinds);
/* After the I/O loop has ended. Accepts a zeroed one. */
void kd_lead_release(struct kd_lead *lead);

/* I/O thread: kinds start, and work where they may; the election begins. */
void kd_lead_start(struct kd_lead *lead);
/* I/O thread: the process is about to stop (B30). */
void kd_lead_drain(struct kd_lead *lead);
/* Main thread, after the work has stopped and its last changes are written: gives the lead up.
 * Waits for that. */
void kd_lead_stop(struct kd_lead *lead);

/* Leadership is lost, and the process has to end. */
bool kd_lead_is_over(const struct kd_lead *lead);

/* The readiness check: true, or why not. */
bool kd_lead_is_ready(struct kd_lead *lead, char *why, size_t size);
/*
 * Whether the graph may be shown now. False: why not, one line, and who leads ("" when that is not
 * known or we do). process_only: what is asked is about this process, so that catching up is no
 * obstacle.
 */
bool kd_lead_may_show(struct kd_lead *lead, bool process_only, char *why, size_t size,
                      char leader[KD_IDENTITY_MAX]);
/* Kinds need not be written, only in sync: this one stands by. */
bool kd_lead_stands_by(const struct kd_lead *lead);

#endif
