/*
 * A loop, a client and its settings for one test, and `struct result`, which gathers what a call
 * gives. No test of this folder waits for a time: waits are for conditions, with a bound that only
 * a hanging test meets.
 */
#ifndef KD_TESTS_CLIENT_FIXTURE_H
#define KD_TESTS_CLIENT_FIXTURE_H

#include "wire_server.h"

#include "base/log.h"
#include "client/internal.h"

#define AWAIT_NS (120 * KD_SEC_NS)

struct fixture {
    struct kd_loop *loop;
    struct kd_metrics *metrics;
    struct kd_cluster cluster;
    struct kd_cluster_settings settings;
    struct kd_client *client;
};

struct result {
    bool started;
    bool done;
    unsigned n_done;
    struct kd_response response;
    struct kd_buf data;
    int data_returns; /* what sink->data returns */
    struct kd_call *cancel_on_started;
    struct kd_call *cancel_on_data;
    struct kd_call *cancel_on_done;
    unsigned *order; /* counts ended calls */
    unsigned place;  /* this one's place among them, from 1 */
};

static int64_t fake_now_ns = KD_SEC_NS;

static inline int64_t fake_now(void *arg)
{
    (void)arg;
    return fake_now_ns;
}

static const struct kd_clock fake_clock = { fake_now, fake_now, NULL };

static inline void fixture_init(struct fixture *fix, const char *scheme, const char *host, int port)
{
    *fix = (struct fixture){ .loop = kd_loop_new(), .metrics = kd_metrics_new() };
    fix->cluster.server = kd_asprintf("%s://%s:%d", scheme, host, port);
    fix->settings = (struct kd_cluster_settings){ .qps = -1,
                                                  .burst = 1,
                                                  .request_timeout_ns = AWAIT_NS,
                                                  .max_body_bytes = 1 << 20,
                                                  .compress_lists = true,
                                                  .user_agent = NULL };
}

/* Tests set cluster and settings before. */
static inline void fixture_open(struct fixture *fix)
{
    struct kd_error error = { 0 };
    if (kd_client_new(fix->loop, &fix->cluster, &fix->settings, fix->metrics, &fix->client,
                      &error) < 0) {
        fail_msg("%s", error.text);
    }
}

static inline void fixture_close(struct fixture *fix)
{
    kd_client_free(fix->client);
    kd_loop_free(fix->loop);
    kd_metrics_free(fix->metrics);
    kd_free(fix->cluster.server);
}

static inline void plain_open(struct fixture *fix, const struct wire *wire)
{
    fixture_init(fix, "http", "127.0.0.1", wire->port);
    fixture_open(fix);
}

static inline void on_started(void *arg, int http_code)
{
    struct result *result = arg;
    assert_false(result->started);
    assert_true(kd_is_success(http_code));
    result->started = true;
    kd_call_cancel(kd_steal(result->cancel_on_started));
}

static inline int on_data(void *arg, const char *ptr, size_t len)
{
    struct result *result = arg;
    assert_true(result->started);
    assert_false(result->done);
    assert_int_equal(kd_buf_put(&result->data, ptr, len), 0);
    kd_call_cancel(kd_steal(result->cancel_on_data));
    return result->data_returns;
}

static inline void on_done(void *arg, const struct kd_response *response)
{
    struct result *result = arg;
    result->done = true;
    result->n_done++;
    result->response = *response;
    if (result->order) {
        result->place = ++*result->order;
    }
    kd_call_cancel(kd_steal(result->cancel_on_done));
}

static const struct kd_response_sink result_sink = { on_started, on_data, on_done };

static inline void result_init(struct result *result)
{
    *result = (struct result){ 0 };
    kd_buf_init(&result->data, 64 * KD_MIB);
}

static inline void result_release(struct result *result)
{
    kd_buf_release(&result->data);
}

static inline struct kd_call *start(struct fixture *fix, const char *path, uint32_t flags,
                                    struct result *result)
{
    const struct kd_request request = { .method = "GET",
                                        .path = path,
                                        .flags = flags,
                                        .verb = flags & KD_REQUEST_WATCH  ? "watch"
                                                : flags & KD_REQUEST_LIST ? "list"
                                                                          : "get",
                                        .url_template = "/template",
                                        .sink = &result_sink,
                                        .arg = result };
    return kd_client_start(fix->client, &request);
}

/* Runs the loop until cond holds. */
#define AWAIT(fix, cond)                                                                           \
    do {                                                                                           \
        int64_t await_end_ns = kd_now_ns(&kd_system_clock) + AWAIT_NS;                             \
        while (!(cond)) {                                                                          \
            assert_true(kd_now_ns(&kd_system_clock) < await_end_ns);                               \
            kd_loop_run_once((fix)->loop, KD_SEC_NS);                                              \
        }                                                                                          \
    } while (0)

/* A whole call: its result is filled when this returns. */
static inline void fetch(struct fixture *fix, const char *path, uint32_t flags,
                         struct result *result)
{
    result_init(result);
    (void)start(fix, path, flags, result);
    AWAIT(fix, result->done);
}

static inline void open_gate(struct fixture *fix, const char *name)
{
    struct result result;
    KD_AUTO_FREE char *path = kd_asprintf("/_wire/open/%s", name);
    fetch(fix, path, 0, &result);
    assert_int_equal(result.response.error, 0);
    result_release(&result);
}

static inline void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("\"%s\" does not contain \"%s\"", text, part);
    }
}

#endif
