/* Tables, the columns of kinds, ages. */
#include "ctl_test.h"

#include "base/clock.h"
#include "ctl/text_table.h"
#include "ctl/view.h"

static const char *const three[] = { "NAME", "B", "LAST" };

static void aligns_columns(void **state)
{
    struct kd_ctl_table table;
    struct kd_buf out;
    (void)state;
    kd_buf_init(&out, KD_MIB);
    kd_ctl_table_init(&table, three, 3);
    kd_ctl_table_cell(&table, KD_STR("a"));
    kd_ctl_table_number(&table, UINT64_MAX);
    kd_ctl_table_cell(&table, KD_STR("x y"));
    kd_ctl_table_cell(&table, KD_STR("longer"));
    kd_ctl_table_cell(&table, KD_STR("b"));
    kd_ctl_table_cell(&table, KD_STR("z"));
    kd_ctl_table_put(&table, &out);
    kd_ctl_table_release(&table);
    assert_out(&out, "NAME     B                      LAST\n"
                     "a        18446744073709551615   x y\n"
                     "longer   b                      z\n");
}

static void cells_are_fit_to_print(void **state)
{
    struct kd_ctl_table table;
    struct kd_buf out;
    static const char nul[] = "a\0b";
    (void)state;
    kd_buf_init(&out, KD_MIB);
    kd_ctl_table_init(&table, three, 3);
    kd_ctl_table_cell(&table, (struct kd_str){ NULL, 0 });
    kd_ctl_table_cell(&table, (struct kd_str){ nul, 3 });
    kd_ctl_table_cell(&table, KD_STR(" \x1b[1m \n"));
    kd_ctl_table_cell(&table, KD_STR("\xc3\xa9\xc3\xa9")); /* two characters wide */
    kd_ctl_table_cell(&table, KD_STR("\xc2\x9b!"));
    kd_ctl_table_cell(&table, KD_STR("\t"));
    kd_ctl_table_put(&table, &out);
    kd_ctl_table_release(&table);
    assert_out(&out, "NAME   B     LAST\n"
                     "-      a b   [1m\n"
                     "\xc3\xa9\xc3\xa9       !   -\n");
}

static void leaves_out_a_row_that_is_not_whole(void **state)
{
    struct kd_ctl_table table;
    struct kd_buf out;
    (void)state;
    kd_buf_init(&out, KD_MIB);
    kd_ctl_table_init(&table, three, 3);
    kd_ctl_table_cell(&table, KD_STR("a"));
    kd_ctl_table_put(&table, &out);
    kd_ctl_table_release(&table);
    assert_out(&out, "NAME   B   LAST\n");
}

static void table_of(const char *const *items, size_t n, bool wide, const char *expected)
{
    struct kd_arena arena;
    struct kd_ctl_table table = { 0 };
    struct kd_buf out;
    int64_t now_ns = 0;
    kd_arena_init(&arena, KD_MIB);
    kd_buf_init(&out, KD_MIB);
    assert_int_equal(kd_rfc3339_parse(KD_STR("2024-05-01T12:00:00Z"), &now_ns), 0);
    for (size_t i = 0; i < n; i++) {
        struct kd_value item = parsed(items[i]);
        struct kd_value value = { 0 };
        assert_true(kd_json_get(item, KD_STR("ref"), &value));
        struct kd_ref ref = { .kind = kd_json_get_str(value, KD_STR("kind"), &arena),
                              .group = kd_json_get_str(value, KD_STR("group"), &arena),
                              .ns = kd_json_get_str(value, KD_STR("namespace"), &arena) };
        const struct kd_ctl_view *view = kd_ctl_view_of(&ref);
        const struct kd_ctl_shape shape = { .namespaced = ref.ns.len > 0, .wide = wide };
        if (i == 0) {
            kd_ctl_view_begin(view, &shape, &table);
        }
        kd_ctl_view_row(view, &shape, NULL, item, now_ns, &table);
    }
    kd_ctl_table_put(&table, &out);
    kd_ctl_table_release(&table);
    kd_arena_release(&arena);
    assert_out(&out, expected);
}

