#include "server/server.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/log.h"
#include "server/bind.h"
#include "server/routes.h"

#include <errno.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define QUERY_THREADS 2
#define IDLE_SECONDS 90
#define N_LISTENERS 3
#define ACCEPT_AGAIN_NS KD_SEC_NS /* a listener that could not accept rests for up to so long */

struct listener {
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
    sigset_t broken_pipe; /* libevent writes without MSG_NOSIGNAL: a peer that went is an error */
    (void)sigemptyset(&broken_pipe); /* none of the three fails for valid arguments */
    (void)sigaddset(&broken_pipe, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &broken_pipe, NULL);
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
        if (server->listeners[i].accepting) {
            (void)evconnlistener_enable(server->listeners[i].accepting); /* most are */
        }
    }
    kd_timer_start(&server->accept_again, ACCEPT_AGAIN_NS);
}

static struct evhttp *new_http(struct kd_server *server, int fd,
                               void (*route)(struct evhttp_request *, void *),
                               struct evconnlistener **ret_accepting)
{
    struct evhttp *http = evhttp_new(kd_loop_base(server->context.loop));
    if (!http) {
        return NULL;
    }
    evhttp_set_max_headers_size(http, KD_MAX_HTTP_HEADER);
    evhttp_set_max_body_size(http, KD_MAX_HTTP_BODY);
    evhttp_set_timeout(http, server->context.idle_seconds);
    evhttp_set_allowed_methods(http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_PUT |
                                         EVHTTP_REQ_POST | EVHTTP_REQ_DELETE | EVHTTP_REQ_PATCH |
                                         EVHTTP_REQ_OPTIONS);
    evhttp_set_gencb(http, route, &server->context);
    struct evhttp_bound_socket *bound = evhttp_accept_socket_with_handle(http, fd);
    if (!bound) {
        evhttp_free(http);
        return NULL;
    }
    *ret_accepting = evhttp_bound_socket_get_listener(bound);
    evconnlistener_set_error_cb(*ret_accepting, on_accept_error);
    return http;
}

static int add_listener(struct kd_server *server, struct listener *listener, const char *bind,
                        const char *what, void (*route)(struct evhttp_request *, void *),
                        struct kd_error *reterr)
{
    int fd = -1;
    KD_TRY(kd_bind_listen(bind, what, &fd, reterr));
    if (fd < 0) {
        return 0;
    }
    const char *path = kd_bind_unix_path(bind);
    listener->unix_path = path ? kd_strdup(path) : NULL;
    listener->http = new_http(server, fd, route, &listener->accepting);
    if (!listener->http) {
        (void)close(fd); /* never used */
        return kd_fail(reterr, KD_ENOMEM, "%s.bind: no memory for the HTTP server", what);
    }
    return 0;
}

static int add_listeners(struct kd_server *server, const struct kd_server_settings *settings,
                         struct kd_error *reterr)
{
    struct listener *at = server->listeners;
    KD_TRY(add_listener(server, &at[0], settings->health->bind, "health", kd_route_health, reterr));
    KD_TRY(
        add_listener(server, &at[1], settings->metrics->bind, "metrics", kd_route_metrics, reterr));
    return add_listener(server, &at[2], settings->api->bind, "api", kd_route_api, reterr);
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
    kd_timer_init(&server->accept_again, server->context.loop, accept_again, server);
    kd_timer_start(&server->accept_again, ACCEPT_AGAIN_NS);
    server->context.workers = kd_workers_new(QUERY_THREADS);
    /* Before the first request: what is committed later wakes those that wait. */
    server->subscription = kd_store_subscribe(store, on_commit, server, &seq);
    int rc = add_listeners(server, settings, reterr);
    if (rc == 0 && pthread_create(&server->thread, NULL, server_main, server) != 0) {
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
    kd_timer_stop(&server->accept_again);
    for (size_t i = 0; i < N_LISTENERS; i++) {
        if (server->listeners[i].http) {
            evhttp_free(server->listeners[i].http);
            server->listeners[i].http = NULL;
            server->listeners[i].accepting = NULL;
        }
    }
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
    for (size_t i = 0; i < N_LISTENERS; i++) {
        if (server->listeners[i].unix_path) {
            (void)unlink(server->listeners[i].unix_path); /* already gone is fine */
            kd_free(server->listeners[i].unix_path);
        }
    }
    kd_free(server);
}
