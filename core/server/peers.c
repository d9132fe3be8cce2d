#include "server/peers.h"

#include "base/alloc.h"
#include "base/log.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define TELL_NS (60 * KD_SEC_NS) /* of a full listener, once in so long */

struct peer {
    struct peer *next;
    struct kd_peers *peers;
    struct bufferevent *stream; /* a reference while fd is unknown; then only compared */
    int fd;                     /* -1: not known yet */
    ino_t inode;                /* of fd: another one means that the connection has gone */
    size_t listener;
    int64_t since_ns; /* from when its request has not been whole; 0: it has none under way */
    bool answering;
};

struct kd_peers {
    struct kd_loop *loop;
    struct kd_peers_limits limits;
    struct peer *first;
    size_t n_listeners;
    struct {
        struct evconnlistener *accepting;
        unsigned n;
        bool resting;
        int64_t told_ns; /* when it was last told of */
        const char *name;
        struct kd_series *connections;
    } * listeners;
    struct kd_family *cut;
    struct kd_timer fresh; /* to learn the descriptors of new ones */
    struct kd_timer look;
};

static const char *const labels[] = { "server" };

static void count(struct kd_peers *peers, size_t listener, int more)
{
    peers->listeners[listener].n += (unsigned)more;
    kd_gauge_add(peers->listeners[listener].connections, more);
}

static void forget(struct kd_peers *peers, struct peer **link)
{
    struct peer *peer = *link;
    *link = peer->next;
    count(peers, peer->listener, -1);
    kd_free(peer);
}

static bool is_there(const struct peer *peer)
{
    struct stat info;
    return peer->fd >= 0 && fstat(peer->fd, &info) == 0 && info.st_ino == peer->inode;
}

/* evhttp has given the stream its descriptor by now, or has let go of it. */
static void on_fresh(void *arg)
{
    struct kd_peers *peers = arg;
    for (struct peer *peer = peers->first; peer; peer = peer->next) {
        struct stat info;
        if (peer->fd >= 0) {
            continue;
        }
        peer->fd = bufferevent_getfd(peer->stream);
        if (peer->fd >= 0 && fstat(peer->fd, &info) == 0) {
            peer->inode = info.st_ino;
        }
        bufferevent_decref(peer->stream);
        if (peer->fd < 0) { /* it closed at once: looked at as one that has gone */
            peer->fd = INT32_MAX;
        }
    }
}

static void rest(struct kd_peers *peers, size_t listener)
{
    (void)evconnlistener_disable(peers->listeners[listener].accepting); /* it is enabled */
    int64_t now_ns = kd_now_ns(&kd_system_clock);
    int64_t told_ns = peers->listeners[listener].told_ns;
    peers->listeners[listener].resting = true;
    if (told_ns == 0 || now_ns - told_ns >= TELL_NS) {
        peers->listeners[listener].told_ns = now_ns;
        KD_WARN("too many connections, the next ones wait",
                KD_F("server", peers->listeners[listener].name),
                KD_FU("connections", peers->listeners[listener].n));
    }
}

static void cut_off(struct kd_peers *peers, struct peer *peer)
{
    const char *const values[] = { peers->listeners[peer->listener].name };
    kd_counter_add(kd_family_series(peers->cut, values), 1);
    (void)shutdown(peer->fd, SHUT_RDWR); /* evhttp sees the end, and closes */
    peer->since_ns = 0;
}

static void on_look(void *arg)
{
    struct kd_peers *peers = arg;
    int64_t now_ns = kd_now_ns(&kd_system_clock);
    struct peer **link = &peers->first;
    while (*link) {
        struct peer *peer = *link;
        if (peer->fd < 0) {
            link = &peer->next;
        } else if (!is_there(peer)) {
            forget(peers, link);
        } else {
            if (peer->since_ns && now_ns - peer->since_ns >= peers->limits.unfinished_ns) {
                cut_off(peers, peer);
            }
            link = &peer->next;
        }
    }
    for (size_t i = 0; i < peers->n_listeners; i++) {
        if (peers->listeners[i].resting && !kd_peers_full(peers, i)) {
            peers->listeners[i].resting = false;
            (void)evconnlistener_enable(peers->listeners[i].accepting); /* it is disabled */
        }
    }
    kd_timer_start(&peers->look, peers->limits.look_ns);
}

