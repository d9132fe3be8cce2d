/*
 * The scripted server of tests/wire as a child process. Scripts are written with ' in place of ".
 * Life: wire_start ... wire_stop (ends the process, removes its folder).
 */
#ifndef KD_TESTS_CLIENT_WIRE_SERVER_H
#define KD_TESTS_CLIENT_WIRE_SERVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"

#include <json-c/json.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WIRE_START_MS 60000

struct wire {
    pid_t pid;
    int port;
    char folder[64];
};

struct wire_options {
    const char *host; /* NULL: 127.0.0.1 */
    bool tls;
    bool client_cert; /* clients must show one */
};

/* Path of a file in the server's folder; the caller frees. */
static inline char *wire_path(const struct wire *wire, const char *name)
{
    return kd_path_join(wire->folder, name);
}

static inline char *wire_file(const struct wire *wire, const char *name)
{
    struct kd_buf buf;
    struct kd_error error = { 0 };
    KD_AUTO_FREE char *path = wire_path(wire, name);
    kd_buf_init(&buf, KD_MIB);
    if (kd_file_read(path, &buf, &error) < 0) {
        fail_msg("%s", error.text);
    }
    return kd_buf_steal(&buf);
}

static inline void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline void wire_exec(const struct wire *wire, const struct wire_options *options)
{
    KD_AUTO_FREE char *script = wire_path(wire, "script.json");
    KD_AUTO_FREE char *port = wire_path(wire, "port");
    KD_AUTO_FREE char *log = wire_path(wire, "log");
    const char *args[16] = { "python3",     "-m", "wire",  "--script", script,
                             "--port-file", port, "--log", log,        NULL };
    size_t n = 9;
    const char *source = getenv("KINDRED_SOURCE");
    if (source) {
        KD_AUTO_FREE char *tests = kd_path_join(source, "tests");
        (void)setenv("PYTHONPATH", tests, 1);
    }
    if (options->host) {
        args[n++] = "--host";
        args[n++] = options->host;
    }
    if (options->tls) {
        args[n++] = "--tls";
        args[n++] = "--cert-dir";
        args[n++] = wire->folder;
    }
    if (options->client_cert) {
        args[n++] = "--client-cert";
    }
    args[n] = NULL;
    (void)execvp("python3", (char *const *)(uintptr_t)args);
    _exit(127);
}

/* Waits until the port file has been moved into its place. */
static inline void wire_await(struct wire *wire, int notify_fd)
{
    KD_AUTO_FREE char *path = wire_path(wire, "port");
    struct stat info;
    while (stat(path, &info) != 0) {
        char events[4096];
        struct pollfd wait = { .fd = notify_fd, .events = POLLIN };
        assert_int_equal(poll(&wait, 1, WIRE_START_MS), 1);
        assert_true(read(notify_fd, events, sizeof(events)) > 0);
    }
    KD_AUTO_FREE char *text = wire_file(wire, "port");
    uint64_t port = 0;
    assert_true(kd_str_to_u64(kd_str_trim(kd_str_from(text)), &port));
    wire->port = (int)port;
}

static inline void wire_start(struct wire *wire, const char *script, struct wire_options options)
{
    *wire = (struct wire){ .folder = "/tmp/kd-wire-XXXXXX" };
    assert_non_null(mkdtemp(wire->folder));
    KD_AUTO_FREE char *text = kd_strdup(script);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    KD_AUTO_FREE char *path = wire_path(wire, "script.json");
    write_file(path, text);
    int notify_fd = inotify_init1(IN_CLOEXEC);
    assert_true(notify_fd >= 0);
    assert_true(inotify_add_watch(notify_fd, wire->folder, IN_MOVED_TO) >= 0);
    wire->pid = fork();
    assert_true(wire->pid >= 0);
    if (wire->pid == 0) {
        wire_exec(wire, &options);
    }
    wire_await(wire, notify_fd);
    assert_int_equal(close(notify_fd), 0);
}

static inline void wire_stop(struct wire *wire)
{
    static const char *const names[] = { "script.json", "port",       "log",        "ca.crt",
                                         "ca.key",      "ca.srl",     "server.crt", "server.key",
                                         "client.crt",  "client.key", "token" };
    assert_int_equal(kill(wire->pid, SIGTERM), 0);
    assert_int_equal(waitpid(wire->pid, NULL, 0), wire->pid);
    for (size_t i = 0; i < KD_ARRAY_LEN(names); i++) {
        KD_AUTO_FREE char *path = wire_path(wire, names[i]);
        (void)unlink(path); /* most servers have only some of them */
    }
    assert_int_equal(rmdir(wire->folder), 0);
}

/* Number `n` of the requests to `path`, from 0; NULL when there were not so many. The caller puts.
 */
static inline struct json_object *wire_request(const struct wire *wire, const char *path, size_t n)
{
    KD_AUTO_FREE char *text = wire_file(wire, "log");
    struct kd_str rest = kd_str_from(text);
    while (rest.len > 0) {
        KD_AUTO_FREE char *line = kd_str_dup(kd_str_cut(&rest, '\n'));
        struct json_object *entry = json_tokener_parse(line);
        const char *got = json_object_get_string(json_object_object_get(entry, "path"));
        if (got && strcmp(got, path) == 0 && n-- == 0) {
            return entry;
        }
        json_object_put(entry);
    }
    return NULL;
}

static inline bool wire_saw(const struct wire *wire, const char *path, size_t n)
{
    struct json_object *entry = wire_request(wire, path, n);
    bool saw = entry != NULL;
    json_object_put(entry);
    return saw;
}

/* A header (lower case) of that request; NULL when it has none. The caller frees. */
static inline char *wire_header(const struct wire *wire, const char *path, size_t n,
                                const char *name)
{
    struct json_object *entry = wire_request(wire, path, n);
    assert_non_null(entry);
    struct json_object *headers = json_object_object_get(entry, "headers");
    const char *value = json_object_get_string(json_object_object_get(headers, name));
    char *copy = value ? kd_strdup(value) : NULL;
    json_object_put(entry);
    return copy;
}

static inline void assert_header(const struct wire *wire, const char *path, size_t n,
                                 const char *name, const char *expected)
{
    KD_AUTO_FREE char *value = wire_header(wire, path, n, name);
    if (!expected) {
        assert_null(value);
        return;
    }
    assert_non_null(value);
    assert_string_equal(value, expected);
}

#endif
