/*
 * The election as a state machine, without sockets, threads and time of its own: what happens comes
 * in by calls, what is to be done goes out through the env. docs/internals/leader.md has its table.
 *
 * Rules: a record is another's until its holder gives it up or nothing in it has changed for its
 * own duration, counted on our clock from when we saw it last change; it is taken with the version
 * that we have seen, so that a holder who lives is never overrun. We lead until renew_deadline
 * after the start of the last renewal that went well, and not a moment longer.
 */
#ifndef KD_LEADER_ELECTION_H
#define KD_LEADER_ELECTION_H

#include "leader/record.h"

enum kd_ask { KD_ASK_GET, KD_ASK_CREATE, KD_ASK_UPDATE };

enum kd_answer_kind {
    KD_ANSWER_LEASE,    /* 2xx with the object */
    KD_ANSWER_ABSENT,   /* 404 */
    KD_ANSWER_CONFLICT, /* 409 */
    KD_ANSWER_FAILED,   /* anything else: what became of the request is not known */
};

enum kd_watch_end {
    KD_WATCH_CLOSED,  /* another one may do better */
    KD_WATCH_REFUSED, /* forbidden, or not served */
};

struct kd_election_env {
    void *arg;
    int64_t (*now_ns)(void *arg); /* goes on while the machine sleeps */
    int64_t (*wall_ns)(void *arg);
    double (*random)(void *arg); /* in [0, 1) */
    /* One timer: kd_election_time is to be called then; KD_NEVER_NS: not. */
    void (*wake_at)(void *arg, int64_t at_ns);
    /* One request at a time; kd_election_answer follows, later. */
    void (*ask)(void *arg, enum kd_ask what, struct kd_str body, int64_t timeout_ns);
    void (*drop_ask)(void *arg); /* no answer comes any more; also when none is out */
    /* Watches from a version on until kd_election_unwatched; NULL ends it without that. */
    void (*watch)(void *arg, const char *version);
    /* We lead from now on, at most until then; or later than thought before. */
    void (*leads)(void *arg, int64_t until_ns);
    void (*renewed)(void *arg, int64_t until_ns);
    /* We lead no more. Not called by kd_election_stop. */
    void (*lost)(void *arg, const char *why);
    /* The record names another holder, or none (""). */
    void (*holder)(void *arg, const char *holder);
    /* A leader had to read its record again. */
    void (*slow)(void *arg);
    /* After kd_election_stop, nothing is under way any more. */
    void (*ended)(void *arg, bool released);
};

struct kd_election_settings {
    const char *ns;
    const char *name;
    const char *identity;
    int64_t lease_duration_ns;
    int64_t renew_deadline_ns;
    int64_t retry_period_ns;
    bool stands_again; /* after a loss */
};

enum kd_election_state {
    KD_ELECTION_IDLE,
    KD_ELECTION_LOOKING,   /* reads the record */
    KD_ELECTION_WAITING,   /* for its release, its end, or the next look */
    KD_ELECTION_TAKING,    /* has claimed it */
    KD_ELECTION_LEADING,   /* until the next renewal */
    KD_ELECTION_RENEWING,  /* leads, has claimed it anew */
    KD_ELECTION_REREADING, /* leads, and looks why that did not go well */
    KD_ELECTION_YIELDING,  /* stops: reads the record once more */
    KD_ELECTION_RELEASING, /* stops: has given it up */
    KD_ELECTION_STATES
};

struct kd_election {
    struct kd_election_settings settings; /* texts borrowed */
    struct kd_election_env env;
    enum kd_election_state state;
    struct kd_lease seen;          /* the record as last seen; of a leader, its own */
    int64_t seen_ns;               /* when it was seen to change */
    struct kd_lease said;          /* what the event at hand brings; taken or dropped */
    char sent[KD_LEASE_TIME_MAX];  /* renewTime of our last claim: tells our record from that of a
                                      namesake */
    char acked[KD_LEASE_TIME_MAX]; /* of the last that is known to have gone well */
    char acquired[KD_LEASE_TIME_MAX]; /* of our claim or reign */
    int64_t transitions;
    int64_t sent_ns;  /* start of the last claim */
    int64_t until_ns; /* we lead until then */
    int64_t next_ns;  /* next look or renewal */
    int64_t watch_again_ns;
    int64_t stop_ns;  /* when to give up giving up */
    unsigned hurries; /* requests in a row without a pause */
    bool creates;     /* the claim makes the object */
    bool unsure;      /* a claim was sent and its outcome is not known */
    bool must_look;   /* what was seen is not to be relied on */
    bool watches;
    bool yields; /* told to stop, with release */
};

/* Takes no memory; release ends without a word. */
void kd_election_init(struct kd_election *self, const struct kd_election_settings *settings,
                      const struct kd_election_env *env);
void kd_election_release(struct kd_election *self);

void kd_election_start(struct kd_election *self);
/* The end comes near (B30): one that does not lead stands no more; a leader goes on, but does not
 * stand again when it loses. kd_election_stop is still to come. */
void kd_election_drain(struct kd_election *self);
/* Work must have stopped. With `release` a record that is ours is given up first. */
void kd_election_stop(struct kd_election *self, bool release);
void kd_election_time(struct kd_election *self);
/* json: of KD_ANSWER_LEASE. One that cannot be read counts as failed. */
void kd_election_answer(struct kd_election *self, enum kd_answer_kind kind, struct kd_str json);
/* The watch shows the object; gone: it was deleted. */
void kd_election_seen(struct kd_election *self, struct kd_str json, bool gone);
void kd_election_unwatched(struct kd_election *self, enum kd_watch_end end);

bool kd_election_leads(const struct kd_election *self);
/* The holder of the record while its time is not over, else NULL; also for one that leads. */
const char *kd_election_live_holder(const struct kd_election *self);
const char *kd_election_state_name(enum kd_election_state state);

#endif
