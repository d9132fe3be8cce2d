/* Commands against a server with canned answers: what is asked, what is shown, what goes wrong. */
#include "canned_server.h"

#include "ctl/commands.h"

#include <fcntl.h>
#include <signal.h>

#define OK "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
#define POD(ns, name)                                                                              \
    "{\"ref\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\",\"namespace\":\"" ns             \
    "\",\"name\":\"" name "\",\"uid\":\"\"},\"labels\":{},\"createdAt\":\"\","                     \
    "\"data\":{\"n\":100000000000000000000000}}"
#define LIST(items, more) "{\"items\":[" items "],\"continue\":\"" more "\",\"seq\":7}\n"

struct run {
    struct canned_server server;
    struct kd_ctl_options options;
    struct kd_error error;
    int code;
    struct kd_buf output; /* all that was written */
};

static int64_t stopped(void *arg)
{
    (void)arg;
    return 0;
}

static const struct kd_clock stopped_clock = { stopped, stopped, NULL };

static void read_back(int fd, struct kd_buf *output)
{
    char chunk[4096];
    ssize_t n;
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    while ((n = read(fd, chunk, sizeof(chunk))) > 0) {
        assert_int_equal(kd_buf_put(output, chunk, (size_t)n), 0);
    }
    assert_int_equal(kd_buf_puts(output, ""), 0);
}

/* Runs a command; fd < 0: into a file that is read back. */
static void run(struct run *run, int (*command)(struct kd_ctl_session *, struct kd_error *), int fd)
{
    struct kd_ctl_address address;
    FILE *file = fd < 0 ? tmpfile() : NULL;
    canned_start(&run->server);
    assert_int_equal(kd_ctl_address_parse(run->server.address, &address, NULL), 0);
    struct kd_ctl_session session = {
        .options = &run->options,
        .address = &address,
        .http = kd_ctl_http_new(&address),
        .clock = &stopped_clock,
        .fd = file ? fileno(file) : fd,
    };
    kd_buf_init(&session.out, KD_MIB);
    kd_buf_init(&run->output, KD_MIB);
    run->code = command(&session, &run->error);
    if (run->code == 0) {
        run->code = kd_ctl_flush(&session, &run->error);
    }
    kd_ctl_http_free(session.http);
    kd_buf_release(&session.out);
    canned_stop(&run->server);
    if (file) {
        read_back(session.fd, &run->output);
        (void)fclose(file);
    }
}

static void assert_request(const struct run *run, size_t i, const char *target)
{
    char *line = kd_asprintf("GET %s HTTP/1.1\r\n", target);
    assert_true(i < run->server.n_requests);
    if (strncmp(run->server.requests[i], line, strlen(line)) != 0) {
        fail_msg("asked %s", run->server.requests[i]);
    }
    kd_free(line);
}

static void assert_done(struct run *r, const char *expected)
{
    assert_string_equal(r->error.text, "");
    assert_int_equal(r->code, 0);
    assert_int_equal(r->server.n_requests, r->server.n_answers);
    assert_out(&r->output, expected);
}

static void assert_failed(struct run *r, int code, const char *word)
{
    assert_int_equal(r->code, code);
    if (!strstr(r->error.text, word)) {
        fail_msg("\"%s\"", r->error.text);
    }
    assert_out(&r->output, "");
}

static void pages_are_followed(void **state)
{
    struct run r = { .server = { .answers = { OK LIST(POD("a", "x") "," POD("a", "y"), "t&1"),
                                              OK LIST(POD("b", "z"), "") },
                                 .n_answers = 2 },
                     .options = { .format = KD_CTL_NAME, .kind = "po", .labels = "a in (b)" } };
    (void)state;
    run(&r, kd_ctl_run_get, -1);
    assert_request(&r, 0, "/api/v1/resources?limit=1000&kind=po&labelSelector=a%20in%20%28b%29");
    assert_request(&r, 1,
                   "/api/v1/resources?limit=1000&kind=po&labelSelector=a%20in%20%28b%29"
                   "&continue=t%261");
    assert_done(&r, "Pod/a/x\nPod/a/y\nPod/b/z\n");
}

