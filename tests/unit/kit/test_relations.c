/* What volumes, claims, ingresses and autoscalers say about others. */
#include "related.h"

#define CLASS " -> StorageClass.storage.k8s.io:v1//"

/* Runs relate over an object of that spec. */
static int32_t relate_spec(const char *kind, const char *spec, struct sink *sink)
{
    char *json =
        kd_asprintf("{\"metadata\":{\"name\":\"it\",\"namespace\":\"shop\"},\"spec\":%s}", spec);
    int32_t rc = relate_text(kind, kd_str_from(json), sink);
    kd_free(json);
    return rc;
}

static void assert_silent(const char *kind, const char *const *specs, size_t n)
{
    struct sink sink = { 0 };
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(relate_spec(kind, specs[i], &sink), 0);
        if (sink.n != 0) {
            fail_msg("%s says %s", specs[i], sink.lines[0]);
        }
    }
}

#define ASSERT_SILENT(kind, ...)                                                                   \
    assert_silent((kind), (const char *const[]){ __VA_ARGS__ },                                    \
                  KD_ARRAY_LEN(((const char *const[]){ __VA_ARGS__ })))

/* Whichever add the host refuses, the walk ends there and the host learns why. */
static void assert_ends_with_the_hosts_no(const char *kind, const char *spec)
{
    struct sink sink = { 0 };
    assert_int_equal(relate_spec(kind, spec, &sink), 0);
    size_t all = sink.n;
    assert_true(all > 0);
    for (sink.fail_at = 1; sink.fail_at <= all; sink.fail_at++) {
        assert_int_equal(relate_spec(kind, spec, &sink), KD_ETOOBIG);
        assert_int_equal(sink.n, sink.fail_at - 1);
    }
    sink_clear(&sink);
}

static void test_volume(void **state)
{
    static const char volume_json[] =
        "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"storageClassName\":\"fast\","
        "\"claimRef\":{\"kind\":\"PersistentVolumeClaim\",\"name\":\"c\",\"namespace\":\"shop\"}}}";
    const char *volume = PLUGINS "/persistentvolume.so";
    struct sink sink = { 0 };
    (void)state;
    assert_int_equal(relate_text(volume, kd_str_from(volume_json), &sink), 0);
    ASSERT_LINES(&sink, "VolumeClass PersistentVolume//v" CLASS "fast");
    sink_clear(&sink);
    ASSERT_SILENT(volume, "null", "{}", "[]", "{\"storageClassName\":\"\"}",
                  "{\"storageClassName\":null}", "{\"storageClassName\":{\"name\":\"x\"}}");
    assert_ends_with_the_hosts_no(volume, "{\"storageClassName\":\"fast\"}");
}

static void test_claim(void **state)
{
    static const char both[] = "{\"volumeName\":\"v\",\"storageClassName\":\"fast\"}";
    const char *claim = PLUGINS "/persistentvolumeclaim.so";
    struct sink sink = { 0 };
    (void)state;
#define IT "PersistentVolumeClaim/shop/it"
    assert_int_equal(relate_spec(claim, both, &sink), 0);
    ASSERT_LINES(&sink, "VolumeBinding " IT " -> PersistentVolume//v",
                 "VolumeClass " IT CLASS "fast");
    assert_int_equal(relate_spec(claim, "{\"storageClassName\":\"fast\"}", &sink), 0);
    ASSERT_LINES(&sink, "VolumeClass " IT CLASS "fast");
    assert_int_equal(relate_spec(claim, "{\"volumeName\":\"v\",\"storageClassName\":\"\"}", &sink),
                     0);
    ASSERT_LINES(&sink, "VolumeBinding " IT " -> PersistentVolume//v");
    sink_clear(&sink);
    ASSERT_SILENT(claim, "null", "{}", "7", "{\"volumeName\":[\"v\"],\"storageClassName\":1}");
    assert_ends_with_the_hosts_no(claim, both);
}

static void test_ingress(void **state)
{
    const char *ingress = PLUGINS "/ingress.so";
    struct sink sink = { 0 };
    (void)state;
#define FROM "IngressBackend Ingress.networking.k8s.io:v1/shop/front -> "
    assert_int_equal(relate_data(ingress, "ingress.json", &sink), 0);
    ASSERT_LINES(&sink, FROM "Service/shop/fallback", FROM "Service/shop/web",
                 FROM "Bucket.store.example.org:/shop/files", FROM "Service/shop/api",
                 FROM "Plain/shop/core");
    sink_clear(&sink);
    ASSERT_SILENT(
        ingress, "null", "{}", "{\"defaultBackend\":\"web\",\"rules\":\"x\"}",
        "{\"defaultBackend\":{\"service\":\"web\"}}", "{\"defaultBackend\":{\"service\":{}}}",
        "{\"defaultBackend\":{\"resource\":{\"kind\":\"Bucket\"}}}",
        "{\"defaultBackend\":{\"resource\":{\"apiGroup\":\"a.b\",\"name\":\"x\"}}}",
        "{\"rules\":[null,3,{},{\"host\":\"x\"},{\"http\":[]},{\"http\":{\"paths\":{}}}]}",
        "{\"rules\":[{\"http\":{\"paths\":[1,{},{\"backend\":[]},{\"backend\":{}}]}}]}");
    assert_ends_with_the_hosts_no(
        ingress, "{\"defaultBackend\":{\"service\":{\"name\":\"a\"}},\"rules\":[{\"http\":{"
                 "\"paths\":[{\"backend\":{\"service\":{\"name\":\"b\"}}},"
                 "{\"backend\":{\"resource\":{\"kind\":\"K\",\"name\":\"c\"}}}]}}]}");
}

static void test_autoscaler(void **state)
{
    static const char deployment[] = "{\"scaleTargetRef\":{\"apiVersion\":\"apps/v1\","
                                     "\"kind\":\"Deployment\",\"name\":\"web\"}}";
    const char *scaler = PLUGINS "/horizontalpodautoscaler.so";
    struct sink sink = { 0 };
    (void)state;
#define SCALES "ScaleTarget HorizontalPodAutoscaler.autoscaling:v2/shop/it -> "
    assert_int_equal(relate_spec(scaler, deployment, &sink), 0);
    ASSERT_LINES(&sink, SCALES "Deployment.apps:v1/shop/web");
    assert_int_equal(relate_spec(scaler,
                                 "{\"scaleTargetRef\":{\"apiVersion\":\"v1\","
                                 "\"kind\":\"ReplicationController\",\"name\":\"old\"}}",
                                 &sink),
                     0);
    ASSERT_LINES(&sink, SCALES "ReplicationController/shop/old");
    /* Any kind with a scale subresource may be the target; a version may be missing. */
    assert_int_equal(relate_spec(scaler,
                                 "{\"scaleTargetRef\":{\"apiVersion\":\"example.org/\","
                                 "\"kind\":\"Farm\",\"name\":\"f\"}}",
                                 &sink),
                     0);
    ASSERT_LINES(&sink, SCALES "Farm.example.org:/shop/f");
    sink_clear(&sink);
    ASSERT_SILENT(scaler, "null", "{}", "{\"scaleTargetRef\":\"web\"}",
                  "{\"scaleTargetRef\":{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"}}",
                  "{\"scaleTargetRef\":{\"kind\":7,\"name\":\"web\"}}",
                  "{\"scaleTargetRef\":{\"kind\":\"Deployment\",\"name\":null}}");
    assert_ends_with_the_hosts_no(scaler, deployment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volume),
        cmocka_unit_test(test_claim),
        cmocka_unit_test(test_ingress),
        cmocka_unit_test(test_autoscaler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
