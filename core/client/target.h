/* Where requests go: the cluster's server URL, taken apart once. */
#ifndef KD_CLIENT_TARGET_H
#define KD_CLIENT_TARGET_H

#include "base/error.h"

#include <stdbool.h>

struct kd_target {
    bool tls;
    char *base_url;    /* what a path is put behind; holds the TLS server name when one is set */
    char *authority;   /* "host:port" as in the server's URL: for labels, texts, the Host header */
    char *host_header; /* "Host: ..." when base_url names another host, else NULL */
    char *connect_to;  /* curl's CONNECT_TO entry for that case, else NULL */
};

/* tls_server_name may be NULL. KD_ECONFIG for a URL that is not http(s)://host[:port][/prefix]. */
int kd_target_init(struct kd_target *target, const char *server, const char *tls_server_name,
                   struct kd_error *reterr) KD_MUST_USE;
void kd_target_release(struct kd_target *target);

#endif
