/* The informer over the real client against the scripted API server of tests/wire. */
#include "unit/informer/fake.h"
#include "unit/client/wire_server.h"

#define PATIENCE_NS (60 * KD_SEC_NS)

struct rig {
    struct wire wire;
    struct kd_loop *loop;
    struct kd_cluster cluster;
    struct kd_cluster_settings settings;
    struct kd_client *client;
    struct kd_metrics *metrics;
    struct kd_informer *informer;
    struct kd_subscription *subscription;
    struct kd_buf told;
};

static const char script[] =
    "{\"routes\":["
    "{\"path\":\"/api/v1/pods\",\"watch\":false,\"answers\":["
    "{\"list\":{\"kind\":\"PodList\",\"resourceVersion\":\"50\",\"pods\":300,\"continue\":\"more\","
    "\"size\":2000},\"gzip\":true},"
    "{\"list\":{\"kind\":\"PodList\",\"resourceVersion\":\"50\",\"pods\":300,\"first\":300},"
    "\"every\":1000},"
    "{\"list\":{\"kind\":\"PodList\",\"resourceVersion\":\"70\",\"pods\":10}}]},"
    "{\"path\":\"/api/v1/pods\",\"watch\":true,\"answers\":["
    "{\"lines\":[{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"name\":\"p00001\","
    "\"namespace\":\"default\",\"resourceVersion\":\"60\"}}}],\"end\":\"cut\"},"
    "{\"status_object\":{\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\"}},"
    "{\"lines\":[{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"71\"}}}],"
    "\"end\":\"hang\"}]}]}";

static void on_event(void *arg, const struct kd_informer_event *event)
{
    (void)kd_buf_putc(&((struct rig *)arg)->told, " +~-"[event->type]);
}

static void on_synced(void *arg)
{
    (void)kd_buf_putc(&((struct rig *)arg)->told, 's');
}

static void on_listed(void *arg)
{
    (void)kd_buf_putc(&((struct rig *)arg)->told, 'l');
}

static int setup(void **state)
{
    struct rig *rig = kd_zalloc(sizeof(*rig));
    *state = rig;
    kd_log_set_level(KD_LOG_ERROR);
    kd_buf_init(&rig->told, KD_MIB);
    rig->loop = kd_loop_new();
    rig->metrics = kd_metrics_new();
    wire_start(&rig->wire, script, (struct wire_options){ 0 });
    rig->cluster.server = kd_asprintf("http://127.0.0.1:%d", rig->wire.port);
    rig->settings = (struct kd_cluster_settings){ .qps = -1,
                                                  .burst = 1,
                                                  .request_timeout_ns = PATIENCE_NS,
                                                  .max_body_bytes = KD_MIB,
                                                  .compress_lists = true };
    return kd_client_new(rig->loop, &rig->cluster, &rig->settings, rig->metrics, &rig->client,
                         NULL);
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    kd_informer_unsubscribe(rig->subscription);
    kd_informer_free(rig->informer);
    kd_client_free(rig->client);
    kd_loop_free(rig->loop);
    kd_metrics_free(rig->metrics);
    wire_stop(&rig->wire);
    kd_buf_release(&rig->told);
    kd_free(rig->cluster.server);
    kd_free(rig);
    return 0;
}

static size_t count(const struct rig *rig, char sign)
{
    size_t n = 0;
    for (size_t i = 0; i < rig->told.len; i++) {
        n += rig->told.ptr[i] == sign;
    }
    return n;
}

static void lists_watches_and_relists_over_http(void **state)
{
    struct rig *rig = *state;
    struct kd_informer_spec spec = fake_spec();
    const struct kd_informer_sink sink = { rig, on_event, on_synced, on_listed };
    struct kd_informer_status status;
    KD_AUTO_BUF struct kd_buf text;
    kd_buf_init(&text, KD_MIB);
    assert_int_equal(
        kd_informer_new(rig->loop, rig->client, rig->metrics, &spec, &rig->informer, NULL), 0);
    rig->subscription = kd_informer_subscribe(rig->informer, &sink);
    kd_informer_start(rig->informer);
    int64_t until_ns = kd_now_ns(&kd_system_clock) + PATIENCE_NS;
    do {
        kd_loop_run_once(rig->loop, 100 * KD_MS_NS);
        kd_informer_get_status(rig->informer, &status);
        assert_true(kd_now_ns(&kd_system_clock) < until_ns);
    } while (strcmp(status.version, "71") != 0);
    assert_int_equal(count(rig, 's'), 1);
    assert_int_equal(count(rig, 'l'), 1);
    assert_int_equal(count(rig, '+'), 601); /* p00001 came back */
    assert_int_equal(count(rig, '-'), 591);
    assert_int_equal(status.objects, 10);
    assert_int_equal(status.state, KD_INFORMER_SYNCED);
    assert_int_equal(kd_metrics_write(rig->metrics, KD_METRICS_TEXT, &text), 0);
    /* The relist shows p00001 at a version at which it is known to be gone: once more, for the
     * truth (B20). */
    static const char *const lines[] = {
        "\nkindred_cache_objects{kind=\"Pod\",group=\"\"} 10\n",
        "\nkindred_reflector_lists_total{kind=\"Pod\",group=\"\"} 3\n",
        "\nkindred_reflector_watches_total{kind=\"Pod\",group=\"\"} 3\n",
        "\nkindred_reflector_errors_total{kind=\"Pod\",group=\"\",reason=\"expired\"} 2\n",
        "\ninformer_store_resource_version{name=\"Pod\",group=\"\",version=\"v1\",resource="
        "\"pods\"} "
        "71\n",
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(lines); i++) {
        assert_non_null(strstr(text.ptr, lines[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lists_watches_and_relists_over_http, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
