/*
 * Who we are to the API server and whom we trust, kept fresh without a restart: the token (given,
 * from its file, or granted), the client certificate, the CA. Files are looked at every few seconds
 * and taken when they have changed and are good; else what was there stays. A new client
 * certificate ends the connections made with the old one; a new token or CA counts for what begins
 * later.
 *
 * A client has one identity, so connections are never shared between two.
 */
#ifndef KD_CLIENT_IDENTITY_H
#define KD_CLIENT_IDENTITY_H

#include "client/credentials.h"
#include "client/grant.h"
#include "client/material.h"
#include "client/stats.h"

#include <sys/stat.h>

struct kd_identity_sink {
    void (*ready)(void *arg);      /* those who wait may ask again */
    void (*new_client)(void *arg); /* another client certificate */
};

struct kd_watched_file {
    const char *path; /* NULL: none */
    struct stat seen;
};

struct kd_identity {
    const struct kd_cluster *cluster;
    const struct kd_clock *clock;
    bool tls;
    struct kd_credentials credentials;
    bool has_provider;
    struct kd_provider provider;
    struct kd_material *material;
    struct kd_watched_file files[3]; /* CA, certificate, key */
    bool failing;                    /* changed files are not usable, which was logged */
    int64_t looked_ns;
    struct kd_timer look;
    const struct kd_stats *stats;
    const struct kd_identity_sink *sink;
    void *arg;
};

/* Borrows all. exec_timeout_ns bounds one run of a credential program. */
int kd_identity_init(struct kd_identity *identity, struct kd_loop *loop,
                     const struct kd_clock *clock, const struct kd_cluster *cluster, bool tls,
                     int64_t exec_timeout_ns, const struct kd_stats *stats,
                     const struct kd_identity_sink *sink, void *arg,
                     struct kd_error *reterr) KD_MUST_USE;
void kd_identity_release(struct kd_identity *identity);

/* 0: a request may begin. KD_EBUSY: after sink->ready. Else why not. */
int kd_identity_ready(struct kd_identity *identity, struct kd_error *reterr) KD_MUST_USE;
/* The token for a request that begins now; empty when none is to be sent. Borrowed. */
int kd_identity_token(struct kd_identity *identity, int64_t now_ns, struct kd_str *ret,
                      struct kd_error *reterr) KD_MUST_USE;
/* A request sent at sent_ns got a 401. True when sending it once more makes sense. */
bool kd_identity_rejected(struct kd_identity *identity, int64_t sent_ns) KD_MUST_USE;
/* "token", "client certificate", ...: for people. Static. */
const char *kd_identity_kind(const struct kd_identity *identity);

#endif
