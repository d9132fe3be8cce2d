/* What the plugins say about objects from files, as one line for each relation. */
#include "related.h"

static void test_pod(void **state)
{
    const char *pod = PLUGINS "/pod.so";
    struct sink sink = { 0 };
    (void)state;
    assert_int_equal(relate_data(pod, "pod.json", &sink), 0);
    ASSERT_LINES(&sink,
                 "PodNodeBinding Pod/shop/web-7d9c-x2k4p@6b0a7a1e-6c2f-4f0e-9a43-0d8f6f2f7f11"
                 " -> Node//node-1 nodeName=\"node-1\"");
    assert_int_equal(relate_data(pod, "pod_pending.json", &sink), 0);
    assert_int_equal(sink.n, 0);
    assert_int_equal(relate_data(pod, "pod_bad_types.json", &sink), 0);
    assert_int_equal(sink.n, 0);
}

static void test_slice(void **state)
{
    const char *slice = PLUGINS "/endpointslice.so";
    struct sink sink = { 0 };
    (void)state;
    assert_int_equal(relate_data(slice, "slice.json", &sink), 0);
#define WEB "ServiceEndpoint Service/shop/web -> Pod/shop/"
    ASSERT_LINES(
        &sink, WEB "p1@uid-1 ip=\"10.0.0.7\" port=8080 protocol=\"TCP\" portName=\"http\" ready=1?",
        WEB "p1@uid-1 ip=\"10.0.0.7\" port=53 protocol=\"UDP\" portName=\"dns\" ready=1?",
        WEB "p1@uid-1 ip=\"10.0.0.8\" port=8080 protocol=\"TCP\" portName=\"http\" ready=1?",
        WEB "p1@uid-1 ip=\"10.0.0.8\" port=53 protocol=\"UDP\" portName=\"dns\" ready=1?",
        WEB "p2 ip=\"10.0.0.9\" port=8080 protocol=\"TCP\" portName=\"http\" ready=0?",
        WEB "p2 ip=\"10.0.0.9\" port=53 protocol=\"UDP\" portName=\"dns\" ready=0?");
    sink_clear(&sink);
}

/* Only a plain false is not ready; a target without a namespace is in the slice's. */
static void test_B61_conditions(void **state)
{
    const char *slice = PLUGINS "/endpointslice.so";
    struct sink sink = { 0 };
    (void)state;
    assert_int_equal(relate_data(slice, "slice_conditions.json", &sink), 0);
#define TAIL " port=80 protocol=\"TCP\" portName=\"\" ready=1?"
    ASSERT_LINES(&sink, WEB "empty ip=\"10.0.1.1\"" TAIL, WEB "missing ip=\"10.0.1.2\"" TAIL,
                 WEB "null ip=\"10.0.1.3\"" TAIL,
                 "ServiceEndpoint Service/shop/web -> Pod/other/elsewhere ip=\"10.0.1.4\"" TAIL,
                 WEB "odd ip=\"10.0.1.5\"" TAIL);
    sink_clear(&sink);
}

static void test_B61_targets_that_are_no_pods(void **state)
{
    const char *slice = PLUGINS "/endpointslice.so";
    struct sink sink = { 0 };
    (void)state;
    assert_int_equal(relate_data(slice, "slice_targets.json", &sink), 0);
    ASSERT_LINES(&sink,
                 WEB "good ip=\"10.0.2.6\" port=443 protocol=\"TCP\" portName=\"\" ready=1?");
    sink_clear(&sink);
}

static void test_B61_ports(void **state)
{
    const char *slice = PLUGINS "/endpointslice.so";
    struct sink sink = { 0 };
    (void)state;
    assert_int_equal(relate_data(slice, "slice_ports.json", &sink), 0);
    ASSERT_LINES(&sink, WEB "p ip=\"10.0.3.1\" protocol=\"TCP\" portName=\"any\" ready=1?",
                 WEB "p ip=\"10.0.3.1\" protocol=\"SCTP\" portName=\"\" ready=1?");
    assert_int_equal(relate_data(slice, "slice_no_ports.json", &sink), 0);
    ASSERT_LINES(&sink, WEB "p ip=\"fd00::1\" ready=1?");
    sink_clear(&sink);
}

static void test_slices_that_say_nothing(void **state)
{
    const char *slice = PLUGINS "/endpointslice.so";
    struct sink sink = { 0 };
    (void)state;
    assert_int_equal(relate_data(slice, "slice_no_service.json", &sink), 0);
    assert_int_equal(sink.n, 0);
    assert_int_equal(relate_data(slice, "slice_bad_types.json", &sink), 0);
    assert_int_equal(sink.n, 0);
}

static void test_the_hosts_no_ends_the_walk(void **state)
{
    const char *slice = PLUGINS "/endpointslice.so";
    struct sink sink = { .fail_at = 3 };
    (void)state;
    assert_int_equal(relate_data(slice, "slice.json", &sink), KD_ETOOBIG);
    assert_int_equal(sink.n, 2);
    sink.fail_at = 1;
    assert_int_equal(relate_data(slice, "slice_no_ports.json", &sink), KD_ETOOBIG);
    sink_clear(&sink);
}

/* Two files export functions of one name, one of which the host has too: each calls its own. */
static void test_B70_symbols_of_the_same_name(void **state)
{
    struct sink sink = { 0 };
    (void)state;
    assert_int_equal(relate_data(TEST_PLUGINS "/same-one.so", "pod_pending.json", &sink), 0);
    ASSERT_LINES(&sink, "Plugins Pod/shop/waiting -> Pod/shop/waiting",
                 "SameOne Pod/shop/waiting -> Pod/shop/waiting");
    assert_int_equal(relate_data(TEST_PLUGINS "/same-two.so", "pod_pending.json", &sink), 0);
    ASSERT_LINES(&sink, "Plugins Pod/shop/waiting -> Pod/shop/waiting",
                 "SameTwo Pod/shop/waiting -> Pod/shop/waiting");
    assert_string_equal(kd_errno_text(KD_ENOENT), "not found");
    sink_clear(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pod),
        cmocka_unit_test(test_slice),
        cmocka_unit_test(test_B61_conditions),
        cmocka_unit_test(test_B61_targets_that_are_no_pods),
        cmocka_unit_test(test_B61_ports),
        cmocka_unit_test(test_slices_that_say_nothing),
        cmocka_unit_test(test_the_hosts_no_ends_the_walk),
        cmocka_unit_test(test_B70_symbols_of_the_same_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
