#include "server/guard.h"

#include "base/alloc.h"
#include "base/str.h"

#include <event2/http.h>
#include <stdio.h>

struct kd_waiting {
    struct kd_waiting *prev, *next;
    struct kd_context *context;
    struct evhttp_request *request; /* NULL once the peer is gone, or the server stops */
    kd_route_fn *route;
    enum kd_ruling verdict;
    char why[KD_WHY_MAX];
};

static void waiting_free(struct kd_waiting *waiting)
{
    if (waiting->prev) {
        waiting->prev->next = waiting->next;
    } else {
        waiting->context->waiting = waiting->next;
    }
    if (waiting->next) {
        waiting->next->prev = waiting->prev;
    }
    kd_free(waiting);
}

/* As with an answer: a request that evhttp has taken off its connection is ours to free. */
static void on_peer_closed(struct evhttp_connection *connection, void *arg)
{
    struct kd_waiting *waiting = arg;
    evhttp_connection_set_closecb(connection, NULL, NULL);
    if (!evhttp_request_get_connection(waiting->request)) {
        evhttp_request_free(waiting->request);
    }
    waiting->request = NULL;
}

static void refuse(struct evhttp_request *request, enum kd_ruling verdict, const char *why)
{
    static const int codes[] = {
        [KD_RULING_ALLOWED] = 200, [KD_RULING_UNKNOWN] = 401,
        [KD_RULING_DENIED] = 403,  [KD_RULING_NONE] = 500,
    };
    if (verdict == KD_RULING_UNKNOWN) {
        (void)evhttp_add_header(evhttp_request_get_output_headers(request), "WWW-Authenticate",
                                "Bearer"); /* without memory the code has to do */
    }
    kd_reply_error(request, codes[verdict], why);
}

static void on_verdict(void *arg)
{
    struct kd_waiting *waiting = arg;
    struct evhttp_request *request = waiting->request;
    if (request) {
        evhttp_connection_set_closecb(evhttp_request_get_connection(request), NULL, NULL);
    }
    if (request && waiting->verdict == KD_RULING_ALLOWED) {
        waiting->route(request, waiting->context);
    } else if (request) {
        refuse(request, waiting->verdict, waiting->why);
    }
    waiting_free(waiting);
}

static void take_verdict(void *arg, enum kd_ruling verdict, const char *why)
{
    struct kd_waiting *waiting = arg;
    waiting->verdict = verdict;
    (void)snprintf(waiting->why, sizeof(waiting->why), "%s", why); /* cut to fit */
    kd_loop_post(waiting->context->loop, on_verdict, waiting);
}

static struct kd_waiting *waiting_new(struct kd_context *context, struct evhttp_request *request,
                                      kd_route_fn *route)
{
    struct kd_waiting *waiting = kd_zalloc(sizeof(*waiting));
    *waiting = (struct kd_waiting){
        .next = context->waiting, .context = context, .request = request, .route = route
    };
    if (context->waiting) {
        context->waiting->prev = waiting;
    }
    context->waiting = waiting;
    evhttp_connection_set_closecb(evhttp_request_get_connection(request), on_peer_closed, waiting);
    return waiting;
}

static struct kd_str bearer_of(struct evhttp_request *request)
{
    const char *header =
        evhttp_find_header(evhttp_request_get_input_headers(request), "Authorization");
    struct kd_str rest = kd_str_from(header ? header : "");
    struct kd_str scheme = kd_str_cut(&rest, ' ');
    return kd_str_eq_nocase(scheme, KD_STR("bearer")) ? kd_str_trim(rest)
                                                      : (struct kd_str){ NULL, 0 };
}

/* The verb of a non-resource request: the method in lower case. */
static const char *verb_of(struct evhttp_request *request)
{
    static const struct {
        enum evhttp_cmd_type method;
        const char *verb;
    } verbs[] = {
        { EVHTTP_REQ_GET, "get" },   { EVHTTP_REQ_HEAD, "head" },     { EVHTTP_REQ_PUT, "put" },
        { EVHTTP_REQ_POST, "post" }, { EVHTTP_REQ_DELETE, "delete" }, { EVHTTP_REQ_PATCH, "patch" },
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(verbs); i++) {
        if (evhttp_request_get_command(request) == verbs[i].method) {
            return verbs[i].verb;
        }
    }
    return "options"; /* no other is let in */
}

void kd_guard(struct kd_context *context, struct evhttp_request *request, kd_route_fn *route)
{
    struct kd_str rest = kd_str_from(evhttp_request_get_uri(request));
    struct kd_caller caller = { .token = bearer_of(request), .verb = verb_of(request) };
    caller.path = kd_str_cut(&rest, '?');
    if (caller.token.len == 0) {
        refuse(request, KD_RULING_UNKNOWN, "send the bearer token of a cluster's account");
        return;
    }
    struct kd_waiting *waiting = waiting_new(context, request, route);
    context->source.judge(context->source.arg, &caller, take_verdict, waiting);
}

void kd_guard_drop(struct kd_context *context)
{
    for (struct kd_waiting *one = context->waiting; one; one = one->next) {
        if (one->request) {
            evhttp_connection_set_closecb(evhttp_request_get_connection(one->request), NULL, NULL);
            one->request = NULL;
        }
    }
}

void kd_guard_reap(struct kd_context *context)
{
    while (context->waiting) {
        waiting_free(context->waiting);
    }
}
