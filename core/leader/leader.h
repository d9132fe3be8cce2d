/*
 * Leader election through a Lease: the state machine of election.h on the client and the loop, with
 * its metrics and its Events on the Lease.
 *
 * Threads: everything on the loop's thread, but kd_leader_get_status, which is for any.
 */
#ifndef KD_LEADER_LEADER_H
#define KD_LEADER_LEADER_H

#include "base/fence.h"
#include "base/loop.h"
#include "client/client.h"
#include "config/settings.h"

#define KD_IDENTITY_MAX 256

struct kd_leader;
struct kd_metrics;

struct kd_leader_sink {
    void *arg;
    /* We lead: the fence is open. Work may begin. Mandatory. */
    void (*lead)(void *arg);
    /* We lead no more: the fence is shut. Mandatory. */
    void (*follow)(void *arg);
    /* After kd_leader_stop: the record is given up, or was not ours. Mandatory. */
    void (*stopped)(void *arg);
};

/* The fence is kept open while we lead; NULL: none. Borrows all. */
struct kd_leader *kd_leader_new(struct kd_loop *loop, struct kd_client *client,
                                const struct kd_leader_settings *settings,
                                struct kd_metrics *metrics, struct kd_fence *fence,
                                const struct kd_leader_sink *sink);
/* Ends without a word; on the loop's thread or when it does not run any more. Accepts NULL. */
void kd_leader_free(struct kd_leader *leader);

void kd_leader_start(struct kd_leader *leader);
/* The process is about to stop: one that does not lead stands no more. */
void kd_leader_drain(struct kd_leader *leader);
/* The work has stopped: gives the record up, where the settings say so. */
void kd_leader_stop(struct kd_leader *leader);

struct kd_leader_status {
    bool leads;
    bool holder_lives; /* another one holds the record, and its time is not over */
    char identity[KD_IDENTITY_MAX];
    char holder[KD_IDENTITY_MAX]; /* of the record, "" when none is known */
    char error[512];              /* of the last request, "" when it went well */
};

void kd_leader_get_status(struct kd_leader *leader, struct kd_leader_status *ret);

#endif
