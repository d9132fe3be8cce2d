#include "server/answer.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/str.h"
#include "server/peers.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdarg.h>
#include <stdio.h>

#define PIECE_KEEP (256 * KD_KIB)
#define ANSWER_ARENA (64 * KD_MIB)
#define ANSWER_PIECE (512 * KD_MIB)

static const char json_type[] = "application/json";

static const char *phrase_of(int code)
{
    switch (code) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 410:
        return "Gone";
    case 501:
        return "Not Implemented";
    case 503:
        return "Service Unavailable";
    default:
        return "Internal Server Error";
    }
}

static bool is_head(struct evhttp_request *request)
{
    return evhttp_request_get_command(request) == EVHTTP_REQ_HEAD;
}

void kd_reply_text(struct evhttp_request *request, int code, const char *content_type,
                   struct kd_str body)
{
    struct evbuffer *out = evbuffer_new();
    (void)evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type",
                            content_type);
    if (out && body.len && !is_head(request)) {      /* evhttp would send a body all the same */
        (void)evbuffer_add(out, body.ptr, body.len); /* without memory the body is missing */
    }
    evhttp_send_reply(request, code, phrase_of(code), out);
    if (out) {
        evbuffer_free(out);
    }
}

void kd_reply_error(struct evhttp_request *request, int code, const char *text)
{
    KD_AUTO_BUF struct kd_buf body;
    kd_buf_init(&body, KD_MAX_ERROR_BODY);
    (void)kd_buf_puts(&body, "{\"error\":");
    (void)kd_buf_put_json(&body, kd_str_from(text));
    (void)kd_buf_puts(&body, "}\n"); /* texts of errors are short: it fits */
    kd_reply_text(request, code, json_type, kd_buf_str(&body));
}

int kd_answer_fail(struct kd_answer *answer, int http_code, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args); /* cut to fit */
    va_end(args);
    answer->code = http_code;
    answer->content_type = json_type;
    kd_buf_clear(&answer->piece, PIECE_KEEP);
    (void)kd_buf_puts(&answer->piece, "{\"error\":");
    (void)kd_buf_put_json(&answer->piece, kd_str_from(text));
    (void)kd_buf_puts(&answer->piece, "}\n"); /* short: it fits */
    return KD_EHTTP;
}

static void answer_free(struct kd_answer *answer)
{
    struct kd_context *context = answer->context;
    if (answer->prev) {
        answer->prev->next = answer->next;
    } else {
        context->first = answer->next;
    }
    if (answer->next) {
        answer->next->prev = answer->prev;
    }
    if (answer->release) {
        answer->release(answer->state);
    }
    kd_buf_release(&answer->piece);
    kd_arena_release(&answer->arena);
    kd_free(answer);
}

/*
 * The connection goes. A request that evhttp has taken off it, since the peer closed or stalled, is
 * ours to free; one that is still on it goes with it.
 */
static void on_peer_closed(struct evhttp_connection *connection, void *arg)
{
    struct kd_answer *answer = arg;
    evhttp_connection_set_closecb(connection, NULL, NULL);
    if (!evhttp_request_get_connection(answer->request)) {
        evhttp_request_free(answer->request);
    }
    answer->request = NULL;
    answer->dropped = true;
    if (!answer->busy) {
        answer_free(answer);
    }
}

/*
 * While its answer is made the peer has nothing to say: silence is no fault then, and what it sends
 * all the same stays in the socket once a header's worth of it is here.
 */
static void expect_nothing(const struct kd_context *context, struct evhttp_connection *connection)
{
    struct bufferevent *stream = evhttp_connection_get_bufferevent(connection);
    const struct timeval write_limit = { context->idle_seconds, 0 };
    (void)bufferevent_set_timeouts(stream, NULL, &write_limit); /* fails for no socket's stream */
    bufferevent_setwatermark(stream, EV_READ, 0, KD_MAX_HTTP_HEADER);
}

/* The answer is out whole: the next request may come, within the usual time. */
static void on_answered(struct evhttp_request *request, void *arg)
{
    const struct kd_context *context = arg;
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    evhttp_connection_set_timeout(connection, context->idle_seconds);
    bufferevent_setwatermark(evhttp_connection_get_bufferevent(connection), EV_READ, 0, 0);
    kd_peers_answered(context->peers, connection);
}

struct kd_answer *kd_answer_new(struct kd_context *context, struct evhttp_request *request)
{
    struct kd_answer *answer = kd_zalloc(sizeof(*answer));
    answer->context = context;
    answer->request = request;
    answer->code = 200;
    answer->content_type = json_type;
    kd_arena_init(&answer->arena, ANSWER_ARENA);
    kd_buf_init(&answer->piece, ANSWER_PIECE);
    answer->next = context->first;
    if (context->first) {
        context->first->prev = answer;
    }
    context->first = answer;
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    evhttp_connection_set_closecb(connection, on_peer_closed, answer);
    evhttp_request_set_on_complete_cb(request, on_answered, context);
    expect_nothing(context, connection);
    return answer;
}

