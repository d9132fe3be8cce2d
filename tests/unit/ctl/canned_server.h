/*
 * A server on a unix socket that answers the n-th request with the n-th text and closes. Requests
 * are kept for looking at. One thread, ended by the test.
 */
#ifndef KD_TESTS_CANNED_SERVER_H
#define KD_TESTS_CANNED_SERVER_H

#include "ctl_test.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define CANNED_MAX 8

struct canned_server {
    char folder[64];
    char address[128]; /* "unix:..." */
    const char *path;  /* within address */
    int listener;
    pthread_t thread;
    const char *answers[CANNED_MAX];
    size_t n_answers;
    char requests[CANNED_MAX][2048]; /* first lines; read them after the end */
    size_t n_requests;
};

static inline void canned_answer(struct canned_server *server, int fd)
{
    char *request = server->requests[server->n_requests];
    size_t len = 0;
    while (len < sizeof(server->requests[0]) - 1) {
        ssize_t n = read(fd, request + len, sizeof(server->requests[0]) - 1 - len);
        if (n <= 0) {
            return;
        }
        len += (size_t)n;
        request[len] = '\0';
        if (strstr(request, "\r\n\r\n")) {
            break;
        }
    }
    const char *answer = server->answers[server->n_requests++];
    size_t left = strlen(answer);
    while (left > 0) {
        ssize_t n = send(fd, answer, left, MSG_NOSIGNAL);
        if (n <= 0) {
            return;
        }
        answer += n;
        left -= (size_t)n;
    }
}

static inline void *canned_main(void *arg)
{
    struct canned_server *server = arg;
    while (server->n_requests < server->n_answers) {
        int fd = accept(server->listener, NULL, NULL);
        if (fd < 0) {
            break; /* shut down by the test */
        }
        canned_answer(server, fd);
        (void)close(fd);
    }
    return NULL;
}

static inline void canned_start(struct canned_server *server)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    (void)snprintf(server->folder, sizeof(server->folder), "/tmp/kd-ctl-test.XXXXXX");
    assert_non_null(mkdtemp(server->folder));
    (void)snprintf(server->address, sizeof(server->address), "unix:%s/s", server->folder);
    server->path = server->address + 5;
    memcpy(address.sun_path, server->path, strlen(server->path) + 1);
    server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(server->listener >= 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(server->listener, 8), 0);
    assert_int_equal(pthread_create(&server->thread, NULL, canned_main, server), 0);
}

static inline void canned_stop(struct canned_server *server)
{
    (void)shutdown(server->listener, SHUT_RDWR); /* wakes an accept that still waits */
    assert_int_equal(pthread_join(server->thread, NULL), 0);
    (void)close(server->listener);
    (void)unlink(server->path);
    (void)rmdir(server->folder);
}

#endif
