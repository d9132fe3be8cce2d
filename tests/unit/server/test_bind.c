/* Listening sockets from bind texts. */
#include "server/bind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct place {
    char folder[64];
    char *path;
    char *bind;
};

static int setup(void **state)
{
    struct place *place = kd_zalloc(sizeof(*place));
    (void)snprintf(place->folder, sizeof(place->folder), "/tmp/kd-test-bind-XXXXXX");
    *state = place;
    if (!mkdtemp(place->folder)) {
        return -1;
    }
    place->path = kd_asprintf("%s/s", place->folder);
    place->bind = kd_asprintf("unix:%s", place->path);
    return 0;
}

static int teardown(void **state)
{
    struct place *place = *state;
    (void)unlink(place->path); /* most tests leave one */
    int rc = rmdir(place->folder);
    kd_free(place->path);
    kd_free(place->bind);
    kd_free(place);
    return rc;
}

static int listen_at(const char *bind_text)
{
    struct kd_error error = { 0 };
    int fd = -1;
    if (kd_bind_listen(bind_text, "api", &fd, &error) < 0) {
        fail_msg("%s", error.text);
    }
    return fd;
}

static void assert_fails(const char *bind_text, int code, const char *why)
{
    struct kd_error error = { 0 };
    int fd = 7;
    assert_int_equal(kd_bind_listen(bind_text, "api", &fd, &error), code);
    assert_int_equal(fd, -1);
    assert_non_null(strstr(error.text, "api.bind"));
    assert_non_null(strstr(error.text, bind_text));
    if (!strstr(error.text, why)) {
        fail_msg("\"%s\" is not in \"%s\"", why, error.text);
    }
}

static int connect_unix(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    memcpy(address.sun_path, path, strlen(path));
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
        (void)close(fd); /* never used */
        return -1;
    }
    return fd;
}

static void test_off(void **state)
{
    (void)state;
    assert_int_equal(listen_at("0"), -1);
    assert_int_equal(listen_at(""), -1);
    assert_null(kd_bind_unix_path(":8080"));
    assert_string_equal(kd_bind_unix_path("unix:/a/b"), "/a/b");
}

static void test_unix_mode(void **state)
{
    const struct place *place = *state;
    static const mode_t masks[] = { 0, 022, 077, 0777 };
    for (size_t i = 0; i < KD_ARRAY_LEN(masks); i++) {
        struct stat info;
        mode_t before = umask(masks[i]);
        int fd = listen_at(place->bind);
        assert_int_equal(umask(before), masks[i]); /* left as it was */
        assert_int_equal(stat(place->path, &info), 0);
        assert_true(S_ISSOCK(info.st_mode));
        assert_int_equal(info.st_mode & 07777, 0660);
        assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
        assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
        int peer = connect_unix(place->path);
        assert_true(peer >= 0);
        assert_int_equal(close(peer), 0);
        assert_int_equal(close(fd), 0); /* the file stays: stale in the next round */
    }
}

static void test_a_live_socket_is_busy(void **state)
{
    const struct place *place = *state;
    int fd = listen_at(place->bind);
    assert_fails(place->bind, KD_EBUSY, "another process serves it");
    int peer = connect_unix(place->path); /* still the first one's */
    assert_true(peer >= 0);
    assert_int_equal(close(peer), 0);
    assert_int_equal(close(fd), 0);
}

static void test_a_live_socket_with_a_full_backlog_is_busy(void **state)
{
    const struct place *place = *state;
    int peers[4096];
    size_t n = 0;
    int fd = listen_at(place->bind);
    assert_int_equal(listen(fd, 0), 0);
    while (n < KD_ARRAY_LEN(peers) && (peers[n] = connect_unix(place->path)) >= 0) {
        n++;
    }
    assert_true(n < KD_ARRAY_LEN(peers));
    assert_fails(place->bind, KD_EBUSY, "another process serves it");
    assert_int_equal(access(place->path, F_OK), 0);
    while (n > 0) {
        assert_int_equal(close(peers[--n]), 0);
    }
    assert_int_equal(close(fd), 0);
}

static void test_a_stale_socket_is_replaced(void **state)
{
    const struct place *place = *state;
    int fd = listen_at(place->bind);
    assert_int_equal(close(fd), 0);
    assert_int_equal(connect_unix(place->path), -1);
    fd = listen_at(place->bind);
    int peer = connect_unix(place->path);
    assert_true(peer >= 0);
    assert_int_equal(close(peer), 0);
    assert_int_equal(close(fd), 0);
}

