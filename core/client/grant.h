/*
 * A grant is a credential that somebody else gives for a time: a program (exec) or an OpenID
 * Connect provider. A kd_provider keeps the current one: one question at a time for all who wait, a
 * new grant shortly before the old one ends and after a 401, never more often than the pauses say.
 * Thread: the loop's.
 */
#ifndef KD_CLIENT_GRANT_H
#define KD_CLIENT_GRANT_H

#include "base/error.h"
#include "base/loop.h"

#include <stdbool.h>

/* Kept secrets (base/secret.h); any may be NULL, cert and key only together. */
struct kd_grant {
    char *token;
    char *cert_pem;
    char *key_pem;
    int64_t expires_wall_ns; /* 0: not said */
};

void kd_grant_release(struct kd_grant *grant);

struct kd_provider;

/* Who gives grants. `ask` begins and ends later, from the loop, by kd_provider_take or _fail. */
struct kd_grantor {
    int (*ask)(void *self, struct kd_provider *provider, struct kd_error *reterr);
    void (*free)(void *self); /* also ends what ask has begun */
};

struct kd_provider {
    const struct kd_grantor *grantor;
    void *self;
    const struct kd_clock *clock;
    void (*changed)(void *arg); /* an answer is there, good or bad */
    void *arg;
    struct kd_grant grant;
    bool has_grant;
    bool asking;
    bool stale;        /* the server did not take it */
    unsigned failures; /* in a row */
    int64_t asked_ns;  /* when the grant that is there was asked for */
    int64_t last_ask_ns;
    int64_t renew_ns;      /* from then on a new one is asked for */
    int64_t expires_ns;    /* monotonic; KD_NEVER_NS */
    int64_t next_ask_ns;   /* not before */
    struct kd_timer pause; /* until a stale one may be replaced */
    struct kd_error error;
};

void kd_provider_init(struct kd_provider *provider, struct kd_loop *loop,
                      const struct kd_grantor *grantor, void *self, const struct kd_clock *clock,
                      void (*changed)(void *arg), void *arg);
void kd_provider_release(struct kd_provider *provider);
/* 0: provider->grant may be used. KD_EBUSY: wait for `changed`. Else the failure. */
int kd_provider_ready(struct kd_provider *provider, struct kd_error *reterr) KD_MUST_USE;
/* A request sent at sent_ns got a 401. True when it may be sent again, with another grant. */
bool kd_provider_rejected(struct kd_provider *provider, int64_t sent_ns) KD_MUST_USE;

/* For grantors. Takes the grant over. */
void kd_provider_take(struct kd_provider *provider, struct kd_grant *grant);
void kd_provider_fail(struct kd_provider *provider, int error, const char *why);

#endif