static void detach(struct kd_answer *answer)
{
    evhttp_connection_set_closecb(evhttp_request_get_connection(answer->request), NULL, NULL);
}

static void send_whole(struct kd_answer *answer)
{
    struct evhttp_request *request = answer->request;
    detach(answer);
    kd_reply_text(request, answer->code, answer->content_type, kd_buf_str(&answer->piece));
    answer_free(answer);
}

void kd_answer_refuse(struct kd_answer *answer, int http_code, const char *text)
{
    (void)kd_answer_fail(answer, http_code, "%s", text); /* fills the piece */
    send_whole(answer);
}

/* After an error in mid-answer the connection is cut, so that nobody takes it for complete. */
static void cut(struct kd_answer *answer)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(answer->request);
    detach(answer);
    answer_free(answer);
    evhttp_connection_free(connection);
}

static void next_step(struct kd_answer *answer)
{
    answer->busy = true;
    answer->waiting = false;
    answer->woken = false;
    if (answer->quick) {
        kd_workers_submit_first(answer->context->workers, &answer->job);
    } else {
        kd_workers_submit(answer->context->workers, &answer->job);
    }
}

static void after_piece(struct kd_answer *answer)
{
    if (answer->outcome == KD_STEP_DONE) {
        struct evhttp_request *request = answer->request;
        detach(answer);
        answer_free(answer);
        evhttp_send_reply_end(request);
    } else if (answer->outcome == KD_STEP_MORE || answer->woken) {
        next_step(answer);
    } else {
        answer->waiting = true;
    }
}

static void on_piece_sent(struct evhttp_connection *connection, void *arg)
{
    (void)connection;
    after_piece(arg);
}

static void send_piece(struct kd_answer *answer)
{
    if (!answer->started) {
        (void)evhttp_add_header(evhttp_request_get_output_headers(answer->request), "Content-Type",
                                answer->content_type);
        evhttp_send_reply_start(answer->request, answer->code, phrase_of(answer->code));
        answer->started = true;
    }
    if (answer->piece.len == 0) {
        after_piece(answer);
        return;
    }
    struct evbuffer *out = evbuffer_new();
    if (!out || evbuffer_add(out, answer->piece.ptr, answer->piece.len) < 0) {
        cut(answer);
    } else {
        kd_buf_clear(&answer->piece, PIECE_KEEP);
        evhttp_send_reply_chunk_with_cb(answer->request, out, on_piece_sent, answer);
    }
    if (out) {
        evbuffer_free(out);
    }
}

static void on_step_done(void *arg)
{
    struct kd_answer *answer = arg;
    answer->busy = false;
    if (answer->dropped) {
        answer_free(answer);
    } else if (answer->outcome < 0 && answer->started) {
        cut(answer);
    } else if (!answer->started && (answer->outcome <= KD_STEP_DONE || is_head(answer->request))) {
        send_whole(answer);
    } else {
        send_piece(answer);
    }
}

static void run_step(void *arg)
{
    struct kd_answer *answer = arg;
    answer->outcome = answer->step(answer);
    if (answer->outcome >= 0 && kd_buf_failed(&answer->piece)) {
        answer->outcome = KD_ETOOBIG;
    }
    if (answer->outcome < 0 && answer->outcome != KD_EHTTP) {
        answer->outcome =
            kd_answer_fail(answer, 500, "the query failed: %s", kd_errno_text(answer->outcome));
    }
    kd_loop_post(answer->context->loop, on_step_done, answer);
}

void kd_answer_run(struct kd_answer *answer, kd_step_fn step)
{
    answer->step = step;
    answer->job = (struct kd_job){ NULL, run_step, answer };
    next_step(answer);
}

void kd_answers_wake(struct kd_context *context)
{
    for (struct kd_answer *answer = context->first; answer; answer = answer->next) {
        answer->woken = true;
        if (answer->waiting && !answer->busy && !answer->dropped) {
            next_step(answer);
        }
    }
}

void kd_answers_drop(struct kd_context *context)
{
    struct kd_answer *answer = context->first;
    while (answer) {
        struct kd_answer *next = answer->next;
        if (answer->request) {
            detach(answer);
            answer->request = NULL;
        }
        answer->dropped = true;
        if (!answer->busy) {
            answer_free(answer);
        }
        answer = next;
    }
}

void kd_answers_reap(struct kd_context *context)
{
    while (context->first) {
        answer_free(context->first);
    }
}
