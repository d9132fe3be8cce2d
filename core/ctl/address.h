/* Where the server is, "unix:PATH", "http://HOST:PORT" or "https://HOST:PORT", and who asks it. */
#ifndef KD_CTL_ADDRESS_H
#define KD_CTL_ADDRESS_H

#include "base/error.h"

#include <stdbool.h>

#define KD_CTL_DEFAULT_SERVER "unix:/run/kindred/kindred.sock"

struct kd_ctl_address {
    const char *text;   /* as it was given, for messages; borrowed */
    const char *socket; /* path within text, or NULL for TCP */
    struct kd_str base; /* "http://HOST:PORT" without a slash at its end; points into text */
    bool tls;
    bool confides;     /* a token may be sent there: by TLS, or to this machine */
    const char *ca;    /* file of certificates; NULL: those of the system. Borrowed, as below */
    const char *token; /* bearer token; NULL: none */
};

/* Leaves ca and token NULL. KD_EINVAL names the forms. */
int kd_ctl_address_parse(const char *text, struct kd_ctl_address *ret,
                         struct kd_error *reterr) KD_MUST_USE;

#endif
