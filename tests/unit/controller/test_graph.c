/* Two kinds through to the real store: the graph, and what a restart finds of it. */
#include "unit/controller/fixture.h"

struct graph {
    struct world pods, nodes;
    struct kd_store *store;
    char folder[64];
    char path[96];
};

static void open_store(struct graph *graph)
{
    struct kd_error err = { 0 };
    struct kd_store_settings settings = {
        .path = graph->path, .batch_size = 100, .flush_interval_ns = KD_MS_NS, .feed_keep = 1000
    };
    if (kd_store_open(&settings, &kd_system_clock, NULL, &graph->store, &err) < 0) {
        fail_msg("%s", err.text);
    }
}

static void start(struct graph *graph)
{
    struct kd_scopes none = { 0 };
    struct kd_pool *pool = kd_pool_new(&kd_system_clock, NULL);
    open_store(graph);
    world_init_pods(&graph->pods);
    world_init(&graph->nodes, "Node");
    graph->nodes.guest = true;
    world_start_on(&graph->pods, pool, graph->store, NULL, none);
    world_start_on(&graph->nodes, pool, graph->store, NULL, none);
}

static void stop(struct graph *graph)
{
    assert_true(kd_pool_stop(graph->pods.pool, in_ns(60 * KD_SEC_NS)));
    world_release(&graph->nodes);
    world_release(&graph->pods);
    kd_store_close(graph->store);
}

static int set_up(void **state)
{
    static struct graph graph;
    graph = (struct graph){ .folder = "/tmp/kd-controller-test.XXXXXX" };
    assert_non_null(mkdtemp(graph.folder));
    (void)snprintf(graph.path, sizeof(graph.path), "%s/graph.db", graph.folder);
    *state = &graph;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const endings[] = { "", "-wal", "-shm", ".lock" };
    struct graph *graph = *state;
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        KD_AUTO_FREE char *path = kd_asprintf("%s%s", graph->path, endings[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(graph->folder), 0);
    return 0;
}

static int add_name(void *arg, const struct kd_stored *stored)
{
    return kd_buf_printf(arg, KD_STR_FMT "/" KD_STR_FMT "#" KD_STR_FMT "@" KD_STR_FMT " ",
                         KD_STR_ARG(stored->ref.kind), KD_STR_ARG(stored->ref.name),
                         KD_STR_ARG(stored->ref.uid), KD_STR_ARG(stored->version_text));
}

/* Workers put them in any order, so they are compared sorted. */
struct lines {
    char text[16][64];
    size_t n;
};

static int add_relation(void *arg, const struct kd_stored_relation *relation)
{
    struct lines *lines = arg;
    assert_true(lines->n < sizeof(lines->text) / sizeof(lines->text[0]));
    (void)snprintf(lines->text[lines->n++], sizeof(lines->text[0]), "%s>%s%s ",
                   relation->subject.name.ptr, relation->object.name.ptr,
                   relation->resolved ? "" : "?");
    return 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Every resource, then every relation. */
static void assert_graph(struct graph *graph, const char *expected)
{
    struct kd_buf text;
    const struct kd_match all = { 0 };
    kd_buf_init(&text, KD_MIB);
    WAIT_UNTIL(world_is_idle(&graph->pods) && world_is_idle(&graph->nodes));
    assert_int_equal(kd_store_flush(graph->store), 0);
    assert_int_equal(kd_store_each(graph->store, &all, NULL, false, add_name, &text), 0);
    struct lines lines = { .n = 0 };
    assert_int_equal(
        kd_store_each_relation(graph->store, NULL, NULL, NULL, 0, add_relation, &lines), 0);
    qsort(lines.text, lines.n, sizeof(lines.text[0]), by_text);
    for (size_t i = 0; i < lines.n; i++) {
        assert_int_equal(kd_buf_puts(&text, lines.text[i]), 0);
    }
    assert_string_equal(text.ptr ? text.ptr : "", expected);
    kd_buf_release(&text);
}

static void sync_both(struct graph *graph, const char *pods, const char *nodes)
{
    world_list(&graph->pods, pods);
    world_list(&graph->nodes, nodes);
    WAIT_UNTIL(world_is_synced(&graph->pods) && world_is_synced(&graph->nodes));
}

#define ON_NODE(node) ",\"spec\":{\"nodeName\":\"" node "\"}"

static void test_B32_graph(void **state)
{
    struct graph *graph = *state;
    start(graph);
    sync_both(graph, LIST("1", "", ""), LIST("1", "", ""));
    fake_send(&graph->pods.fake, EVENT("ADDED", POD("a", "p", "2", ON_NODE("n9"))));
    assert_graph(graph, "Pod/p#u-p@2 p>n9? ");
    fake_send(&graph->pods.fake, EVENT("DELETED", POD("a", "p", "3", ON_NODE("n9"))));
    fake_send(&graph->nodes.fake, EVENT("ADDED", POD("", "n9", "4", "")));
    assert_graph(graph, "Node/n9#u-n9@4 ");
    stop(graph);
}

static void test_restart(void **state)
{
    struct graph *graph = *state;
    start(graph);
    sync_both(graph,
              LIST("5", "", POD("a", "p", "2", ON_NODE("n")) "," POD("a", "q", "3", ON_NODE("n"))),
              LIST("5", "", POD("", "n", "4", "")));
    assert_graph(graph, "Node/n#u-n@4 Pod/p#u-p@2 Pod/q#u-q@3 p>n q>n ");
    assert_int_equal(world_status(&graph->pods).stored, 2);
    stop(graph);

    start(graph); /* p was deleted while nobody looked, q has moved */
    sync_both(graph, LIST("9", "", POD("a", "q", "8", ON_NODE("m"))),
              LIST("9", "", POD("", "n", "4", "")));
    assert_graph(graph, "Node/n#u-n@4 Pod/q#u-q@8 q>m? ");
    stop(graph);
}

static void test_same_name_new_uid(void **state)
{
    struct graph *graph = *state;
    start(graph);
    sync_both(graph, LIST("5", "", POD("a", "p", "2", ON_NODE("n"))), LIST("5", "", ""));
    gate_set(&graph->pods.gate, true); /* delete and create come as one */
    fake_send(&graph->pods.fake, EVENT("DELETED", POD("a", "p", "6", "")));
    fake_send(&graph->pods.fake,
              EVENT("ADDED", "{\"metadata\":{\"name\":\"p\",\"namespace\":\"a\",\"uid\":\"new\","
                             "\"resourceVersion\":\"7\"}}"));
    gate_set(&graph->pods.gate, false);
    assert_graph(graph, "Pod/p#new@7 ");
    stop(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_B32_graph, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_restart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_same_name_new_uid, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