static void test_another_file_is_left_alone(void **state)
{
    const struct place *place = *state;
    struct stat info;
    int file = open(place->path, O_CREAT | O_WRONLY, 0600);
    assert_int_equal(write(file, "keep", 4), 4);
    assert_int_equal(close(file), 0);
    assert_fails(place->bind, KD_ECONFIG, "no socket");
    assert_int_equal(stat(place->path, &info), 0);
    assert_int_equal(info.st_size, 4);
}

static void test_bad_unix_paths(void **state)
{
    (void)state;
    char long_path[300] = "unix:/tmp/";
    memset(long_path + 10, 'x', 200);
    assert_fails("unix:", KD_ECONFIG, "empty or too long");
    assert_fails(long_path, KD_ECONFIG, "empty or too long");
    assert_fails("unix:/nonexistent/folder/s", KD_ECONFIG, "No such file");
}

static uint16_t port_of(int fd, int family)
{
    struct sockaddr_storage address;
    socklen_t len = sizeof(address);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    assert_int_equal(address.ss_family, family);
    uint16_t port = family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                       : ((struct sockaddr_in *)&address)->sin_port;
    return ntohs(port);
}

static bool reaches(int family, uint16_t port)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET,
                              .sin_port = htons(port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
                               .sin6_port = htons(port),
                               .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    int fd = socket(family, SOCK_STREAM, 0);
    int rc = family == AF_INET ? connect(fd, (struct sockaddr *)&v4, sizeof(v4))
                               : connect(fd, (struct sockaddr *)&v6, sizeof(v6));
    (void)close(fd); /* only asked whether it is there */
    return rc == 0;
}

static bool has_ipv6(void)
{
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    bool has = fd >= 0 && bind(fd, (struct sockaddr *)&v6, sizeof(v6)) == 0;
    if (fd >= 0) {
        (void)close(fd); /* only asked */
    }
    return has;
}

static void test_ipv4(void **state)
{
    (void)state;
    int fd = listen_at("127.0.0.1:0");
    uint16_t port = port_of(fd, AF_INET);
    assert_true(reaches(AF_INET, port));
    assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
    char *taken = kd_asprintf("127.0.0.1:%u", (unsigned)port);
    assert_fails(taken, KD_ECONFIG, "Address already in use");
    assert_int_equal(close(fd), 0);
    fd = listen_at(taken); /* free again at once */
    assert_int_equal(close(fd), 0);
    kd_free(taken);
}

static void test_ipv6(void **state)
{
    (void)state;
    if (!has_ipv6()) {
        skip();
    }
    int fd = listen_at("[::1]:0");
    uint16_t port = port_of(fd, AF_INET6);
    assert_true(reaches(AF_INET6, port));
    char *taken = kd_asprintf("[::1]:%u", (unsigned)port);
    assert_fails(taken, KD_ECONFIG, "Address already in use");
    assert_int_equal(close(fd), 0);
    kd_free(taken);
}

static void test_every_address(void **state)
{
    (void)state;
    int fd = listen_at(":0");
    if (has_ipv6()) {
        uint16_t port = port_of(fd, AF_INET6);
        assert_true(reaches(AF_INET6, port));
        assert_true(reaches(AF_INET, port)); /* one socket takes both */
    } else {
        assert_true(reaches(AF_INET, port_of(fd, AF_INET)));
    }
    assert_int_equal(close(fd), 0);
}

static void test_bad_addresses(void **state)
{
    (void)state;
    assert_fails("nonsense", KD_ECONFIG, "neither HOST:PORT nor unix:PATH");
    assert_fails("127.0.0.1:http", KD_ECONFIG, "free it or choose another");
    assert_fails("192.0.2.1:0", KD_ECONFIG, "Cannot assign requested address");
}

#define PLACE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_off),
        PLACE_TEST(test_unix_mode),
        PLACE_TEST(test_a_live_socket_is_busy),
        PLACE_TEST(test_a_live_socket_with_a_full_backlog_is_busy),
        PLACE_TEST(test_a_stale_socket_is_replaced),
        PLACE_TEST(test_another_file_is_left_alone),
        PLACE_TEST(test_bad_unix_paths),
        PLACE_TEST(test_ipv4),
        PLACE_TEST(test_ipv6),
        PLACE_TEST(test_every_address),
        PLACE_TEST(test_bad_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
