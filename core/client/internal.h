/*
 * The client's insides. The life of a call:
 *
 *   start -> LIMITED (the rate limit) -> READY (a connection) -> RUNNING -> answer.c -> finish.c
 *              ^------------- DELAYED (a retry's or a failure's time) <---------'
 *
 * start only queues: the pump, run by a timer, hands calls to curl. So a sink may start and cancel
 * calls at any time, also from inside curl, where nothing may be added or removed; a running call
 * that is canceled there is marked and reaped when curl returns.
 */
#ifndef KD_CLIENT_INTERNAL_H
#define KD_CLIENT_INTERNAL_H

#include "base/clock.h"
#include "client/client.h"
#include "client/identity.h"
#include "client/limiter.h"
#include "client/multi.h"
#include "client/stats.h"
#include "client/target.h"
#include "client/tlsfault.h"
#include "client/warnings.h"

#include <curl/curl.h>
#include <sys/queue.h>

#define KD_CLIENT_MAGIC 0x6b64636cu
#define KD_CALL_MAGIC 0x6b646361u

enum kd_call_state {
    KD_CALL_LIMITED, /* waits for its pace */
    KD_CALL_READY,   /* waits in its lane */
    KD_CALL_RUNNING, /* in a pool */
    KD_CALL_DELAYED, /* its delay timer runs: to a retry, or to a failure's report */
    KD_CALL_ENDED,   /* in done */
};

struct kd_call {
    uint32_t magic;
    enum kd_call_state state;
    bool connected; /* this try has its connection */
    bool canceled;  /* RUNNING inside of curl: reaped when curl returns */
    struct kd_client *client;
    TAILQ_ENTRY(kd_call) all;
    TAILQ_ENTRY(kd_call) queue; /* LIMITED, READY */

    char *method;
    char *path;
    char *accept;
    char *content_type;
    char *verb;
    char *url_template;
    char *body;
    size_t body_len;
    uint32_t flags;
    int64_t timeout_ns; /* 0: none */
    const struct kd_response_sink *sink;
    void *arg;

    struct kd_timer deadline; /* whole call, or a list's progress */
    struct kd_timer delay;
    int64_t queued_ns;
    int64_t first_sent_ns; /* 0: never sent yet */
    int64_t sent_ns;       /* this try */
    int64_t progress_ns;   /* last sign of life */
    unsigned retries;
    bool reauthed; /* sent again after a 401 */

    CURL *easy;                   /* RUNNING only */
    struct kd_material *material; /* what easy points into */
    struct curl_slist *headers;
    struct curl_slist *connect_to;
    char error_text[KD_ERROR_TEXT]; /* curl's, or why it never came to curl */
    int http_code;                  /* 0 until the headers are in */
    uint64_t received;
    int abort_code; /* why we stopped or never began the transfer; 0: we did not */
    struct kd_buf error_body;
};

TAILQ_HEAD(kd_call_list, kd_call);

struct kd_lane {
    struct kd_multi pool;
    struct kd_call_list waiting;
    struct kd_call *opener; /* makes a connection that the waiting ones wait for, or NULL */
    size_t n_running;
    int *sockets; /* open connections, also those being made */
    unsigned n_sockets;
};

/* A rate limit and the calls that wait for it. */
struct kd_pace {
    struct kd_limiter limiter;
    struct kd_call_list limited;
};

struct kd_client {
    uint32_t magic;
    struct kd_loop *loop;
    const struct kd_clock *clock;
    const struct kd_cluster *cluster;
    const struct kd_cluster_settings *settings;
    struct kd_target target;
    char *user_agent;
    char *proxy; /* as curl takes it; "": none */
    struct kd_identity identity;
    struct kd_tls_fault tls_fault; /* of the last handshake that failed */
    struct kd_pace pace;           /* of all but watches and the election */
    struct kd_pace lease_pace;     /* of the election */
    struct kd_warnings warnings;
    struct kd_stats stats;
    struct kd_lane watches; /* apart, so that a list never waits behind a watch */
    struct kd_lane others;
    struct kd_lane leases;
    struct kd_timer pump;
    struct kd_call_list all;
    bool in_curl;
    bool has_canceled;
    unsigned in_sink; /* done callbacks on the stack */
    int64_t last_wait_log_ns;
};

