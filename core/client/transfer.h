/* One small HTTPS exchange with a server that is not the API server, as a curl handle. */
#ifndef KD_CLIENT_TRANSFER_H
#define KD_CLIENT_TRANSFER_H

#include "base/buf.h"
#include "base/error.h"

#include <curl/curl.h>

struct kd_transfer {
    CURL *easy;
    struct kd_buf body; /* of the answer */
    char why[CURL_ERROR_SIZE];
};

struct kd_transfer_request {
    const char *url;    /* https */
    const char *ca_pem; /* NULL: the system's */
    const char *form;   /* POST, urlencoded; NULL: GET */
    const char *username;
    const char *password;
};

/* The strings are copied, but for ca_pem, which is borrowed. By the environment's proxy. */
int kd_transfer_new(const struct kd_transfer_request *request, struct kd_transfer **ret,
                    struct kd_error *reterr) KD_MUST_USE;
/* Not while it is in a pool. Wipes the body; accepts NULL, returns NULL. */
struct kd_transfer *kd_transfer_free(struct kd_transfer *transfer);
/* HTTP status of the answer. */
long kd_transfer_code(const struct kd_transfer *transfer);

#endif
