/* Certificates as PEM text, looked at with OpenSSL before they are used. */
#ifndef KD_CLIENT_PAIR_H
#define KD_CLIENT_PAIR_H

#include "base/error.h"

/* A certificate and the key that belongs to it, both readable. */
int kd_pair_check(const char *cert_pem, const char *key_pem, struct kd_error *reterr) KD_MUST_USE;
/* At least one certificate, and every one readable. */
int kd_ca_check(const char *pem, struct kd_error *reterr) KD_MUST_USE;
/* From when to when the first certificate holds, wall clock. KD_ECONFIG: not readable. */
int kd_pair_span(const char *cert_pem, int64_t *ret_from_ns, int64_t *ret_until_ns) KD_MUST_USE;

#endif
