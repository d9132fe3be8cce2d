/* A plain HTTP client on a unix socket that sees every byte of an answer. */
#ifndef KD_TESTS_SERVER_PEER_H
#define KD_TESTS_SERVER_PEER_H

#include "base/alloc.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define PEER_PATIENCE_S 120

struct peer {
    int fd;
    struct kd_buf in;
    size_t at; /* what of `in` is taken */
};

struct reply {
    int status;
    bool complete; /* the body came to its end */
    bool chunked;
    char *type;
    struct kd_buf body;
};

static inline void peer_open(struct peer *peer, const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const struct timeval patience = { PEER_PATIENCE_S, 0 };
    *peer = (struct peer){ .fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) };
    kd_buf_init(&peer->in, KD_GIB);
    assert_true(peer->fd >= 0);
    assert_true(strlen(path) < sizeof(address.sun_path));
    memcpy(address.sun_path, path, strlen(path));
    assert_int_equal(setsockopt(peer->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
    assert_int_equal(connect(peer->fd, (const struct sockaddr *)&address, sizeof(address)), 0);
}

static inline void peer_close(struct peer *peer)
{
    (void)close(peer->fd); /* nothing to lose */
    kd_buf_release(&peer->in);
}

static inline void peer_send(struct peer *peer, const char *text)
{
    size_t len = strlen(text);
    assert_int_equal(send(peer->fd, text, len, MSG_NOSIGNAL), (ssize_t)len);
}

static inline void peer_request(struct peer *peer, const char *method, const char *target)
{
    char *text = kd_asprintf("%s %s HTTP/1.1\r\nHost: kindred\r\n\r\n", method, target);
    peer_send(peer, text);
    kd_free(text);
}

/* False at the end of the stream; a peer without patience fails the test. */
static inline bool peer_fill(struct peer *peer)
{
    char chunk[65536];
    ssize_t n = recv(peer->fd, chunk, sizeof(chunk), 0);
    if (n < 0 && errno == EAGAIN) {
        fail_msg("nothing came for %d s", PEER_PATIENCE_S);
    }
    if (n <= 0) {
        return false;
    }
    assert_int_equal(kd_buf_put(&peer->in, chunk, (size_t)n), 0);
    return true;
}

/* The next line without its end, NUL-terminated in place; NULL when the stream ends before it. */
static inline char *peer_line(struct peer *peer)
{
    for (;;) {
        char *start = peer->in.ptr ? peer->in.ptr + peer->at : NULL;
        char *end = start ? memchr(start, '\n', peer->in.len - peer->at) : NULL;
        if (end) {
            *end = '\0';
            if (end > start && end[-1] == '\r') {
                end[-1] = '\0';
            }
            peer->at = (size_t)(end - peer->in.ptr) + 1;
            return start;
        }
        if (!peer_fill(peer)) {
            return NULL;
        }
    }
}

static inline bool peer_take(struct peer *peer, size_t len, struct kd_buf *out)
{
    while (peer->in.len - peer->at < len) {
        if (!peer_fill(peer)) {
            return false;
        }
    }
    assert_int_equal(kd_buf_put(out, peer->in.ptr + peer->at, len), 0);
    peer->at += len;
    return true;
}

/* One chunk of the body; 1, 0 for the last one, -1 when the stream ends. */
static inline int peer_chunk(struct peer *peer, struct kd_buf *out)
{
    const char *line = peer_line(peer);
    if (!line) {
        return -1;
    }
    size_t len = strtoul(line, NULL, 16);
    if (len > 0 && !peer_take(peer, len, out)) {
        return -1;
    }
    line = peer_line(peer);
    if (!line) {
        return -1;
    }
    assert_string_equal(line, "");
    return len > 0;
}

/* Status line and header; the length of the body, -1 for chunks or none stated. */
static inline int64_t peer_head(struct peer *peer, struct reply *reply)
{
    int64_t len = -1;
    const char *line = peer_line(peer);
    *reply =
        (struct reply){ .status = line ? (int)strtol(line + strlen("HTTP/1.1 "), NULL, 10) : 0 };
    kd_buf_init(&reply->body, KD_GIB);
    while (line && (line = peer_line(peer)) && *line) {
        if (strncasecmp(line, "Content-Length: ", 16) == 0) {
            len = strtol(line + 16, NULL, 10);
        } else if (strcasecmp(line, "Transfer-Encoding: chunked") == 0) {
            reply->chunked = true;
        } else if (strncasecmp(line, "Content-Type: ", 14) == 0) {
            reply->type = kd_strdup(line + 14);
        }
    }
    return len;
}

static inline void reply_release(struct reply *reply)
{
    kd_buf_release(&reply->body);
    reply->type = kd_free(reply->type);
}

/* Status 0 when the stream ends before an answer. */
static inline void peer_read(struct peer *peer, struct reply *reply)
{
    int64_t len = peer_head(peer, reply);
    if (reply->chunked) {
        int more;
        while ((more = peer_chunk(peer, &reply->body)) > 0) {
        }
        reply->complete = more == 0;
    } else if (len >= 0) {
        reply->complete = peer_take(peer, (size_t)len, &reply->body);
    }
    assert_int_equal(kd_buf_reserve(&reply->body, 0), 0);
}

/* A request on a connection of its own. */
static inline struct reply ask(const char *path, const char *method, const char *target)
{
    struct peer peer;
    struct reply reply;
    peer_open(&peer, path);
    peer_request(&peer, method, target);
    peer_read(&peer, &reply);
    peer_close(&peer);
    return reply;
}

/* How often `part` stands in the text. */
static inline size_t count_of(const struct kd_buf *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text->ptr; (at = strstr(at, part)); at += strlen(part)) {
        n++;
    }
    return n;
}

static inline void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("\"%s\" is not in \"%s\"", part, text);
    }
}

#endif
