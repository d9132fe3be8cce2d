/* What the pod plugin says beside the node: service account, volumes, configuration. */
#include "related.h"

#define POD "Pod/shop/web-0"
#define CLAIM "VolumeMount " POD " -> PersistentVolumeClaim/shop/"
#define MAP "ConfigReference " POD " -> ConfigMap/shop/"
#define SECRET "ConfigReference " POD " -> Secret/shop/"

/* Runs relate over a pod of that spec. */
static int32_t relate_spec(const char *pod, const char *spec, struct sink *sink)
{
    char *json = kd_asprintf(
        "{\"metadata\":{\"name\":\"web-0\",\"namespace\":\"shop\"},\"spec\":{%s}}", spec);
    int32_t rc = relate_text(pod, kd_str_from(json), sink);
    kd_free(json);
    return rc;
}

static void test_service_account(void **state)
{
    const char *pod = PLUGINS "/pod.so";
    struct sink sink = { 0 };
    (void)state;
    assert_int_equal(relate_spec(pod, "\"serviceAccountName\":\"runner\"", &sink), 0);
    ASSERT_LINES(&sink, "ServiceAccountBinding " POD " -> ServiceAccount/shop/runner");
    /* The older spelling follows the newer one and is not read by itself. */
    assert_int_equal(relate_spec(pod, "\"serviceAccount\":\"runner\"", &sink), 0);
    assert_int_equal(sink.n, 0);
    assert_int_equal(relate_spec(pod, "\"serviceAccountName\":\"\"", &sink), 0);
    assert_int_equal(sink.n, 0);
}

static void test_volumes(void **state)
{
    const char *pod = PLUGINS "/pod.so";
    struct sink sink = { 0 };
    (void)state;
    assert_int_equal(relate_data(pod, "pod_volumes.json", &sink), 0);
    ASSERT_LINES(&sink, CLAIM "web-data", CLAIM "web-0-cache", MAP "site", SECRET "tls", MAP "ca",
                 SECRET "token", MAP "both", SECRET "both");
    sink_clear(&sink);
}

static void test_environment(void **state)
{
    const char *pod = PLUGINS "/pod.so";
    struct sink sink = { 0 };
    (void)state;
    assert_int_equal(relate_data(pod, "pod_environment.json", &sink), 0);
    ASSERT_LINES(&sink, MAP "limits", SECRET "password", MAP "defaults", SECRET "keys", MAP "init",
                 SECRET "debug");
    sink_clear(&sink);
}

static void test_pull_secrets(void **state)
{
    const char *pod = PLUGINS "/pod.so";
    struct sink sink = { 0 };
    (void)state;
    assert_int_equal(
        relate_spec(pod, "\"imagePullSecrets\":[{\"name\":\"hub\"},{},{\"name\":\"mirror\"},7]",
                    &sink),
        0);
    ASSERT_LINES(&sink, SECRET "hub", SECRET "mirror");
    sink_clear(&sink);
}