struct kd_peers *kd_peers_new(struct kd_loop *loop, struct kd_metrics *metrics,
                              const char *const *names, size_t n,
                              const struct kd_peers_limits *limits)
{
    const struct kd_family_spec connections = { .type = KD_GAUGE,
                                                .name = "kindred_http_connections",
                                                .help = "Connections of a listener.",
                                                .labels = labels,
                                                .n_labels = 1 };
    const struct kd_family_spec cut = { .type = KD_COUNTER,
                                        .name = "kindred_http_unfinished_total",
                                        .help = "Connections that were closed because their "
                                                "request was not whole in time.",
                                        .labels = labels,
                                        .n_labels = 1 };
    struct kd_peers *peers = kd_zalloc(sizeof(*peers));
    peers->loop = loop;
    peers->limits = *limits;
    peers->n_listeners = n;
    peers->listeners = kd_zalloc_array(n, sizeof(*peers->listeners));
    peers->cut = kd_metrics_family(metrics, &cut);
    for (size_t i = 0; i < n; i++) {
        peers->listeners[i].name = names[i];
        peers->listeners[i].connections =
            kd_family_series(kd_metrics_family(metrics, &connections), &names[i]);
        (void)kd_family_series(peers->cut, &names[i]); /* shown from the beginning, as zero */
    }
    kd_timer_init(&peers->fresh, loop, on_fresh, peers);
    kd_timer_init(&peers->look, loop, on_look, peers);
    kd_timer_start(&peers->look, limits->look_ns);
    return peers;
}

void kd_peers_free(struct kd_peers *peers)
{
    if (!peers) {
        return;
    }
    on_fresh(peers); /* gives the references back */
    while (peers->first) {
        forget(peers, &peers->first);
    }
    kd_timer_release(&peers->fresh);
    kd_timer_release(&peers->look);
    kd_free(peers->listeners);
    kd_free(peers);
}

void kd_peers_listen(struct kd_peers *peers, size_t listener, struct evconnlistener *accepting)
{
    peers->listeners[listener].accepting = accepting;
}

bool kd_peers_full(const struct kd_peers *peers, size_t listener)
{
    return peers->listeners[listener].n >= peers->limits.connections;
}

/* Bytes have come: of a request, unless an answer is being made. */
static void on_bytes(struct evbuffer *buffer, const struct evbuffer_cb_info *info, void *arg)
{
    struct peer *peer = arg;
    (void)buffer;
    if (info->n_added > 0 && !peer->answering && peer->since_ns == 0) {
        peer->since_ns = kd_now_ns(&kd_system_clock);
    }
}

void kd_peers_add(struct kd_peers *peers, size_t listener, struct bufferevent *stream)
{
    struct peer *peer = kd_zalloc(sizeof(*peer));
    peer->peers = peers;
    peer->stream = stream;
    peer->fd = -1;
    peer->listener = listener;
    peer->since_ns = kd_now_ns(&kd_system_clock);
    peer->next = peers->first;
    peers->first = peer;
    bufferevent_incref(stream);
    (void)evbuffer_add_cb(bufferevent_get_input(stream), on_bytes, peer); /* NULL: no memory */
    count(peers, listener, 1);
    if (kd_peers_full(peers, listener)) {
        rest(peers, listener);
    }
    kd_timer_start(&peers->fresh, 0);
}

static struct peer *find(struct kd_peers *peers, struct evhttp_connection *connection)
{
    const struct bufferevent *stream = evhttp_connection_get_bufferevent(connection);
    struct peer *peer = peers ? peers->first : NULL;
    while (peer && peer->stream != stream) { /* the newest first: an address may come again */
        peer = peer->next;
    }
    return peer;
}

void kd_peers_asked(struct kd_peers *peers, struct evhttp_connection *connection)
{
    struct peer *peer = find(peers, connection);
    if (peer) {
        peer->answering = true;
        peer->since_ns = 0;
    }
}

void kd_peers_answered(struct kd_peers *peers, struct evhttp_connection *connection)
{
    struct peer *peer = find(peers, connection);
    if (peer) {
        peer->answering = false;
        peer->since_ns = 0;
    }
}
