/* The steps of one that does not lead. */
#include "base/str.h"
#include "leader/steps.h"

#include <stdio.h>

static enum kd_election_state take(struct kd_election *self)
{
    if (kd_el_is_ours(self, &self->seen)) { /* a claim whose answer never came */
        self->transitions = self->seen.transitions;
        (void)snprintf(self->acquired, sizeof(self->acquired), "%s", self->seen.acquired);
    } else {
        self->transitions = self->seen.transitions + 1;
        kd_micro_time(self->env.wall_ns(self->env.arg), self->acquired);
    }
    self->env.wake_at(self->env.arg, KD_NEVER_NS);
    kd_el_claim(self, self->settings.identity, false);
    return KD_ELECTION_TAKING;
}

enum kd_election_state kd_el_make(struct kd_election *self)
{
    kd_el_forget_seen(self);
    if (self->hurries > KD_MAX_HURRIES) {
        return kd_el_fail_and_wait(self);
    }
    self->transitions = 0;
    kd_micro_time(self->env.wall_ns(self->env.arg), self->acquired);
    kd_el_claim(self, self->settings.identity, true);
    return KD_ELECTION_TAKING;
}

static bool may_take(const struct kd_election *self)
{
    return kd_el_is_ours(self, &self->seen) || kd_election_now(self) >= kd_election_expiry_ns(self);
}

/* With a watch nothing is to be done until the record's time is over. */
static enum kd_election_state wait_for_change(struct kd_election *self)
{
    if (!self->watches) {
        return kd_el_wait_stretched(self);
    }
    self->next_ns = KD_NEVER_NS;
    kd_el_pause_until(self, kd_el_wake_ns(self));
    return KD_ELECTION_WAITING;
}

static enum kd_election_state judge(struct kd_election *self)
{
    if (!may_take(self)) {
        return wait_for_change(self);
    }
    return self->hurries > KD_MAX_HURRIES ? kd_el_fail_and_wait(self) : take(self);
}

enum kd_election_state kd_el_on_found(struct kd_election *self)
{
    kd_el_observe(self);
    self->must_look = false;
    if (!self->watches && self->seen.version[0] && kd_election_now(self) >= self->watch_again_ns) {
        self->watches = true;
        self->env.watch(self->env.arg, self->seen.version);
    }
    return judge(self);
}

enum kd_election_state kd_el_on_wait_over(struct kd_election *self)
{
    if (!self->must_look && self->seen.json && may_take(self)) {
        return take(self);
    }
    if (kd_election_now(self) < self->next_ns) { /* woken early */
        kd_el_pause_until(self, kd_el_wake_ns(self));
        return KD_ELECTION_WAITING;
    }
    return kd_el_look(self);
}

enum kd_election_state kd_el_on_seen_waiting(struct kd_election *self)
{
    kd_el_observe(self);
    return self->must_look ? KD_ELECTION_WAITING : judge(self);
}

enum kd_election_state kd_el_on_seen_asking(struct kd_election *self)
{
    if (self->state != KD_ELECTION_TAKING) { /* the claim rests on what was seen before it */
        kd_el_observe(self);
    }
    return self->state;
}

enum kd_election_state kd_el_look_again(struct kd_election *self)
{
    return self->hurries > KD_MAX_HURRIES ? kd_el_fail_and_wait(self) : kd_el_look(self);
}

enum kd_election_state kd_el_on_take_absent(struct kd_election *self)
{
    self->unsure = false;
    return self->creates ? kd_el_fail_and_wait(self) /* its namespace is not there */
                         : kd_el_look_again(self);
}

enum kd_election_state kd_el_on_take_conflict(struct kd_election *self)
{
    self->unsure = false;
    return kd_el_look_again(self);
}