/* Each of these has a part of another type or without a name, and says nothing. */
static void test_parts_that_say_nothing(void **state)
{
    static const char *const specs[] = {
        "",
        "\"serviceAccountName\":7",
        "\"serviceAccountName\":null",
        "\"volumes\":null,\"containers\":null,\"imagePullSecrets\":null",
        "\"volumes\":{\"name\":\"a\",\"configMap\":\"x\"}",
        "\"volumes\":[1,null,\"configMap\",[],{}]",
        "\"volumes\":[{\"name\":\"a\",\"emptyDir\":{}}]",
        "\"volumes\":[{\"name\":\"a\",\"persistentVolumeClaim\":\"data\"}]",
        "\"volumes\":[{\"name\":\"a\",\"persistentVolumeClaim\":{\"claimName\":[\"data\"]}}]",
        "\"volumes\":[{\"name\":\"a\",\"ephemeral\":null}]",
        "\"volumes\":[{\"name\":8,\"ephemeral\":{}}]",
        "\"volumes\":[{\"ephemeral\":{}}]",
        "\"volumes\":[{\"name\":\"a\",\"configMap\":{\"name\":\"\"}}]",
        "\"volumes\":[{\"name\":\"a\",\"secret\":{\"name\":\"s\"}}]",
        "\"volumes\":[{\"name\":\"a\",\"projected\":{\"sources\":{\"secret\":{}}}}]",
        "\"volumes\":[{\"name\":\"a\",\"projected\":{\"sources\":[{\"secret\":\"s\"},3]}}]",
        "\"volumes\":[{\"name\":\"a\",\"projected\":{\"sources\":[{\"downwardAPI\":{}}]}}]",
        "\"containers\":{\"env\":[]}",
        "\"containers\":[\"web\",{\"env\":\"x\",\"envFrom\":{}}]",
        "\"containers\":[{\"env\":[3,{\"name\":\"A\",\"value\":\"b\"}],\"envFrom\":[null]}]",
        "\"containers\":[{\"env\":[{\"valueFrom\":{\"fieldRef\":{\"name\":\"x\"}}}]}]",
        "\"containers\":[{\"env\":[{\"valueFrom\":{\"secretKeyRef\":{\"key\":\"x\"}}}]}]",
        "\"containers\":[{\"envFrom\":[{\"configMapRef\":[\"x\"]},{\"secretRef\":{\"name\":1}}]}]",
        "\"imagePullSecrets\":[\"hub\",{\"name\":null}]",
    };
    const char *pod = PLUGINS "/pod.so";
    struct sink sink = { 0 };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(specs); i++) {
        assert_int_equal(relate_spec(pod, specs[i], &sink), 0);
        if (sink.n != 0) {
            fail_msg("%s says %s", specs[i], sink.lines[0]);
        }
    }
}

/* Whichever add the host refuses, the walk ends there and the host learns why. */
static void test_the_hosts_no_ends_the_walk(void **state)
{
    static const char spec[] =
        "\"nodeName\":\"n\",\"serviceAccountName\":\"sa\","
        "\"volumes\":[{\"name\":\"a\",\"configMap\":{\"name\":\"m\"}},"
        "{\"name\":\"b\",\"projected\":{\"sources\":[{\"configMap\":{\"name\":\"p\"}}]}}],"
        "\"containers\":[{\"env\":[{\"valueFrom\":{\"configMapKeyRef\":{\"name\":\"e\"}}}],"
        "\"envFrom\":[{\"configMapRef\":{\"name\":\"f\"},\"secretRef\":{\"name\":\"g\"}}]}],"
        "\"imagePullSecrets\":[{\"name\":\"i\"},{\"name\":\"j\"}]";
    const char *pod = PLUGINS "/pod.so";
    struct sink sink = { 0 };
    (void)state;
    assert_int_equal(relate_spec(pod, spec, &sink), 0);
    size_t all = sink.n;
    assert_int_equal(all, 9);
    for (sink.fail_at = 1; sink.fail_at <= all; sink.fail_at++) {
        assert_int_equal(relate_spec(pod, spec, &sink), KD_ETOOBIG);
        assert_int_equal(sink.n, sink.fail_at - 1);
    }
    sink_clear(&sink);
}

static void test_no_scratch_memory(void **state)
{
    static const char spec[] = "\"volumes\":[{\"name\":\"cache\",\"ephemeral\":{}}]";
    const char *pod = PLUGINS "/pod.so";
    struct sink sink = { .no_scratch = true };
    (void)state;
    assert_int_equal(relate_spec(pod, spec, &sink), KD_ENOMEM);
    assert_int_equal(sink.n, 0);
    sink.no_scratch = false;
    assert_int_equal(relate_spec(pod, spec, &sink), 0);
    ASSERT_LINES(&sink, CLAIM "web-0-cache");
    sink_clear(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_service_account),
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_pull_secrets),
        cmocka_unit_test(test_parts_that_say_nothing),
        cmocka_unit_test(test_the_hosts_no_ends_the_walk),
        cmocka_unit_test(test_no_scratch_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