#define REF(kind, group, ns, name)                                                                 \
    "\"ref\":{\"kind\":\"" kind "\",\"group\":\"" group "\",\"namespace\":\"" ns                   \
    "\",\"name\":\"" name "\"},\"createdAt\":\"2024-05-01T11:59:00Z\","

static void shows_pods(void **state)
{
    static const char *const pods[] = {
        "{" REF(
            "Pod", "", "shop",
            "a") "\"data\":{\"spec\":{\"nodeName\":\"n1\","
                 "\"containers\":[{},{}]},\"status\":{\"phase\":\"Running\",\"containerStatuses\":"
                 "[{\"ready\":true,\"restartCount\":2},"
                 "{\"ready\":false,\"restartCount\":1}]}}}",
        "{" REF("Pod", "", "shop",
                "b") "\"data\":{\"spec\":{\"containers\":[{}]},\"status\":"
                     "{\"phase\":\"Pending\",\"containerStatuses\":[{\"state\":{\"waiting\":"
                     "{\"reason\":\"ImagePullBackOff\"}}}]}}}",
        "{" REF("Pod", "", "shop",
                "c") "\"data\":{\"metadata\":{\"deletionTimestamp\":\"t\"},"
                     "\"spec\":{\"containers\":[]},\"status\":{\"phase\":\"Running\"}}}",
        "{" REF("Pod", "", "shop", "d") "\"data\":{\"metadata\":{}}}",
    };
    (void)state;
    table_of(pods, KD_ARRAY_LEN(pods), false,
             "NAMESPACE   NAME   READY   STATUS             RESTARTS   NODE   AGE\n"
             "shop        a      1/2     Running            3          n1     60s\n"
             "shop        b      0/1     ImagePullBackOff   0          -      60s\n"
             "shop        c      0/0     Terminating        -          -      60s\n"
             "shop        d      -       -                  -          -      60s\n");
}

static void shows_other_kinds(void **state)
{
    static const char *const node[] = {
        "{" REF("Node", "", "",
                "n1") "\"data\":{\"metadata\":{\"labels\":{\"node-role.kubernetes.io/edge\":\"\","
                      "\"node-role.kubernetes.io/x\":\"\",\"a\":\"b\"}},"
                      "\"spec\":{\"unschedulable\":true},\"status\":"
                      "{\"addresses\":[{\"type\":\"Hostname\",\"address\":\"n1\"},"
                      "{\"type\":\"InternalIP\",\"address\":\"10.0.0.1\"}],"
                      "\"conditions\":[{\"type\":\"MemoryPressure\",\"status\":\"False\"},"
                      "{\"type\":\"Ready\",\"status\":\"True\"}],\"nodeInfo\":{\"kubeletVersion\":"
                      "\"v1\"}}}}",
        "{" REF("Node", "", "", "n2") "\"data\":{\"status\":{\"conditions\":"
                                      "[{\"type\":\"Ready\",\"status\":\"Unknown\"}]}}}",
    };
    static const char *const deployment[] = {
        "{" REF("Deployment", "apps", "shop", "web") "\"data\":{\"spec\":{\"replicas\":3},"
                                                     "\"status\":{\"readyReplicas\":2}}}",
        "{" REF("Deployment", "apps", "shop", "new") "\"data\":{\"spec\":{\"replicas\":3}}}",
    };
    static const char *const other[] = {
        "{" REF("Deployment", "example.org", "shop", "own") "\"labels\":{\"a\":\"b\",\"c\":\"\"},"
                                                            "\"data\":{}}",
    };
    (void)state;
    table_of(node, 2, false,
             "NAME   STATUS                     ROLES    VERSION   AGE\n"
             "n1     Ready,SchedulingDisabled   edge,x   v1        60s\n"
             "n2     NotReady                   -        -         60s\n");
    table_of(node, 1, true,
             "NAME   STATUS                     ROLES    VERSION   AGE   INTERNAL-IP   OS-IMAGE   "
             "KERNEL-VERSION   CONTAINER-RUNTIME\n"
             "n1     Ready,SchedulingDisabled   edge,x   v1        60s   10.0.0.1      -          "
             "-                -\n");
    table_of(deployment, 2, false,
             "NAMESPACE   NAME   READY   AGE\n"
             "shop        web    2/3     60s\n"
             "shop        new    0/3     60s\n");
    table_of(other, 1, false,
             "NAMESPACE   NAME   AGE   LABELS\n"
             "shop        own    60s   a=b,c=\n");
}

