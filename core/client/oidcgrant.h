/*
 * Grants from an OpenID Connect provider: the kubeconfig's id token while it holds, then new ones
 * for its refresh token. A new refresh token is kept in memory; the kubeconfig is not written.
 */
#ifndef KD_CLIENT_OIDCGRANT_H
#define KD_CLIENT_OIDCGRANT_H

#include "client/grant.h"
#include "config/cluster.h"

extern const struct kd_grantor kd_oidc_grantor;

/* The grantor's self; borrows all. KD_ENOMEM. */
int kd_oidc_grantor_new(struct kd_loop *loop, const struct kd_clock *clock,
                        const struct kd_oidc *oidc, void **ret) KD_MUST_USE;

/* When a token ends, from its own words; KD_ECONFIG when it is no such token. */
int kd_oidc_expiry(const char *id_token, int64_t *ret_wall_ns, struct kd_error *reterr) KD_MUST_USE;

#endif
