/* The parts of a leader election, as the files of this stage see them. */
#ifndef KD_LEADER_INNER_H
#define KD_LEADER_INNER_H

#include "base/rand.h"
#include "json/splitter.h"
#include "leader/election.h"
#include "leader/events.h"
#include "leader/leader.h"

#include <pthread.h>

struct kd_series;

#define KD_LEADER_MAGIC 0x4b444c44u
#define KD_LEASES_TEMPLATE "/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"

/* Exactly one request at a time. */
struct kd_lease_ask {
    struct kd_call *call;
    enum kd_ask what;
    struct kd_buf body; /* of the answer */
};

struct kd_lease_watch {
    struct kd_call *call;
    struct kd_splitter *splitter;
    bool feeding; /* the splitter is at work: it must stay */
    bool told;    /* that it is refused, in the log */
};

struct kd_leader {
    uint32_t magic;
    struct kd_loop *loop;
    struct kd_client *client;
    const struct kd_leader_settings *settings;
    struct kd_fence *fence;
    struct kd_leader_sink sink;
    char *identity;
    char *lease_path;  /* of the object */
    char *leases_path; /* of the namespace's */
    struct kd_rand rand;
    struct kd_timer timer;
    int64_t wake_ns; /* what the timer stands for */
    struct kd_election election;
    struct kd_lease_ask ask;
    struct kd_lease_watch watch;
    struct kd_lease_events *events;
    struct kd_timer last_events; /* how long the end waits for them */
    struct kd_series *master;
    struct kd_series *slowpath;
    bool failing; /* the last request failed, and that was told */
    bool told;    /* that we lead, by metric and Event */
    bool ending;  /* the election has ended */

    pthread_mutex_t lock; /* guards status and expiry_ns */
    struct kd_leader_status status;
    int64_t expiry_ns; /* of the other holder's time */
};

/* ask.c */
void kd_lease_ask_start(struct kd_leader *leader, enum kd_ask what, struct kd_str body,
                        int64_t timeout_ns);
void kd_lease_ask_drop(struct kd_leader *leader);

/* watch.c: from a version on; NULL ends it. */
void kd_lease_watch_set(struct kd_leader *leader, const char *version);

/* leader.c: after each step of the election. */
void kd_leader_note(struct kd_leader *leader);
/* "" for a request that went well. */
void kd_leader_note_error(struct kd_leader *leader, const char *text);

#endif
