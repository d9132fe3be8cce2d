#include "leader/election.h"

#include "base/alloc.h"
#include "base/log.h"
#include "leader/steps.h"

#include <string.h>

void kd_election_init(struct kd_election *self, const struct kd_election_settings *settings,
                      const struct kd_election_env *env)
{
    *self = (struct kd_election){ .settings = *settings, .env = *env };
}

void kd_election_release(struct kd_election *self)
{
    kd_lease_release(&self->seen);
    kd_lease_release(&self->said);
    self->state = KD_ELECTION_IDLE;
}

bool kd_election_leads(const struct kd_election *self)
{
    return self->state == KD_ELECTION_LEADING || self->state == KD_ELECTION_RENEWING ||
           self->state == KD_ELECTION_REREADING;
}

static void step(struct kd_election *self, enum kd_election_event event)
{
    kd_step next = kd_election_table[self->state][event];
    if (next) {
        self->state = next(self);
    }
    kd_lease_release(&self->said);
}

/* Whatever happens after our time finds us no longer leading. */
static void dispatch(struct kd_election *self, enum kd_election_event event)
{
    if (kd_election_leads(self) && kd_election_now(self) >= self->until_ns) {
        step(self, KD_EV_LATE);
        if (event != KD_EV_STOP) { /* answers were meant for what we were */
            kd_lease_release(&self->said);
            return;
        }
    }
    step(self, event);
}

void kd_election_start(struct kd_election *self)
{
    dispatch(self, KD_EV_START);
}

void kd_election_drain(struct kd_election *self)
{
    self->settings.stands_again = false;
    dispatch(self, KD_EV_DRAIN);
}

void kd_election_stop(struct kd_election *self, bool release)
{
    self->yields = release;
    dispatch(self, KD_EV_STOP);
}

void kd_election_time(struct kd_election *self)
{
    dispatch(self, KD_EV_TIME);
}

/* False: what cannot be read says nothing. */
static bool read(struct kd_election *self, struct kd_str json)
{
    struct kd_error error = { 0 };
    kd_lease_release(&self->said);
    if (kd_lease_read(json, &self->said, &error) < 0) {
        KD_DEBUG("a Lease that cannot be read", KD_F("error", error.text));
        return false;
    }
    return true;
}

void kd_election_answer(struct kd_election *self, enum kd_answer_kind kind, struct kd_str json)
{
    static const enum kd_election_event events[] = {
        [KD_ANSWER_LEASE] = KD_EV_FOUND,
        [KD_ANSWER_ABSENT] = KD_EV_ABSENT,
        [KD_ANSWER_CONFLICT] = KD_EV_CONFLICT,
        [KD_ANSWER_FAILED] = KD_EV_FAILED,
    };
    bool readable = kind != KD_ANSWER_LEASE || read(self, json);
    dispatch(self, readable ? events[kind] : KD_EV_FAILED);
}

void kd_election_seen(struct kd_election *self, struct kd_str json, bool gone)
{
    if (gone) {
        dispatch(self, KD_EV_GONE);
    } else if (read(self, json)) {
        dispatch(self, KD_EV_SEEN);
    }
}

void kd_election_unwatched(struct kd_election *self, enum kd_watch_end end)
{
    self->watches = false;
    if (end == KD_WATCH_REFUSED) {
        self->watch_again_ns =
            kd_time_add_ns(kd_election_now(self), 10 * self->settings.lease_duration_ns);
    }
    dispatch(self, KD_EV_UNWATCHED);
}

const char *kd_election_live_holder(const struct kd_election *self)
{
    bool held = self->seen.json && !kd_lease_is_free(&self->seen) && !kd_election_leads(self);
    return held && kd_election_now(self) < kd_election_expiry_ns(self) ? self->seen.holder : NULL;
}

const char *kd_election_state_name(enum kd_election_state state)
{
    static const char *const names[KD_ELECTION_STATES] = {
        [KD_ELECTION_IDLE] = "idle",           [KD_ELECTION_LOOKING] = "looking",
        [KD_ELECTION_WAITING] = "waiting",     [KD_ELECTION_TAKING] = "taking",
        [KD_ELECTION_LEADING] = "leading",     [KD_ELECTION_RENEWING] = "renewing",
        [KD_ELECTION_REREADING] = "rereading", [KD_ELECTION_YIELDING] = "yielding",
        [KD_ELECTION_RELEASING] = "releasing",
    };
    return names[state];
}
