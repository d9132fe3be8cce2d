/* A running server over a small store in memory, with all three listeners on unix sockets. */
#ifndef KD_TESTS_SERVER_SERVING_H
#define KD_TESTS_SERVER_SERVING_H

#include "peer.h"
#include "source.h"

#include "base/clock.h"
#include "base/log.h"
#include "metrics/metrics.h"

#include <fcntl.h>
#include <sys/stat.h>

#define SERVING_UNUSED __attribute__((unused))

struct serving {
    char folder[64];
    char *health, *metrics_path, *api; /* socket paths */
    size_t ready_less;                 /* ready checks left out, see source.h */
    int idle_seconds;
    unsigned max_connections;
    int64_t unfinished_ns;
    int64_t feed_keep;
    struct kd_store *store;
    struct kd_metrics *metrics;
    struct kd_server *server;
};

static SERVING_UNUSED void serving_start(struct serving *serving)
{
    char *health = kd_asprintf("unix:%s", serving->health);
    char *metrics = kd_asprintf("unix:%s", serving->metrics_path);
    char *api = kd_asprintf("unix:%s", serving->api);
    struct kd_health_settings health_settings = { .bind = health };
    struct kd_http_settings metrics_settings = { .bind = metrics };
    struct kd_http_settings api_settings = { .bind = api };
    const struct kd_server_settings settings = {
        .health = &health_settings,
        .metrics = &metrics_settings,
        .api = &api_settings,
        .idle_seconds = serving->idle_seconds,
        .max_connections = serving->max_connections,
        .unfinished_ns = serving->unfinished_ns,
    };
    struct kd_server_source source = source_all;
    struct kd_error error = { 0 };
    source.arg = &serving->ready_less;
    if (kd_server_start(&settings, &source, serving->metrics, serving->store, &serving->server,
                        &error) < 0) {
        fail_msg("%s", error.text);
    }
    kd_free(health);
    kd_free(metrics);
    kd_free(api);
}

static SERVING_UNUSED void serving_open_store(struct serving *serving)
{
    char path[] = ":memory:";
    struct kd_error error = { 0 };
    const struct kd_store_settings settings = { .path = path,
                                                .batch_size = 1000,
                                                .flush_interval_ns = 200 * KD_MS_NS,
                                                .feed_keep = serving->feed_keep };
    if (kd_store_open(&settings, &kd_system_clock, NULL, &serving->store, &error) < 0) {
        fail_msg("%s", error.text);
    }
}

static SERVING_UNUSED struct serving *serving_new(void)
{
    struct serving *serving = kd_zalloc(sizeof(*serving));
    kd_log_set_level(KD_LOG_WARN);
    (void)snprintf(serving->folder, sizeof(serving->folder), "/tmp/kd-test-server-XXXXXX");
    assert_non_null(mkdtemp(serving->folder));
    serving->health = kd_asprintf("%s/health", serving->folder);
    serving->metrics_path = kd_asprintf("%s/metrics", serving->folder);
    serving->api = kd_asprintf("%s/api", serving->folder);
    serving->feed_keep = 1000000;
    serving->ready_less = 1;
    serving->metrics = kd_metrics_new();
    return serving;
}

static SERVING_UNUSED int serving_setup(void **state)
{
    struct serving *serving = serving_new();
    *state = serving;
    serving_open_store(serving);
    serving_start(serving);
    return 0;
}

static SERVING_UNUSED void serving_stop(struct serving *serving)
{
    kd_server_stop(serving->server);
    serving->server = NULL;
}

static SERVING_UNUSED int serving_teardown(void **state)
{
    struct serving *serving = *state;
    serving_stop(serving);
    kd_store_close(serving->store);
    kd_metrics_free(serving->metrics);
    int rc = rmdir(serving->folder); /* the sockets are gone */
    kd_free(serving->health);
    kd_free(serving->metrics_path);
    kd_free(serving->api);
    kd_free(serving);
    return rc;
}

#define SERVING_TEST(name) cmocka_unit_test_setup_teardown(name, serving_setup, serving_teardown)

