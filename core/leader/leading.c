/* The steps of one that leads, and of one that stops. */
#include "base/str.h"
#include "leader/steps.h"

#include <stdio.h>

static enum kd_election_state rest(struct kd_election *self, int64_t next_ns)
{
    self->next_ns = next_ns;
    kd_el_pause_until(self, kd_el_earlier(next_ns, self->until_ns));
    return KD_ELECTION_LEADING;
}

/* A claim went well: from its start on we have so much time. */
static void note_claim(struct kd_election *self)
{
    self->unsure = false;
    self->until_ns = kd_time_add_ns(self->sent_ns, self->settings.renew_deadline_ns);
    (void)snprintf(self->acked, sizeof(self->acked), "%s", self->sent);
    self->seen_ns = kd_election_now(self);
    kd_el_take_said(self);
}

static int64_t after_claim_ns(const struct kd_election *self)
{
    return kd_time_add_ns(self->sent_ns, self->settings.retry_period_ns);
}

enum kd_election_state kd_el_on_taken(struct kd_election *self)
{
    note_claim(self);
    if (kd_election_now(self) >= self->until_ns) { /* the answer came too late to be of use */
        return kd_el_look(self);
    }
    if (self->watches) {
        self->watches = false;
        self->env.watch(self->env.arg, NULL);
    }
    self->must_look = false;
    self->env.leads(self->env.arg, self->until_ns);
    return rest(self, after_claim_ns(self));
}

static enum kd_election_state renew(struct kd_election *self)
{
    self->env.wake_at(self->env.arg, self->until_ns);
    kd_el_claim(self, self->settings.identity, false);
    return KD_ELECTION_RENEWING;
}

enum kd_election_state kd_el_on_rest_over(struct kd_election *self)
{
    return kd_election_now(self) < self->next_ns ? rest(self, self->next_ns) : renew(self);
}

enum kd_election_state kd_el_on_renewed(struct kd_election *self)
{
    note_claim(self);
    self->env.renewed(self->env.arg, self->until_ns);
    return rest(self, after_claim_ns(self));
}

enum kd_election_state kd_el_reread(struct kd_election *self)
{
    if (self->hurries > 2 * KD_MAX_HURRIES) {
        return rest(self, kd_el_later(kd_election_now(self), after_claim_ns(self)));
    }
    self->env.slow(self->env.arg);
    kd_el_ask(self, KD_ASK_GET, KD_STR(""));
    return KD_ELECTION_REREADING;
}

/* What became of it is not known; the next claim will show. */
enum kd_election_state kd_el_on_renew_failed(struct kd_election *self)
{
    return rest(self, kd_el_later(kd_election_now(self), after_claim_ns(self)));
}

static enum kd_election_state lose(struct kd_election *self, const char *why)
{
    self->env.drop_ask(self->env.arg);
    self->env.wake_at(self->env.arg, KD_NEVER_NS);
    self->hurries = 0;
    self->must_look = true;
    self->env.lost(self->env.arg, why);
    return self->settings.stands_again ? kd_el_look(self) : KD_ELECTION_IDLE;
}

enum kd_election_state kd_el_on_late(struct kd_election *self)
{
    return lose(self, "it could not be renewed in time");
}

/* Another may hold a new one already: a Lease that is gone is nobody's. */
enum kd_election_state kd_el_on_lease_gone(struct kd_election *self)
{
    kd_el_forget_seen(self);
    return lose(self, "the Lease is gone");
}

enum kd_election_state kd_el_on_reread(struct kd_election *self)
{
    if (!kd_el_is_ours(self, &self->said)) {
        self->seen_ns = kd_election_now(self);
        kd_el_take_said(self);
        return lose(self, "the Lease has another holder");
    }
    kd_el_take_said(self);
    return renew(self);
}

/* -- stopping */

enum kd_election_state kd_el_on_drain(struct kd_election *self)
{
    self->env.drop_ask(self->env.arg);
    self->env.wake_at(self->env.arg, KD_NEVER_NS);
    if (self->watches) {
        self->watches = false;
        self->env.watch(self->env.arg, NULL);
    }
    return KD_ELECTION_IDLE;
}

static enum kd_election_state end(struct kd_election *self, bool released)
{
    (void)kd_el_on_drain(self);
    self->env.ended(self->env.arg, released);
    return KD_ELECTION_IDLE;
}

enum kd_election_state kd_el_on_end(struct kd_election *self)
{
    return end(self, false);
}

enum kd_election_state kd_el_on_released(struct kd_election *self)
{
    kd_el_take_said(self);
    return end(self, true);
}

enum kd_election_state kd_el_look_to_yield(struct kd_election *self)
{
    if (kd_election_now(self) >= self->stop_ns) {
        return end(self, false);
    }
    self->env.wake_at(self->env.arg, KD_NEVER_NS);
    kd_el_ask(self, KD_ASK_GET, KD_STR(""));
    return KD_ELECTION_YIELDING;
}

enum kd_election_state kd_el_on_stop(struct kd_election *self)
{
    bool may_hold = kd_election_leads(self) || self->unsure;
    if (!self->yields || !may_hold) {
        return end(self, false);
    }
    self->env.drop_ask(self->env.arg);
    self->stop_ns = kd_time_add_ns(kd_election_now(self), self->settings.renew_deadline_ns);
    self->state = KD_ELECTION_YIELDING; /* what is asked from here on is not bound to our time */
    return kd_el_look_to_yield(self);
}

enum kd_election_state kd_el_on_yield_found(struct kd_election *self)
{
    bool ours = kd_el_is_ours(self, &self->said);
    kd_el_take_said(self);
    if (!ours) {
        return end(self, false);
    }
    self->transitions = self->seen.transitions;
    kd_el_claim(self, "", false);
    return KD_ELECTION_RELEASING;
}

enum kd_election_state kd_el_wait_to_yield(struct kd_election *self)
{
    kd_el_pause_until(
        self, kd_el_earlier(self->stop_ns,
                            kd_time_add_ns(kd_election_now(self), self->settings.retry_period_ns)));
    return KD_ELECTION_YIELDING;
}

enum kd_election_state kd_el_on_release_conflict(struct kd_election *self)
{
    return self->hurries > KD_MAX_HURRIES ? kd_el_wait_to_yield(self) : kd_el_look_to_yield(self);
}
