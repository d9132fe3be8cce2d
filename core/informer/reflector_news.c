/* What a server's refusal means for the reflector. */
#include "base/log.h"
#include "informer/reflector.h"

enum kd_news kd_reflector_expired(struct kd_reflector *self)
{
    bool again = false; /* whether another request, at once, can do better */
    if (self->phase == KD_PHASE_WATCHING) {
        bool hurries = kd_reflector_hurries(self);
        again = self->expiries++ == 0 && !hurries;
    } else if (self->phase == KD_PHASE_LISTING) {
        again = !self->ask_truth || self->next_page;
    } else {
        again = !self->ask_truth && self->version[0];
    }
    if (again) {
        kd_status_error(self->informer, "expired");
        KD_DEBUG("resource version expired", KD_F("kind", self->informer->spec.kind),
                 KD_F("verb", self->verb), KD_F("version", self->version));
        return KD_NEWS_EXPIRED;
    }
    kd_reflector_complain(self, KD_INFORMER_FAILING, "expired", 410,
                          "the server has no version to go on from");
    return self->phase == KD_PHASE_WATCHING ? KD_NEWS_WORN : KD_NEWS_FAILED;
}

static bool refuses_streams(int code)
{
    return (code >= 400 && code < 500 && code != 401) || code == 501;
}

static bool says_expired(const struct kd_status *status)
{
    return status->reason == KD_REASON_EXPIRED || status->code == 410 ||
           status->reason == KD_REASON_TOO_LARGE_VERSION;
}

static enum kd_news news_refused(struct kd_reflector *self, const struct kd_status *status)
{
    KD_DEBUG("no streaming lists here", KD_F("kind", self->informer->spec.kind),
             KD_FU("code", status->code), KD_F("message", status->message));
    return KD_NEWS_REFUSED;
}

enum kd_news kd_reflector_news_of(struct kd_reflector *self, const struct kd_status *status)
{
    enum kd_informer_state state = KD_INFORMER_FAILING;
    enum kd_news news = KD_NEWS_FAILED;
    if (says_expired(status)) {
        return kd_reflector_expired(self);
    }
    if (status->reason == KD_REASON_TOO_MANY_REQUESTS || status->code == 429) {
        news = KD_NEWS_THROTTLED;
    } else if (status->reason == KD_REASON_FORBIDDEN || status->code == 403) {
        news = KD_NEWS_FORBIDDEN;
        state = KD_INFORMER_FORBIDDEN;
    } else if (status->reason == KD_REASON_NOT_FOUND || status->code == 404) {
        news = KD_NEWS_NOT_SERVED;
        state = KD_INFORMER_NOT_SERVED;
    } else if (self->phase == KD_PHASE_STREAMING) {
        if (refuses_streams(status->code)) {
            return news_refused(self, status);
        }
        news = KD_NEWS_CLOSED;
    }
    self->wait_ns = status->retry_after_ns;
    kd_reflector_complain(self, state, kd_reason_name(status->reason), status->code,
                          status->message[0] ? status->message : self->last_error);
    return news;
}
