/* Life of a reflector. */
#include "informer/reflector.h"

#include "base/alloc.h"
#include "base/str.h"

static void on_timer(void *arg)
{
    struct kd_reflector *self = arg;
    bool resting = self->phase == KD_PHASE_RESTING;
    if (!resting && !kd_reflector_is_late(self)) {
        return;
    }
    kd_reflector_tell(self, resting ? KD_NEWS_RESTED : KD_NEWS_LATE);
    kd_status_publish(self->informer);
}

struct kd_reflector *kd_reflector_new(struct kd_informer *informer, const char *ns)
{
    struct kd_reflector *self = kd_zalloc(sizeof(*self));
    self->informer = informer;
    self->ns = ns ? kd_strdup(ns) : NULL;
    self->may_stream = informer->spec.stream_list;
    self->verb = "list";
    self->state = KD_INFORMER_SYNCING;
    self->timer = informer->env.timer_new(informer->env.arg, on_timer, self);
    return self;
}

void kd_reflector_free(struct kd_reflector *self)
{
    if (self) {
        kd_reflector_stop(self);
        self->informer->env.timer_free(self->informer->env.arg, self->timer);
        kd_free(self->ns);
        kd_free(self);
    }
}

void kd_reflector_start(struct kd_reflector *self)
{
    if (self->phase == KD_PHASE_IDLE) {
        self->state = self->listed ? KD_INFORMER_SYNCED : KD_INFORMER_SYNCING;
        bool resumes = self->resumes;
        self->resumes = false;
        kd_reflector_tell(self, resumes ? KD_NEWS_RESUME : KD_NEWS_START);
    }
}

void kd_reflector_stop(struct kd_reflector *self)
{
    kd_reflector_hang_up(self);
    self->next_page = kd_free(self->next_page);
    self->phase = KD_PHASE_IDLE;
}

struct kd_str kd_reflector_scope(const struct kd_reflector *self)
{
    return kd_str_from(self->ns);
}
