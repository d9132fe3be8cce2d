/*
 * The connections of the listeners: how many there are, and how long each has been sending a
 * request that is not whole. Idle time-outs are evhttp's, but a peer that trickles outlives them:
 * here its request must be whole within a time, counted from the connection's beginning, then from
 * each first byte after an answer. A listener with as many connections as it may have accepts no
 * more until one has gone; the kernel keeps the next ones waiting.
 *
 * evhttp tells nobody when it closes a connection, so descriptors are looked at once a second.
 * Thread: the loop's.
 */
#ifndef KD_SERVER_PEERS_H
#define KD_SERVER_PEERS_H

#include "base/loop.h"
#include "metrics/metrics.h"

struct bufferevent;
struct evconnlistener;
struct evhttp_connection;
struct kd_peers;

struct kd_peers_limits {
    unsigned connections;  /* of one listener */
    int64_t unfinished_ns; /* for a request to be whole */
    int64_t look_ns;       /* between two looks */
};

/* `names` are the listeners', for the metrics; borrowed. */
struct kd_peers *kd_peers_new(struct kd_loop *loop, struct kd_metrics *metrics,
                              const char *const *names, size_t n,
                              const struct kd_peers_limits *limits);
void kd_peers_free(struct kd_peers *peers);
/* The listener that is to rest when it has too many. Borrowed; NULL: none any more. */
void kd_peers_listen(struct kd_peers *peers, size_t listener, struct evconnlistener *accepting);
bool kd_peers_full(const struct kd_peers *peers, size_t listener);
/* A stream for a connection that is being accepted, without a descriptor yet. */
void kd_peers_add(struct kd_peers *peers, size_t listener, struct bufferevent *stream);
/* Its request is whole; its answer is out. NULL peers: nobody counts. */
void kd_peers_asked(struct kd_peers *peers, struct evhttp_connection *connection);
void kd_peers_answered(struct kd_peers *peers, struct evhttp_connection *connection);

#endif
