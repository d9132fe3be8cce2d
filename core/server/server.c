#include "server/server.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/thread.h"
#include "server/bind.h"
#include "server/guard.h"
#include "server/peers.h"
#include "server/routes.h"
#include "server/tls.h"

#include <errno.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define QUERY_THREADS 2
#define IDLE_SECONDS 90
#define MAX_CONNECTIONS 400u
#define UNFINISHED_NS (32 * KD_SEC_NS)
#define LOOK_NS KD_SEC_NS /* at the connections, at most */
#define ACCEPT_AGAIN_NS KD_SEC_NS /* a listener that could not accept rests for up to so long */

enum { HEALTH, METRICS, API, N_LISTENERS };

static const char *const names[] = { [HEALTH] = "health", [METRICS] = "metrics", [API] = "api" };
static kd_route_fn *const routes[] = {
    [HEALTH] = kd_route_health, [METRICS] = kd_route_metrics, [API] = kd_route_api
};

struct listener {
    struct kd_server *server;
    size_t index;
    bool asks_who;      /* its callers are */
    struct kd_tls *tls; /* NULL: plain */
    struct evhttp *http;
    struct evconnlistener *accepting; /* of http */
    char *unix_path;                  /* removed at the end */
};

struct kd_server {
    struct kd_context context;
    struct listener listeners[N_LISTENERS];
    struct kd_timer accept_again;
    struct kd_store_subscription *subscription;
    pthread_t thread;
    bool runs;
    _Atomic bool wake_posted; /* one wake under way is enough for any number of commits */
};

static void on_wake(void *arg)
{
    struct kd_server *server = arg;
    atomic_store(&server->wake_posted, false);
    kd_answers_wake(&server->context);
}

void kd_server_wake(struct kd_server *server)
{
    if (!atomic_exchange(&server->wake_posted, true)) {
        kd_loop_post(server->context.loop, on_wake, server);
    }
}

static void on_commit(void *arg, uint64_t seq)
{
    (void)seq;
    kd_server_wake(arg);
}

static void *server_main(void *arg)
{
    struct kd_server *server = arg;
    kd_loop_run(server->context.loop);
    return NULL;
}

/* Without descriptors the waiting connection would wake the loop again at once, for ever. */
static void on_accept_error(struct evconnlistener *accepting, void *arg)
{
    int error = errno;
    (void)arg;
    KD_WARN("no connection can be accepted just now", KD_F("error", strerror(error)),
            KD_F("remedy", "raise the limit of open files"));
    (void)evconnlistener_disable(accepting); /* fails for none that is enabled */
}

static void accept_again(void *arg)
{
    struct kd_server *server = arg;
    for (size_t i = 0; i < N_LISTENERS; i++) {
        if (server->listeners[i].accepting && !kd_peers_full(server->context.peers, i)) {
            (void)evconnlistener_enable(server->listeners[i].accepting); /* most are */
        }
    }
    kd_timer_start(&server->accept_again, ACCEPT_AGAIN_NS);
}

/* The stream of a new connection. For NULL, which is no memory, evhttp makes one, a plain one. */
static struct bufferevent *on_connection(struct event_base *base, void *arg)
{
    struct listener *listener = arg;
    struct bufferevent *stream =
        listener->tls ? kd_tls_accept(listener->tls)
                      : bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
    if (stream) {
        kd_peers_add(listener->server->context.peers, listener->index, stream);
    }
    return stream;
}

static void on_replied(struct evhttp_request *request, void *arg)
{
    const struct kd_context *context = arg;
    kd_peers_answered(context->peers, evhttp_request_get_connection(request));
}

/* Whether the connection is what the listener promises: evhttp may have made the stream. */
static bool is_as_promised(const struct listener *listener, struct evhttp_request *request)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    return !listener->tls ||
           bufferevent_openssl_get_ssl(evhttp_connection_get_bufferevent(connection));
}

static void on_request(struct evhttp_request *request, void *arg)
{
    struct listener *listener = arg;
    struct kd_context *context = &listener->server->context;
    if (!is_as_promised(listener, request)) {
        kd_reply_error(request, 503, "no memory for TLS just now");
        return;
    }
    kd_peers_asked(context->peers, evhttp_request_get_connection(request));
    evhttp_request_set_on_complete_cb(request, on_replied, context); /* long answers set theirs */
    if (listener->asks_who) {
        kd_guard(context, request, routes[listener->index]);
    } else {
        routes[listener->index](request, context);
    }
}

static struct evhttp *new_http(struct listener *listener, int fd)
{
    struct kd_context *context = &listener->server->context;
    struct evhttp *http = evhttp_new(kd_loop_base(context->loop));
    if (!http) {
        return NULL;
    }
    evhttp_set_max_headers_size(http, KD_MAX_HTTP_HEADER);
    evhttp_set_max_body_size(http, KD_MAX_HTTP_BODY);
    evhttp_set_timeout(http, context->idle_seconds);
    evhttp_set_allowed_methods(http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_PUT |
                                         EVHTTP_REQ_POST | EVHTTP_REQ_DELETE | EVHTTP_REQ_PATCH |
                                         EVHTTP_REQ_OPTIONS);
    evhttp_set_bevcb(http, on_connection, listener);
    evhttp_set_gencb(http, on_request, listener);
    struct evhttp_bound_socket *bound = evhttp_accept_socket_with_handle(http, fd);
    if (!bound) {
        evhttp_free(http);
        return NULL;
    }
    listener->accepting = evhttp_bound_socket_get_listener(bound);
    kd_peers_listen(context->peers, listener->index, listener->accepting);
    evconnlistener_set_error_cb(listener->accepting, on_accept_error);
    return http;
}