/* Puts a pod on node n1 (n2 for an odd number) with padding, so that rows are not tiny. */
static SERVING_UNUSED void serving_put_pod(struct serving *serving, const char *ns,
                                           const char *name, unsigned number, size_t padding)
{
    char *pad = kd_zalloc(padding + 1);
    memset(pad, 'x', padding);
    const char *node = number % 2 ? "n2" : "n1";
    char *data = kd_asprintf("{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\"},"
                             "\"spec\":{\"nodeName\":\"%s\"},\"pad\":\"%s\"}",
                             name, ns, node, pad);
    char *labels = kd_asprintf("{\"app\":\"web\",\"n\":\"%u\"}", number);
    struct kd_attr attr = KD_ATTR("nodeName", kd_cstr(node));
    struct kd_ref pod = kd_ref_named("", "v1", "Pod", kd_cstr(ns), kd_cstr(name));
    struct kd_relation relation = {
        .type = KD_STR("PodNodeBinding"),
        .subject = pod,
        .object = kd_ref_cluster("", "v1", "Node", kd_cstr(node)),
        .attrs = &attr,
        .n_attrs = 1,
    };
    pod.uid = kd_cstr(name);
    const struct kd_put put = {
        .ref = pod,
        .instance = KD_STR("pod"),
        .owner = true,
        .version_text = KD_STR("1"),
        .labels = kd_str_from(labels),
        .annotations = KD_STR("{}"),
        .created_ns = KD_SEC_NS,
        .data = kd_str_from(data),
        .relations = &relation,
        .n_relations = 1,
    };
    assert_int_equal(kd_store_put(serving->store, &put), 0);
    kd_free(pad);
    kd_free(data);
    kd_free(labels);
}

static SERVING_UNUSED void serving_put_node(struct serving *serving, const char *name)
{
    const struct kd_put put = {
        .ref = kd_ref_cluster("", "v1", "Node", kd_cstr(name)),
        .instance = KD_STR("node"),
        .owner = true,
        .version_text = KD_STR("1"),
        .labels = KD_STR("{}"),
        .annotations = KD_STR("{}"),
        .data = KD_STR("{\"metadata\":{}}"),
    };
    assert_int_equal(kd_store_put(serving->store, &put), 0);
}

/* n pods "p00000", ... of 400 bytes in namespace "many". */
static SERVING_UNUSED void serving_put_many(struct serving *serving, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "p%05u", i);
        serving_put_pod(serving, "many", name, i, 400);
    }
    assert_int_equal(kd_store_flush(serving->store), 0);
}

/* GET on the API that must be answered whole with this code. */
static SERVING_UNUSED struct reply api_get(struct serving *serving, const char *target, int status)
{
    struct reply reply = ask(serving->api, "GET", target);
    if (reply.status != status || !reply.complete) {
        fail_msg("%s: %d%s, %s", target, reply.status, reply.complete ? "" : " incomplete",
                 reply.body.ptr);
    }
    return reply;
}

static SERVING_UNUSED void follow(struct peer *peer, struct serving *serving, uint64_t since)
{
    char *target = kd_asprintf("/api/v1/changes?follow=1&since=%llu", (unsigned long long)since);
    peer_open(peer, serving->api);
    peer_request(peer, "GET", target);
    kd_free(target);
}

static SERVING_UNUSED void assert_follows(struct peer *peer)
{
    struct reply reply;
    (void)peer_head(peer, &reply);
    assert_int_equal(reply.status, 200);
    assert_true(reply.chunked);
    reply_release(&reply);
}

/* Reads chunks until the text is there. */
static SERVING_UNUSED void await_change(struct peer *peer, const char *text)
{
    struct kd_buf seen;
    kd_buf_init(&seen, KD_GIB);
    do {
        assert_int_equal(peer_chunk(peer, &seen), 1);
    } while (!strstr(seen.ptr, text));
    kd_buf_release(&seen);
}

static SERVING_UNUSED void put_now(struct serving *serving, const char *name)
{
    serving_put_pod(serving, "new", name, 0, 0);
    assert_int_equal(kd_store_flush(serving->store), 0);
}

#endif
