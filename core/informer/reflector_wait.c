/* Waiting, time limits, and what is said about failures: once for each change of the reason. */
#include "base/log.h"
#include "informer/reflector.h"

#include <stdio.h>
#include <string.h>

#define BASE_NS (800 * KD_MS_NS)
#define CAP_NS (30 * KD_SEC_NS)
#define WAIT_MAX_NS (300 * KD_SEC_NS) /* no answer silences a kind for longer */

static void timer_start(struct kd_reflector *self, int64_t delay_ns)
{
    const struct kd_informer_env *env = &self->informer->env;
    env->timer_start(env->arg, self->timer, delay_ns);
}

/* 0.8 s, doubled with each failure up to 30 s, stretched at random so that two never keep step. */
static int64_t back_off_ns(struct kd_reflector *self)
{
    int64_t delay = BASE_NS;
    for (unsigned i = 0; i < self->failures && delay < CAP_NS; i++) {
        delay *= 2;
    }
    delay = delay < CAP_NS ? delay : CAP_NS;
    self->failures++;
    return (int64_t)((double)delay * (1.0 + kd_rand_unit(&self->informer->rand)));
}

void kd_reflector_rest(struct kd_reflector *self)
{
    int64_t delay = self->wait_ns < WAIT_MAX_NS ? self->wait_ns : WAIT_MAX_NS;
    if (delay > 0) {
        delay += (int64_t)((double)delay / 10 * kd_rand_unit(&self->informer->rand));
        self->wait_ns = 0;
    } else {
        delay = back_off_ns(self);
    }
    timer_start(self, delay);
}

void kd_reflector_limit(struct kd_reflector *self, int64_t limit_ns)
{
    timer_start(self, limit_ns);
}

bool kd_reflector_is_late(struct kd_reflector *self)
{
    int64_t now_ns = kd_now_ns(self->informer->env.clock);
    int64_t due_ns = kd_time_add_ns(self->grown_ns, self->informer->spec.stream_deadline_ns);
    due_ns = due_ns < self->end_ns ? due_ns : self->end_ns;
    if (self->phase != KD_PHASE_STREAMING || due_ns <= now_ns) {
        return true;
    }
    timer_start(self, due_ns - now_ns);
    return false;
}

void kd_reflector_progress(struct kd_reflector *self)
{
    self->failures = 0;
    self->shorts = 0;
    self->expiries = 0;
    self->progress = true;
    self->last_event_ns = kd_now_ns(self->informer->env.clock);
    if (self->reason[0]) {
        kd_reflector_healed(self);
    }
}

void kd_reflector_healed(struct kd_reflector *self)
{
    const struct kd_informer_spec *spec = &self->informer->spec;
    if (self->reason[0]) {
        KD_INFO("watching again", KD_F("kind", spec->kind), KD_F("resource", spec->resource),
                KD_F("group", spec->group), KD_F("namespace", self->ns ? self->ns : ""),
                KD_F("after", self->reason));
    }
    self->reason[0] = '\0';
    self->last_error[0] = '\0';
    self->last_code = 0;
    self->in_stream = false;
    self->state = self->listed ? KD_INFORMER_SYNCED : KD_INFORMER_SYNCING;
}

static void say_trouble(struct kd_reflector *self, const char *reason, int code, const char *text)
{
    const struct kd_informer_spec *spec = &self->informer->spec;
    (void)snprintf(self->reason, sizeof(self->reason), "%s", reason);
    KD_WARN("kind is out of reach, trying on", KD_F("kind", spec->kind), KD_F("verb", self->verb),
            KD_F("resource", spec->resource), KD_F("group", spec->group),
            KD_F("namespace", self->ns ? self->ns : ""), KD_F("reason", reason),
            KD_FU("code", code), KD_F("error", text));
}

void kd_reflector_complain(struct kd_reflector *self, enum kd_informer_state state,
                           const char *reason, int code, const char *text)
{
    char said[sizeof(self->last_error)];
    kd_status_error(self->informer, reason);
    self->state = state;
    self->last_code = code;
    self->in_stream = self->started;
    (void)snprintf(said, sizeof(said), "%s: %s", self->verb, text); /* text may be last_error */
    if (strcmp(self->reason, reason) != 0) {
        say_trouble(self, reason, code, text);
    }
    memcpy(self->last_error, said, strlen(said) + 1);
}