/* Settings of health are an address alone. */
static int add_listener(struct kd_server *server, size_t index,
                        const struct kd_http_settings *settings, struct kd_error *reterr)
{
    struct listener *listener = &server->listeners[index];
    int fd = -1;
    KD_TRY(kd_bind_listen(settings->bind, names[index], &fd, reterr));
    if (fd < 0) {
        return 0;
    }
    const char *path = kd_bind_unix_path(settings->bind);
    listener->unix_path = path ? kd_strdup(path) : NULL;
    listener->asks_who = settings->authenticate && !path;
    int rc = 0;
    if (settings->tls_cert && settings->tls_cert[0] && !path) {
        rc = kd_tls_new(server->context.loop, server->context.metrics, names[index],
                        settings->tls_cert, settings->tls_key, &listener->tls, reterr);
    }
    listener->http = rc == 0 ? new_http(listener, fd) : NULL;
    if (!listener->http) {
        (void)close(fd); /* never used */
        return rc < 0 ? rc
                      : kd_fail(reterr, KD_ENOMEM, "%s.bind: no memory for the HTTP server",
                                names[index]);
    }
    return 0;
}

static int add_listeners(struct kd_server *server, const struct kd_server_settings *settings,
                         struct kd_error *reterr)
{
    const struct kd_http_settings health = { .bind = settings->health->bind };
    KD_TRY(add_listener(server, HEALTH, &health, reterr));
    KD_TRY(add_listener(server, METRICS, settings->metrics, reterr));
    return add_listener(server, API, settings->api, reterr);
}

static struct kd_peers *new_peers(struct kd_server *server,
                                  const struct kd_server_settings *settings)
{
    struct kd_peers_limits limits = {
        .connections = settings->max_connections ? settings->max_connections : MAX_CONNECTIONS,
        .unfinished_ns = settings->unfinished_ns ? settings->unfinished_ns : UNFINISHED_NS,
        .look_ns = LOOK_NS,
    };
    if (limits.unfinished_ns < limits.look_ns) {
        limits.look_ns = limits.unfinished_ns;
    }
    return kd_peers_new(server->context.loop, server->context.metrics, names, N_LISTENERS, &limits);
}

int kd_server_start(const struct kd_server_settings *settings,
                    const struct kd_server_source *source, struct kd_metrics *metrics,
                    struct kd_store *store, struct kd_server **ret, struct kd_error *reterr)
{
    struct kd_server *server = kd_zalloc(sizeof(*server));
    uint64_t seq = 0;
    server->context = (struct kd_context){
        .loop = kd_loop_new(),
        .store = store,
        .metrics = metrics,
        .source = *source,
        .idle_seconds = settings->idle_seconds ? settings->idle_seconds : IDLE_SECONDS,
    };
    for (size_t i = 0; i < N_LISTENERS; i++) {
        server->listeners[i].server = server;
        server->listeners[i].index = i;
    }
    server->context.peers = new_peers(server, settings);
    kd_timer_init(&server->accept_again, server->context.loop, accept_again, server);
    kd_timer_start(&server->accept_again, ACCEPT_AGAIN_NS);
    server->context.workers = kd_workers_new(QUERY_THREADS);
    /* Before the first request: what is committed later wakes those that wait. */
    server->subscription = kd_store_subscribe(store, on_commit, server, &seq);
    int rc = add_listeners(server, settings, reterr);
    if (rc == 0 && kd_thread_create(&server->thread, "kd-http", server_main, server) != 0) {
        rc = kd_fail(reterr, KD_ENOMEM, "the HTTP thread could not be started");
    }
    if (rc < 0) {
        kd_server_stop(server);
        return rc;
    }
    server->runs = true;
    *ret = server;
    return 0;
}

static void close_listeners(void *arg)
{
    struct kd_server *server = arg;
    kd_answers_drop(&server->context);
    kd_guard_drop(&server->context);
    kd_timer_stop(&server->accept_again);
    for (size_t i = 0; i < N_LISTENERS; i++) {
        if (server->listeners[i].http) {
            evhttp_free(server->listeners[i].http);
            server->listeners[i].http = NULL;
            server->listeners[i].accepting = NULL;
        }
        kd_tls_free(server->listeners[i].tls);
        server->listeners[i].tls = NULL;
    }
    kd_peers_free(server->context.peers);
    server->context.peers = NULL;
}

void kd_server_stop(struct kd_server *server)
{
    if (!server) {
        return;
    }
    if (server->subscription) {
        kd_store_unsubscribe(server->subscription);
    }
    if (server->runs) {
        kd_loop_call(server->context.loop, close_listeners, server);
        kd_loop_stop(server->context.loop);
        (void)pthread_join(server->thread, NULL);
    } else {
        close_listeners(server);
    }
    kd_workers_free(server->context.workers);
    kd_timer_release(&server->accept_again);
    kd_loop_free(server->context.loop); /* runs the last posts of the workers */
    kd_answers_reap(&server->context);
    kd_guard_reap(&server->context);
    for (size_t i = 0; i < N_LISTENERS; i++) {
        if (server->listeners[i].unix_path) {
            (void)unlink(server->listeners[i].unix_path); /* already gone is fine */
            kd_free(server->listeners[i].unix_path);
        }
    }
    kd_free(server);
}
