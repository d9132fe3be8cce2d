/* The inside of the election: its events, and the steps that they lead to. */
#ifndef KD_LEADER_STEPS_H
#define KD_LEADER_STEPS_H

#include "leader/election.h"

enum kd_election_event {
    KD_EV_START,
    KD_EV_TIME,      /* the wake-up that was asked for, or later */
    KD_EV_FOUND,     /* an answer with the object, in `said` */
    KD_EV_ABSENT,    /* an answer: there is none */
    KD_EV_CONFLICT,  /* an answer: it has another version, or is there already */
    KD_EV_FAILED,    /* any other answer, or none in time */
    KD_EV_SEEN,      /* the watch shows the object, in `said` */
    KD_EV_GONE,      /* the watch shows that it was deleted */
    KD_EV_UNWATCHED, /* the watch has ended */
    KD_EV_LATE,      /* our time as leader is over */
    KD_EV_DRAIN,
    KD_EV_STOP,
    KD_ELECTION_EVENTS
};

typedef enum kd_election_state (*kd_step)(struct kd_election *self);

/* NULL: nothing is to be done, the state stays. */
extern const kd_step kd_election_table[KD_ELECTION_STATES][KD_ELECTION_EVENTS];

static inline int64_t kd_election_now(const struct kd_election *self)
{
    return self->env.now_ns(self->env.arg);
}

static inline int64_t kd_el_earlier(int64_t a_ns, int64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

static inline int64_t kd_el_later(int64_t a_ns, int64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

#define KD_MAX_HURRIES 3u /* requests in a row, then a pause */

/* When the record that was seen holds no longer; a record that is free: at once. */
int64_t kd_election_expiry_ns(const struct kd_election *self);

/* steps.c */
void kd_el_ask(struct kd_election *self, enum kd_ask what, struct kd_str body);
/* Writes the claim and sends it. `holder` "" gives the record up. */
void kd_el_claim(struct kd_election *self, const char *holder, bool creates);
void kd_el_pause_until(struct kd_election *self, int64_t at_ns);
/* When a waiting one has to wake. */
int64_t kd_el_wake_ns(const struct kd_election *self);
/* Ours by holder and by the time that we wrote: a namesake's is another's. */
bool kd_el_is_ours(const struct kd_election *self, const struct kd_lease *lease);
/* What the event brings is what is known from now on. */
void kd_el_take_said(struct kd_election *self);
/* The same, and if it differs in anything, its time begins anew. */
void kd_el_observe(struct kd_election *self);
void kd_el_forget_seen(struct kd_election *self);

/* Steps. steps.c */
enum kd_election_state kd_el_look(struct kd_election *self);
enum kd_election_state kd_el_wait_stretched(struct kd_election *self);
enum kd_election_state kd_el_fail_and_wait(struct kd_election *self);
/* following.c */
enum kd_election_state kd_el_make(struct kd_election *self);
enum kd_election_state kd_el_on_found(struct kd_election *self);
enum kd_election_state kd_el_on_wait_over(struct kd_election *self);
enum kd_election_state kd_el_on_seen_waiting(struct kd_election *self);
enum kd_election_state kd_el_on_seen_asking(struct kd_election *self);
enum kd_election_state kd_el_look_again(struct kd_election *self);
enum kd_election_state kd_el_on_take_absent(struct kd_election *self);
enum kd_election_state kd_el_on_take_conflict(struct kd_election *self);
/* leading.c */
enum kd_election_state kd_el_on_taken(struct kd_election *self);
enum kd_election_state kd_el_on_rest_over(struct kd_election *self);
enum kd_election_state kd_el_on_renewed(struct kd_election *self);
enum kd_election_state kd_el_on_renew_failed(struct kd_election *self);
enum kd_election_state kd_el_reread(struct kd_election *self);
enum kd_election_state kd_el_on_reread(struct kd_election *self);
enum kd_election_state kd_el_on_late(struct kd_election *self);
enum kd_election_state kd_el_on_lease_gone(struct kd_election *self);
enum kd_election_state kd_el_on_drain(struct kd_election *self);
enum kd_election_state kd_el_on_stop(struct kd_election *self);
enum kd_election_state kd_el_look_to_yield(struct kd_election *self);
enum kd_election_state kd_el_wait_to_yield(struct kd_election *self);
enum kd_election_state kd_el_on_yield_found(struct kd_election *self);
enum kd_election_state kd_el_on_release_conflict(struct kd_election *self);
enum kd_election_state kd_el_on_released(struct kd_election *self);
enum kd_election_state kd_el_on_end(struct kd_election *self);

#endif
