/*
 * Requests to the API server: curl's multi-socket interface on the I/O loop, HTTP/2 where the
 * server speaks it, TLS by OpenSSL, bearer token, rate limit (watches are free of it), errors read
 * from Status. Watches and other requests use different connections, so that a list never waits
 * behind a watch; so do the requests of the leader election, which have a rate limit of their own
 * as well, since a leader that cannot renew in time is none any more.
 *
 * Thread: the loop's thread only (kd_client_new and _free: while the loop does not run, or on it).
 * Nothing blocks.
 */
#ifndef KD_CLIENT_CLIENT_H
#define KD_CLIENT_CLIENT_H

#include "base/buf.h"
#include "base/loop.h"
#include "config/cluster.h"

struct kd_client;
struct kd_call;
struct kd_metrics;

/* Reasons of a Status, as far as someone acts on them. */
enum kd_reason {
    KD_REASON_NONE,
    KD_REASON_UNKNOWN,
    KD_REASON_NOT_FOUND,
    KD_REASON_ALREADY_EXISTS,
    KD_REASON_CONFLICT,
    KD_REASON_EXPIRED, /* 410: Expired or Gone */
    KD_REASON_INVALID,
    KD_REASON_SERVER_TIMEOUT,
    KD_REASON_TIMEOUT,
    KD_REASON_TOO_LARGE_VERSION, /* 504 Timeout with that cause, or that message */
    KD_REASON_TOO_MANY_REQUESTS,
    KD_REASON_FORBIDDEN,
    KD_REASON_UNAUTHORIZED,
    KD_REASON_INTERNAL,
    KD_REASON_UNAVAILABLE,
};

/* What a Status object says, from an error body or from a watch's ERROR event. */
struct kd_status {
    int code;
    enum kd_reason reason;
    int64_t retry_after_ns; /* 0 when not said */
    char message[512];      /* the server's own words, cut to fit, one line */
};

/* Reads a Status; text that is none gives a status from the HTTP code alone. */
void kd_status_read(struct kd_str text, int http_code, struct kd_status *ret);
/* "forbidden", "notFound", ...: for logs, metrics and readiness. Static. */
const char *kd_reason_name(enum kd_reason reason);

/* How a call ended. error is 0 for a 2xx that came whole, KD_EHTTP for another status (then status
 * is filled), KD_ENET, KD_ETIMEOUT, KD_ETOOBIG, KD_ECONFIG (the token cannot be used, nothing was
 * sent), or what sink->data returned. */
struct kd_response {
    int error;
    int http_code; /* 0 when no answer came */
    struct kd_status status;
    char text[512]; /* one line for people: what failed, host, reason; "" on success */
};

struct kd_response_sink {
    /* Optional: a 2xx answer has begun (headers are in). */
    void (*started)(void *arg, int http_code);
    /* Body bytes of a 2xx answer, decoded. Mandatory. A negative return aborts the call. */
    int (*data)(void *arg, const char *ptr, size_t len);
    /* Exactly once, unless the call was canceled; the call is gone when it returns. Mandatory. */
    void (*done)(void *arg, const struct kd_response *response);
};

#define KD_REQUEST_WATCH                                                                           \
    1u /* no rate limit, identity encoding, no total time-out, no body bound                       \
        */
/* Of the leader election: its time-out counts from the start, waiting included, and after it a
 * connection that said nothing meanwhile is given up. Never sent again by the client, but after a
 * 401. */
#define KD_REQUEST_LEASE 4u
#define KD_REQUEST_LIST 2u /* gzip where the settings say so, no body bound */

struct kd_request {
    const char *method; /* "GET", "POST", "PUT", "PATCH", "DELETE" */
    const char *path;   /* "/api/v1/pods?limit=500" */
    const char *accept; /* NULL: application/json */
    const char *content_type;
    struct kd_str body;
    uint32_t flags;
    int64_t timeout_ns; /* whole call; 0: settings' request_timeout (none for a watch). A list:
                           without progress for so long */
    const char *verb;   /* metric label: "list", "watch", "get", ... */
    const char *url_template; /* metric label: path without names, e.g. "/api/v1/pods" */
    const struct kd_response_sink *sink;
    void *arg;
};

/* Borrows cluster and settings for the client's life. */
int kd_client_new(struct kd_loop *loop, const struct kd_cluster *cluster,
                  const struct kd_cluster_settings *settings, struct kd_metrics *metrics,
                  struct kd_client **ret, struct kd_error *reterr) KD_MUST_USE;
/* Cancels what is under way. Not from inside a sink. */
void kd_client_free(struct kd_client *client);

/* Starts a request; strings are copied. Never fails at once: a failure reaches done, from the loop.
 */
struct kd_call *kd_client_start(struct kd_client *client, const struct kd_request *request);
/* Ends a call without done, at any moment, also from inside a sink. Accepts NULL. */
void kd_call_cancel(struct kd_call *call);
/* The same for one that has waited in vain: connections that have long been silent go too. */
void kd_call_abandon(struct kd_call *call);

#endif
