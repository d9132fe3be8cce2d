/*
 * One answer under way. A producer makes it in steps on the worker pool: each step appends a
 * bounded piece, the loop sends it, and only when the peer has taken it the next step runs. So an
 * answer of any length needs constant memory, and a slow reader holds neither a thread nor a
 * transaction. An answer that ends with its first step goes out whole, with a Content-Length.
 */
#ifndef KD_SERVER_ANSWER_H
#define KD_SERVER_ANSWER_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/loop.h"
#include "metrics/metrics.h"
#include "server/params.h"
#include "server/server.h"
#include "server/workers.h"

struct evhttp_request;
struct kd_answer;
struct kd_peers;
struct kd_waiting;

/* What handlers may use; lives as long as the server. */
struct kd_context {
    struct kd_loop *loop;
    struct kd_workers *workers;
    struct kd_store *store;
    struct kd_metrics *metrics;
    struct kd_server_source source;
    int idle_seconds;        /* how long a peer may be silent between answers, or not take one */
    struct kd_answer *first; /* all that are under way; the loop's thread only */
    struct kd_peers *peers;
    struct kd_waiting *waiting; /* for a verdict; the loop's thread only */
};

enum kd_step { KD_STEP_DONE, KD_STEP_MORE, KD_STEP_WAIT /* for kd_answer_wake */ };

/*
 * Makes the next piece into answer->piece. Worker thread. A negative KD_E* or kd_answer_fail ends
 * the answer: as an error answer when nothing was sent yet, else by cutting the connection.
 */
typedef int (*kd_step_fn)(struct kd_answer *answer);

struct kd_answer {
    struct kd_context *context;
    struct kd_answer *prev, *next;
    struct evhttp_request *request; /* NULL once the peer is gone; the loop's thread only */
    struct kd_job job;
    struct kd_arena arena; /* lives as long as the answer */
    struct kd_params params;
    struct kd_buf piece;
    const char *content_type;
    int code;
    kd_step_fn step;
    void *state;                  /* the step's own, usually in the arena */
    void (*release)(void *state); /* optional: frees what state holds; called once, at the end */
    bool quick;                   /* its steps take no time: they go before others */
    int outcome;                  /* of the last step */
    bool started;                 /* headers are out */
    bool busy;                    /* a step is queued or runs: the worker's until it is done */
    bool waiting;                 /* the last step said KD_STEP_WAIT and its piece is out */
    bool woken;                   /* something came since the last step began */
    bool dropped;                 /* the server stops or the peer is gone: free when not busy */
};

/* Takes over a request. params are parsed already into answer's arena by the caller. Loop thread.
 */
struct kd_answer *kd_answer_new(struct kd_context *context, struct evhttp_request *request);
/* Ends an answer that has not begun with an error. Loop thread. */
void kd_answer_refuse(struct kd_answer *answer, int http_code, const char *text);
/* Runs the first step. Loop thread. */
void kd_answer_run(struct kd_answer *answer, kd_step_fn step);
/* Wakes every answer that waits. Loop thread. */
void kd_answers_wake(struct kd_context *context);
/* Cuts all that are under way; those in a step are freed by kd_answers_reap. Loop thread. */
void kd_answers_drop(struct kd_context *context);
/* After the workers are gone. */
void kd_answers_reap(struct kd_context *context);

/* Worker or loop thread, in a step: replaces the piece with {"error": text} and the HTTP code. */
int kd_answer_fail(struct kd_answer *answer, int http_code, const char *fmt, ...) KD_PRINTF(3, 4);

/* A whole answer at once, from the loop. */
void kd_reply_text(struct evhttp_request *request, int code, const char *content_type,
                   struct kd_str body);
void kd_reply_error(struct evhttp_request *request, int code, const char *text);

#endif