static inline int64_t kd_client_now(const struct kd_client *client)
{
    return kd_now_ns(client->clock);
}

static inline bool kd_call_is_watch(const struct kd_call *call)
{
    return call->flags & KD_REQUEST_WATCH;
}

static inline bool kd_call_is_list(const struct kd_call *call)
{
    return call->flags & KD_REQUEST_LIST;
}

static inline bool kd_call_is_lease(const struct kd_call *call)
{
    return call->flags & KD_REQUEST_LEASE;
}

static inline bool kd_is_success(int http_code)
{
    return http_code >= 200 && http_code < 300;
}

/* dispatch.c: from the queues into curl. */
void kd_call_enqueue(struct kd_call *call);
/* False when it could not be started; it then fails soon. */
bool kd_call_run(struct kd_call *call);
/* Ends a call on the loop's next turn, so that a sink which starts anew at once cannot spin. */
void kd_call_fail_soon(struct kd_call *call, int error, const char *why);
void kd_call_retry(struct kd_call *call, int64_t delay_ns);
void kd_client_pump(void *client);
/* Takes a call out of the queue or pool that it is in and frees what curl had. */
void kd_call_detach(struct kd_call *call);
/* Once an answer has begun curl does not read them again; a watch would keep them for minutes. */
void kd_call_wipe_headers(struct kd_call *call);

/* lane.c */
struct kd_lane *kd_call_lane(const struct kd_call *call);
int kd_lane_init(struct kd_lane *lane, struct kd_client *client,
                 const struct kd_multi_sink *sink) KD_MUST_USE;
void kd_lane_release(struct kd_lane *lane);
void kd_lane_wait(struct kd_call *call);
/* Runs what may run now. */
void kd_lane_run(struct kd_lane *lane);
/* Those who wait fail. */
void kd_lane_refuse(struct kd_lane *lane, int error, const char *why);
/* Ends all connections: they belong to an identity that is no longer ours. */
void kd_lane_drop(struct kd_lane *lane);
int kd_lane_enter(struct kd_call *call) KD_MUST_USE;
void kd_lane_leave(struct kd_call *call);
/*
 * After a call has waited in vain: closes connections from which nothing has come for long, for
 * what answers no longer may still acknowledge, and new calls would go to it again.
 */
void kd_lane_give_up_silent(const struct kd_call *call);
/* Makes a curl handle tell its lane of connections. */
void kd_lane_hook(struct kd_call *call, CURL *easy);

/* headers.c: everything but method and body. */
int kd_call_headers(struct kd_call *call, struct kd_error *reterr) KD_MUST_USE;

/* request.c: the curl handle of a call that is about to run. KD_ENOMEM, KD_ECONFIG (token). */
int kd_call_prepare(struct kd_call *call, struct kd_error *reterr) KD_MUST_USE;

/* answer.c: curl's callbacks. */
size_t kd_answer_header(char *ptr, size_t size, size_t n, void *call);
size_t kd_answer_body(char *ptr, size_t size, size_t n, void *call);

/* finish.c: a try has ended; retries, or tells the sink and frees the call. */
void kd_call_finish(struct kd_call *call, CURLcode result);
/* Ends a call for a reason of our own. */
void kd_call_fail(struct kd_call *call, int error, const char *why);
/* The deadline timer's function; arg is the call. */
void kd_call_deadline(void *arg);

/* client.c */
void kd_call_free(struct kd_call *call);
struct kd_stat_labels kd_call_labels(const struct kd_call *call);

/* text.c */
/* Seconds from a server, bounded. */
int64_t kd_retry_after_ns(int64_t seconds);
/* Copies trimmed text without control characters, cut to fit between UTF-8 characters. */
void kd_one_line(struct kd_str text, char *out, size_t size);

#endif
