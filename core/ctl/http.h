/*
 * GET requests to the server, one at a time over one kept connection. Blocking. Proxies of the
 * environment are passed over: the server is a neighbour.
 */
#ifndef KD_CTL_HTTP_H
#define KD_CTL_HTTP_H

#include "ctl/address.h"

#include <stdbool.h>

struct kd_ctl_http;

/* Takes the body of a good answer in pieces. A negative code with its text ends the request. */
struct kd_ctl_sink {
    void *arg;
    int (*bytes)(void *arg, const char *ptr, size_t len, struct kd_error *reterr);
};

/* Borrows the address, its token and file too. Ends the process without memory. */
struct kd_ctl_http *kd_ctl_http_new(const struct kd_ctl_address *address);
void kd_ctl_http_free(struct kd_ctl_http *http);

/*
 * `target` begins with "/". `endless` allows long silence. KD_ENET says what could not be reached
 * and what to do, KD_EHTTP carries the server's own words; a sink's error comes back as it is.
 */
int kd_ctl_http_get(struct kd_ctl_http *http, const char *target, bool endless,
                    const struct kd_ctl_sink *sink, struct kd_error *reterr) KD_MUST_USE;
/* HTTP status of the last answer; 0 when none came. */
long kd_ctl_http_status(const struct kd_ctl_http *http);

#endif