static void lists_and_objects(void **state)
{
    static const struct {
        enum kd_ctl_format format;
        const char *name;
        const char *items;
        const char *begins;
    } rows[] = {
        { KD_CTL_JSON, NULL, LIST("", ""), "{\n  \"items\": []\n}\n" },
        { KD_CTL_YAML, NULL, LIST("", ""), "items: []\n" },
        { KD_CTL_JSON, NULL, LIST(POD("a", "x"), ""),
          "{\n  \"items\": [\n    {\n      \"ref\": {" },
        { KD_CTL_YAML, NULL, LIST(POD("a", "x"), ""), "items:\n- ref:\n    group: \"\"\n" },
        { KD_CTL_JSON, "x", LIST(POD("a", "x"), ""), "{\n  \"ref\": {\n    \"group\": \"\"," },
        { KD_CTL_YAML, "x", LIST(POD("a", "x"), ""), "ref:\n  group: \"\"\n" },
        { KD_CTL_TABLE, "x", LIST(POD("a", "x") "," POD("b", "x"), ""),
          "NAMESPACE   NAME   READY   STATUS   RESTARTS   NODE   AGE\n"
          "a           x      -       -        -          -      -\n"
          "b           x      -       -        -          -      -\n" },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        char *answer = kd_asprintf(OK "%s", rows[i].items);
        struct run r = { .server = { .answers = { answer }, .n_answers = 1 },
                         .options = {
                             .format = rows[i].format, .kind = "pod", .name = rows[i].name } };
        run(&r, kd_ctl_run_get, -1);
        assert_int_equal(r.code, 0);
        assert_int_equal(strncmp(r.output.ptr, rows[i].begins, strlen(rows[i].begins)), 0);
        bool data = strstr(rows[i].items, "data") && rows[i].format != KD_CTL_TABLE;
        assert_int_equal(strstr(r.output.ptr, "100000000000000000000000") != NULL, data);
        kd_buf_release(&r.output);
        kd_free(answer);
    }
}

static void failures_are_told(void **state)
{
    static const struct {
        const char *answer;
        int code;
        const char *word;
    } rows[] = {
        { OK LIST("", ""), KD_ENOENT, "no pod \"x\" is in the graph" },
        { OK LIST(POD("a", "x") "," POD("b", "x"), ""), KD_EINVAL, "-n (a, b)" },
        { "HTTP/1.1 404 Not Found\r\nContent-Length: 16\r\n\r\n{\"error\":\"gone\"}", KD_EHTTP,
          "gone" },
        { "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\n\r\nlost", KD_EHTTP, "502" },
        { "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"items\":[", KD_ENET, "cut off" },
        { OK "{\"items\":[" POD("a", "x"), KD_EPARSE, "cut off" },
        { OK "<html>", KD_EPARSE, "expected" },
        { OK "{\"items\":[{\"ref\":nil}]}", KD_EPARSE, "" },
        { "", KD_ENET, "cannot reach" },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        struct run r = { .server = { .answers = { rows[i].answer }, .n_answers = 1 },
                         .options = { .format = KD_CTL_JSON, .kind = "pod", .name = "x" } };
        run(&r, kd_ctl_run_get, -1);
        assert_failed(&r, rows[i].code, rows[i].word);
    }
}

static void a_root_is_looked_up(void **state)
{
    struct run r = {
        .server = { .answers = { OK LIST(POD("a", "x") "," POD("b", "x"), ""),
                                 OK
                                 "{\"root\":{\"kind\":\"Pod\",\"namespace\":\"b\",\"name\":\"x\"},"
                                 "\"nodes\":[{\"ref\":{\"kind\":\"Pod\",\"namespace\":\"b\","
                                 "\"name\":\"x\"},\"depth\":0,\"present\":true}],"
                                 "\"relationships\":[]}",
                                 OK LIST("{\"ref\":{\"kind\":\"Pod\",\"group\":\"\",\"namespace\":"
                                         "\"b\"},\"data\":{\"status\":{\"phase\":\"Failed\"}}}",
                                         "") },
                    .n_answers = 3 },
        .options = { .format = KD_CTL_TREE, .root = { "po", "b", "x" }, .depth = 10 }
    };
    (void)state;
    run(&r, kd_ctl_run_graph, -1);
    assert_request(&r, 0, "/api/v1/resources?limit=1000&kind=po&name=x");
    assert_request(&r, 1, "/api/v1/graph?depth=10&root=Pod.%2Fb%2Fx&direction=out");
    assert_request(&r, 2, "/api/v1/resources?limit=1000&kind=Pod.&namespace=b&name=x");
    assert_done(&r, "Pod b/x  Failed\n");
}

