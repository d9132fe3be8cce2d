#include "server/bind.h"

#include "base/alloc.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 128

const char *kd_bind_unix_path(const char *bind)
{
    return strncmp(bind, "unix:", 5) == 0 ? bind + 5 : NULL;
}

static int fail(struct kd_error *reterr, const char *what, const char *bind, const char *why)
{
    return kd_fail(reterr, KD_ECONFIG, "%s.bind = \"%s\": %s; free it or choose another", what,
                   bind, why);
}

static int new_socket(int family)
{
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Refused is the answer of a socket that nobody serves; any other trouble is a busy or a foreign
 * one. */
static bool is_stale(const struct sockaddr_un *address)
{
    int fd = new_socket(AF_UNIX);
    bool stale = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 &&
                 errno == ECONNREFUSED;
    if (fd >= 0) {
        (void)close(fd); /* only asked whether somebody is there */
    }
    return stale;
}

/* Takes away what an ended process left at the path, and nothing else. */
static int make_room(const char *bind_text, const struct sockaddr_un *address, const char *what,
                     struct kd_error *reterr)
{
    struct stat info;
    if (lstat(address->sun_path, &info) < 0) {
        return 0; /* bind says what is wrong if it is more than not there */
    }
    if (!S_ISSOCK(info.st_mode)) {
        return fail(reterr, what, bind_text, "what is at the path is no socket");
    }
    if (!is_stale(address)) {
        return kd_fail(reterr, KD_EBUSY, "%s.bind = \"%s\": another process serves it", what,
                       bind_text);
    }
    (void)unlink(address->sun_path); /* else bind fails and says so */
    return 0;
}

/* Nobody can connect before listen, so the mode is right from the first connection on. */
static bool open_unix(int fd, const struct sockaddr_un *address)
{
    if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0) {
        return false;
    }
    if (chmod(address->sun_path, 0660) == 0 && listen(fd, BACKLOG) == 0) {
        return true;
    }
    int code = errno;
    (void)unlink(address->sun_path); /* ours, and never used */
    errno = code;
    return false;
}

static int listen_unix(const char *bind_text, const char *path, const char *what, int *ret,
                       struct kd_error *reterr)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    size_t len = strlen(path);
    if (len == 0 || len >= sizeof(address.sun_path)) {
        return fail(reterr, what, bind_text, "the socket's path is empty or too long");
    }
    memcpy(address.sun_path, path, len);
    KD_TRY(make_room(bind_text, &address, what, reterr));
    int fd = new_socket(AF_UNIX);
    if (fd < 0 || !open_unix(fd, &address)) {
        int code = errno;
        if (fd >= 0) {
            (void)close(fd); /* never used */
        }
        return fail(reterr, what, bind_text, strerror(code));
    }
    *ret = fd;
    return 0;
}

/* Splits "HOST:PORT"; host is NULL for ":PORT". The result is the caller's. */
static char *split_host(const char *bind_text, const char **ret_host, const char **ret_port)
{
    char *copy = kd_strdup(bind_text);
    char *colon = strrchr(copy, ':');
    if (!colon) {
        return kd_free(copy);
    }
    *colon = '\0';
    *ret_port = colon + 1;
    size_t len = strlen(copy);
    char *host = copy;
    if (len >= 2 && host[0] == '[' && host[len - 1] == ']') {
        host[len - 1] = '\0';
        host++;
    }
    *ret_host = *host ? host : NULL;
    return copy;
}

static int try_address(const struct addrinfo *info)
{
    int on = 1;
    int off = 0;
    int fd = new_socket(info->ai_family);
    if (fd < 0) {
        return -1;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)); /* a convenience only */
    if (info->ai_family == AF_INET6) {
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)); /* likewise */
    }
    if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0) {
        return fd;
    }
    int code = errno;
    (void)close(fd); /* never used */
    errno = code;
    return -1;
}

static int listen_tcp(const char *bind_text, const char *what, int *ret, struct kd_error *reterr)
{
    const char *host = NULL;
    const char *port = NULL;
    struct addrinfo *list = NULL;
    struct addrinfo hints = { .ai_family = AF_UNSPEC,
                              .ai_socktype = SOCK_STREAM,
                              .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
    char *copy = split_host(bind_text, &host, &port);
    if (!copy) {
        return fail(reterr, what, bind_text, "neither HOST:PORT nor unix:PATH");
    }
    int rc = getaddrinfo(host, port, &hints, &list);
    kd_free(copy);
    if (rc != 0) {
        return fail(reterr, what, bind_text, gai_strerror(rc));
    }
    int fd = -1;
    for (int pass = 0; pass < 2 && fd < 0; pass++) { /* IPv6 first: it takes IPv4 too */
        int family = pass == 0 ? AF_INET6 : AF_INET;
        for (const struct addrinfo *i = list; i && fd < 0; i = i->ai_next) {
            fd = i->ai_family == family ? try_address(i) : -1;
        }
    }
    int code = errno;
    freeaddrinfo(list);
    if (fd < 0) {
        return fail(reterr, what, bind_text, strerror(code));
    }
    *ret = fd;
    return 0;
}

int kd_bind_listen(const char *bind_text, const char *what, int *ret, struct kd_error *reterr)
{
    const char *path = kd_bind_unix_path(bind_text);
    *ret = -1;
    if (bind_text[0] == '\0' || strcmp(bind_text, "0") == 0) {
        return 0;
    }
    return path ? listen_unix(bind_text, path, what, ret, reterr)
                : listen_tcp(bind_text, what, ret, reterr);
}
