/*
 * The TLS of a listener: certificate and key from two PEM files, read again when they change. A
 * pair that cannot be used leaves the last one in force. A connection keeps what it began with.
 * Thread: the loop's.
 */
#ifndef KD_SERVER_TLS_H
#define KD_SERVER_TLS_H

#include "base/error.h"
#include "base/loop.h"
#include "metrics/metrics.h"

struct bufferevent;
struct kd_tls;

/* Strings are copied; `what` names the section in errors: "metrics". KD_ECONFIG. */
int kd_tls_new(struct kd_loop *loop, struct kd_metrics *metrics, const char *what, const char *cert,
               const char *key, struct kd_tls **ret, struct kd_error *reterr) KD_MUST_USE;
/* Whether that would go well, for a check beforehand. */
int kd_tls_check(const char *what, const char *cert, const char *key,
                 struct kd_error *reterr) KD_MUST_USE;
/* Accepts NULL. */
void kd_tls_free(struct kd_tls *tls);
/* The stream of a connection that is being accepted, without a descriptor yet; NULL without
 * memory. Looks at the files when that was a second ago. */
struct bufferevent *kd_tls_accept(struct kd_tls *tls);

#endif