static void wide_tables_say_more(void **state)
{
    static const char *const service[] = {
        "{" REF("Service", "", "shop", "web") "\"data\":{\"spec\":{\"type\":\"NodePort\","
                                              "\"clusterIP\":\"10.1.1.1\",\"selector\":{\"app\":"
                                              "\"web\"},\"ports\":[{\"port\":80,\"nodePort\":30080,"
                                              "\"protocol\":\"TCP\"},{\"port\":53}]}}}",
    };
    static const char *const deployment[] = {
        "{" REF("Deployment", "apps", "shop",
                "web") "\"data\":{\"spec\":{\"replicas\":3,\"selector\":{\"matchLabels\":"
                       "{\"app\":\"web\"}},\"template\":{\"spec\":{\"containers\":"
                       "[{\"name\":\"a\",\"image\":\"i:1\"},{\"name\":\"b\",\"image\":\"j\"}]}}}}}",
    };
    (void)state;
    table_of(service, 1, true,
             "NAMESPACE   NAME   TYPE       CLUSTER-IP   PORTS             AGE   SELECTOR\n"
             "shop        web    NodePort   10.1.1.1     80:30080/TCP,53   60s   app=web\n");
    table_of(deployment, 1, true,
             "NAMESPACE   NAME   READY   AGE   CONTAINERS   IMAGES   SELECTOR\n"
             "shop        web    0/3     60s   a,b          i:1,j    app=web\n");
}

static void summarises(void **state)
{
    struct kd_buf out;
    const struct kd_ref pod = { .kind = KD_STR_INIT("Pod") };
    const struct kd_ref set = { .kind = KD_STR_INIT("ReplicaSet"), .group = KD_STR_INIT("apps") };
    const struct kd_ref other = { .kind = KD_STR_INIT("Secret") };
    (void)state;
    kd_buf_init(&out, KD_KIB);
    kd_ctl_view_summary(kd_ctl_view_of(&pod),
                        parsed("{\"data\":{\"status\":{\"phase\":\"Failed\"}}}"), &out);
    assert_out(&out, "Failed");
    kd_ctl_view_summary(kd_ctl_view_of(&set), parsed("{\"data\":{\"spec\":{\"replicas\":1}}}"),
                        &out);
    assert_out(&out, "0/1 ready");
    kd_ctl_view_summary(kd_ctl_view_of(&set), parsed("{\"data\":{}}"), &out);
    assert_out(&out, "");
    assert_false(kd_ctl_view_has_summary(kd_ctl_view_of(&other)));
}

static void ages(void **state)
{
    static const struct {
        int64_t seconds;
        const char *text;
    } rows[] = {
        { -5, "0s" },
        { 0, "0s" },
        { 119, "119s" },
        { 120, "2m" },
        { 125, "2m5s" },
        { 600, "10m" },
        { 10799, "179m" },
        { 10800, "3h" },
        { 11000, "3h3m" },
        { 8 * 3600, "8h" },
        { 47 * 3600, "47h" },
        { 50 * 3600, "2d2h" },
        { 9 * 86400, "9d" },
        { 729 * 86400, "729d" },
        { 731 * 86400, "2y1d" },
        { 3650 * 86400, "10y" },
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(rows); i++) {
        struct kd_buf out;
        kd_buf_init(&out, KD_KIB);
        kd_ctl_age_put(&out, rows[i].seconds * KD_SEC_NS);
        assert_out(&out, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(aligns_columns),
        TEST(cells_are_fit_to_print),
        TEST(leaves_out_a_row_that_is_not_whole),
        TEST(shows_pods),
        TEST(shows_other_kinds),
        TEST(wide_tables_say_more),
        TEST(summarises),
        TEST(ages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
