#include "client/grant.h"

#include "base/log.h"
#include "base/secret.h"

#include <string.h>

#define PAUSE_NS KD_SEC_NS                /* between two questions */
#define PAUSE_EXPIRED_NS (10 * KD_SEC_NS) /* when the answer had expired before it came */
#define PAUSE_MAX_NS (30 * KD_SEC_NS)     /* after failures */
#define RENEW_BEFORE_NS (30 * KD_SEC_NS)  /* and at most a fifth of its life */

void kd_grant_release(struct kd_grant *grant)
{
    grant->token = kd_secret_drop(grant->token);
    grant->cert_pem = kd_secret_drop(grant->cert_pem);
    grant->key_pem = kd_secret_drop(grant->key_pem);
}

static void on_pause_over(void *arg)
{
    struct kd_provider *provider = arg;
    provider->changed(provider->arg);
}

void kd_provider_init(struct kd_provider *provider, struct kd_loop *loop,
                      const struct kd_grantor *grantor, void *self, const struct kd_clock *clock,
                      void (*changed)(void *arg), void *arg)
{
    *provider = (struct kd_provider){
        .grantor = grantor, .self = self, .clock = clock, .changed = changed, .arg = arg
    };
    kd_timer_init(&provider->pause, loop, on_pause_over, provider);
}

void kd_provider_release(struct kd_provider *provider)
{
    if (provider->grantor) {
        provider->grantor->free(provider->self);
        kd_timer_release(&provider->pause);
        kd_grant_release(&provider->grant);
        *provider = (struct kd_provider){ 0 };
    }
}

static void ask(struct kd_provider *provider, int64_t now_ns)
{
    struct kd_error error = { 0 };
    provider->last_ask_ns = now_ns;
    provider->next_ask_ns = kd_time_add_ns(now_ns, PAUSE_NS);
    provider->asking = true;
    int rc = provider->grantor->ask(provider->self, provider, &error);
    if (rc < 0) {
        kd_provider_fail(provider, rc, error.text);
    }
}

static bool is_usable(const struct kd_provider *provider, int64_t now_ns)
{
    return provider->has_grant && !provider->stale && now_ns < provider->expires_ns;
}

int kd_provider_ready(struct kd_provider *provider, struct kd_error *reterr)
{
    int64_t now_ns = kd_now_ns(provider->clock);
    bool wanted = !is_usable(provider, now_ns) || now_ns >= provider->renew_ns;
    if (wanted && !provider->asking && now_ns >= provider->next_ask_ns) {
        ask(provider, now_ns);
    }
    if (is_usable(provider, now_ns)) {
        return 0;
    }
    if (provider->asking) {
        return KD_EBUSY;
    }
    if (provider->error.code == 0 && provider->stale) {
        kd_timer_start(&provider->pause, provider->next_ask_ns - now_ns);
        return KD_EBUSY;
    }
    if (provider->error.code == 0) { /* what there is, until the next question is due */
        return 0;
    }
    return kd_fail(reterr, provider->error.code, "%s", provider->error.text);
}

bool kd_provider_rejected(struct kd_provider *provider, int64_t sent_ns)
{
    if (provider->asking || provider->asked_ns > sent_ns) {
        return true;
    }
    provider->stale = true;
    return true;
}

/* An expiry that is past already means: for the requests at hand. */
static void set_times(struct kd_provider *provider, int64_t now_ns)
{
    int64_t wall_ns = kd_wall_ns(provider->clock);
    int64_t life_ns = provider->grant.expires_wall_ns - wall_ns;
    if (provider->grant.expires_wall_ns == 0) {
        provider->expires_ns = KD_NEVER_NS;
        provider->renew_ns = KD_NEVER_NS;
    } else if (life_ns <= 0) {
        provider->next_ask_ns = kd_time_add_ns(now_ns, PAUSE_EXPIRED_NS);
        provider->expires_ns = provider->next_ask_ns;
        provider->renew_ns = provider->next_ask_ns;
    } else {
        int64_t before_ns = life_ns / 5 < RENEW_BEFORE_NS ? life_ns / 5 : RENEW_BEFORE_NS;
        provider->expires_ns = kd_time_add_ns(now_ns, life_ns);
        provider->renew_ns = provider->expires_ns - before_ns;
    }
}

void kd_provider_take(struct kd_provider *provider, struct kd_grant *grant)
{
    KD_ASSERT(provider->asking);
    kd_grant_release(&provider->grant);
    provider->grant = *grant;
    *grant = (struct kd_grant){ 0 };
    provider->has_grant = true;
    provider->asking = false;
    provider->stale = false;
    provider->failures = 0;
    provider->asked_ns = provider->last_ask_ns;
    provider->error = (struct kd_error){ 0 };
    set_times(provider, kd_now_ns(provider->clock));
    provider->changed(provider->arg);
}

void kd_provider_fail(struct kd_provider *provider, int error, const char *why)
{
    unsigned shift = provider->failures < 5 ? provider->failures : 5;
    int64_t pause_ns = PAUSE_NS << shift;
    int64_t now_ns = kd_now_ns(provider->clock);
    provider->asking = false;
    provider->failures++;
    (void)kd_fail(&provider->error, error, "%s", why);
    provider->next_ask_ns =
        kd_time_add_ns(now_ns, pause_ns < PAUSE_MAX_NS ? pause_ns : PAUSE_MAX_NS);
    if (provider->failures == 1) {
        KD_WARN("no credentials", KD_F("error", provider->error.text),
                KD_FU("usable", is_usable(provider, now_ns)));
    }
    provider->changed(provider->arg);
}
