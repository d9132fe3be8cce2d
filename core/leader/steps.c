/* What all steps use: requests, pauses, and what is known of the record. */
#include "leader/steps.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/str.h"

#include <stdio.h>

#define MIN_TIMEOUT_NS KD_SEC_NS
#define STRETCH 1.2 /* of the pause between looks, at most so much is added */

int64_t kd_election_expiry_ns(const struct kd_election *self)
{
    int64_t duration_ns = self->seen.duration_ns;
    if (!self->seen.json || kd_lease_is_free(&self->seen)) {
        return INT64_MIN;
    }
    if (duration_ns == KD_LEASE_UNREADABLE) {
        duration_ns = self->settings.lease_duration_ns;
    }
    return kd_time_add_ns(self->seen_ns, duration_ns);
}

/* So short that two of them fit into the time in which a leader must have renewed. */
static int64_t timeout_ns(const struct kd_election *self)
{
    int64_t limit_ns = kd_el_later(MIN_TIMEOUT_NS, self->settings.renew_deadline_ns / 2);
    if (!kd_election_leads(self)) {
        return limit_ns;
    }
    return kd_el_later(kd_el_earlier(limit_ns, self->until_ns - kd_election_now(self)), KD_MS_NS);
}

void kd_el_ask(struct kd_election *self, enum kd_ask what, struct kd_str body)
{
    self->hurries++;
    self->env.ask(self->env.arg, what, body, timeout_ns(self));
}

enum kd_election_state kd_el_look(struct kd_election *self)
{
    self->env.wake_at(self->env.arg, KD_NEVER_NS);
    kd_el_ask(self, KD_ASK_GET, KD_STR(""));
    return KD_ELECTION_LOOKING;
}

void kd_el_pause_until(struct kd_election *self, int64_t at_ns)
{
    self->hurries = 0;
    self->env.wake_at(self->env.arg, at_ns);
}

int64_t kd_el_wake_ns(const struct kd_election *self)
{
    bool knows = self->seen.json && !self->must_look;
    return knows ? kd_el_earlier(self->next_ns, kd_election_expiry_ns(self)) : self->next_ns;
}

/* After a failure, or nothing new: some time, not the same for all. */
enum kd_election_state kd_el_wait_stretched(struct kd_election *self)
{
    double factor = 1.0 + STRETCH * self->env.random(self->env.arg);
    int64_t pause_ns = (int64_t)((double)self->settings.retry_period_ns * factor);
    self->next_ns = kd_time_add_ns(kd_election_now(self), pause_ns);
    kd_el_pause_until(self, kd_el_wake_ns(self));
    return KD_ELECTION_WAITING;
}

enum kd_election_state kd_el_fail_and_wait(struct kd_election *self)
{
    self->must_look = true;
    return kd_el_wait_stretched(self);
}

void kd_el_claim(struct kd_election *self, const char *holder, bool creates)
{
    char now[KD_LEASE_TIME_MAX];
    KD_AUTO_BUF struct kd_buf body;
    kd_buf_init(&body, KD_MIB);
    bool gives_up = holder[0] == '\0';
    self->sent_ns = kd_election_now(self); /* before the time that is written, never after it */
    kd_micro_time(self->env.wall_ns(self->env.arg), now);
    const struct kd_claim wanted = {
        .ns = self->settings.ns,
        .name = self->settings.name,
        .holder = holder,
        .duration_s = gives_up ? 1 : (self->settings.lease_duration_ns + KD_SEC_NS - 1) / KD_SEC_NS,
        .acquired = gives_up ? now : self->acquired,
        .renewed = now,
        .transitions = self->transitions,
    };
    self->creates = creates;
    if (!gives_up) {
        self->unsure = true;
        (void)snprintf(self->sent, sizeof(self->sent), "%s", now);
    }
    if (kd_lease_write(creates ? NULL : &self->seen, &wanted, &body) < 0) {
        kd_buf_clear(&body, 0); /* the server refuses it, and we try again */
    }
    kd_el_ask(self, creates ? KD_ASK_CREATE : KD_ASK_UPDATE, kd_buf_str(&body));
}

/* -- what is known of the record */

static bool is_same(const char *a, const char *b)
{
    return a[0] != '\0' && strcmp(a, b) == 0;
}

bool kd_el_is_ours(const struct kd_election *self, const struct kd_lease *lease)
{
    return lease->holder && strcmp(lease->holder, self->settings.identity) == 0 &&
           (is_same(self->sent, lease->renewed) || is_same(self->acked, lease->renewed));
}

void kd_el_take_said(struct kd_election *self)
{
    const char *before = self->seen.holder ? self->seen.holder : "";
    const char *after = self->said.holder ? self->said.holder : "";
    bool other = !self->seen.json || strcmp(before, after) != 0;
    kd_lease_release(&self->seen);
    self->seen = self->said;
    self->said = (struct kd_lease){ 0 };
    if (other) {
        self->env.holder(self->env.arg, self->seen.holder);
    }
}

/* Any difference is a sign of life, whatever its times say (B44). */
void kd_el_observe(struct kd_election *self)
{
    if (!self->seen.json || self->seen.print != self->said.print) {
        self->seen_ns = kd_election_now(self);
        kd_el_take_said(self);
    }
}

void kd_el_forget_seen(struct kd_election *self)
{
    bool had = self->seen.json && self->seen.holder[0];
    kd_lease_release(&self->seen);
    if (had) {
        self->env.holder(self->env.arg, "");
    }
}