static void changes_are_lines(void **state)
{
    static const char feed[] =
        OK "{\"seq\":8,\"type\":\"put\",\"resource\":{\"kind\":\"Pod\",\"namespace\":\"a\","
           "\"name\":\"x\"}}\n"
           "{\"seq\":9,\"type\":\"relate\",\"relation\":{\"predicate\":{\"type\":\"P\"},"
           "\"subject\":{\"kind\":\"Pod\",\"namespace\":\"a\",\"name\":\"x\"},"
           "\"object\":{\"kind\":\"Node\",\"namespace\":\"\",\"name\":\"n\"}}}\n";
    struct run r = { .server = { .answers = { feed }, .n_answers = 1 },
                     .options = { .since = 7, .has_since = true } };
    (void)state;
    run(&r, kd_ctl_run_changes, -1);
    assert_request(&r, 0, "/api/v1/changes?since=7");
    assert_done(&r, "SEQ         TYPE       WHAT\n"
                    "8           put        Pod a/x\n"
                    "9           relate     P Pod a/x -> Node n\n");
    struct run follow = { .server = { .answers = { feed }, .n_answers = 1 },
                          .options = { .format = KD_CTL_JSON, .follow = true } };
    run(&follow, kd_ctl_run_changes, -1);
    assert_request(&follow, 0, "/api/v1/changes?since=0&follow=1");
    assert_int_equal(follow.code, KD_ENET);
    assert_non_null(strstr(follow.error.text, "--since 9"));
    assert_out(&follow.output, feed + sizeof(OK) - 1);
}

static void a_feed_without_its_beginning_is_followed_from_now(void **state)
{
    struct run r = { .server = { .answers = { "HTTP/1.1 410 Gone\r\nContent-Length: 15\r\n\r\n"
                                              "{\"error\":\"old\"}",
                                              OK LIST("", ""),
                                              OK "{\"seq\":8,\"type\":\"put\"}\n" },
                                 .n_answers = 3 },
                     .options = { .format = KD_CTL_JSON, .follow = true } };
    (void)state;
    run(&r, kd_ctl_run_changes, -1);
    assert_request(&r, 2, "/api/v1/changes?since=7&follow=1");
    assert_out(&r.output, "{\"seq\":8,\"type\":\"put\"}\n");
    r.server.n_requests = 0;
    r.error = (struct kd_error){ 0 };
    r.server.n_answers = 1;
    r.options.has_since = true;
    run(&r, kd_ctl_run_changes, -1);
    assert_failed(&r, KD_EHTTP, "old");
}

static void status_sums_up(void **state)
{
    struct run r = {
        .server = { .answers = { OK "{\"items\":[{\"kind\":\"Pod\",\"state\":\"synced\","
                                    "\"objects\":3,\"stored\":2,\"lastError\":\"\"},"
                                    "{\"kind\":\"Node\",\"state\":\"forbidden\",\"objects\":0,"
                                    "\"stored\":0,\"lastError\":\"403\\nno\"}]}",
                                 OK "{\"items\":[{\"name\":\"pod\",\"state\":\"refused\","
                                    "\"error\":\"bad\"},{\"name\":\"n\",\"state\":\"loaded\"}]}",
                                 OK LIST("", "") },
                    .n_answers = 3 },
        .options = { .format = KD_CTL_TABLE }
    };
    (void)state;
    run(&r, kd_ctl_run_status, -1);
    char *expected = kd_asprintf("server    %s\n"
                                 "kinds     1 of 2 synced\n"
                                 "objects   3 in the cache, 2 in the graph\n"
                                 "plugins   1 loaded, 1 refused\n"
                                 "seq       7\n"
                                 "kind Node is forbidden: 403 no\n"
                                 "plugin pod is refused: bad\n",
                                 r.server.address);
    assert_done(&r, expected);
    kd_free(expected);
}

static void a_closed_output_ends_without_a_word(void **state)
{
    int ends[2];
    struct run r = { .server = { .answers = { OK LIST(POD("a", "x"), "") }, .n_answers = 1 },
                     .options = { .format = KD_CTL_JSON, .kind = "pod" } };
    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    (void)close(ends[0]);
    run(&r, kd_ctl_run_get, ends[1]);
    (void)close(ends[1]);
    assert_int_equal(r.code, KD_CTL_CLOSED);
    kd_buf_release(&r.output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pages_are_followed), TEST(lists_and_objects),
        TEST(failures_are_told),  TEST(a_root_is_looked_up),
        TEST(changes_are_lines),  TEST(a_feed_without_its_beginning_is_followed_from_now),
        TEST(status_sums_up),     TEST(a_closed_output_ends_without_a_word),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
