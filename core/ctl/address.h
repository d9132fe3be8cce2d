/* Where the server is: "unix:PATH", "https://HOST:PORT" or "http://HOST:PORT". */
#ifndef KD_CTL_ADDRESS_H
#define KD_CTL_ADDRESS_H

#include "base/error.h"

#include <stdbool.h>

#define KD_CTL_DEFAULT_SERVER "unix:/run/kindred/kindred.sock"

struct kd_ctl_address {
    const char *text;   /* as it was given, for messages; borrowed */
    const char *socket; /* path within text, or NULL for TCP */
    struct kd_str base; /* "https://HOST:PORT" without a slash at its end; points into text */
    bool confides;      /* a token may be sent there: by TLS, or to this machine */
};

/* KD_EINVAL names the forms. */
int kd_ctl_address_parse(const char *text, struct kd_ctl_address *ret,
                         struct kd_error *reterr) KD_MUST_USE;

#endif
