/* Answers of /api/v1/graph as trees. */
#include "ctl_test.h"

#include "base/alloc.h"
#include "ctl/graph.h"
#include "ctl/tree.h"

#define REF(kind, ns, name)                                                                        \
    "{\"group\":\"\",\"version\":\"v1\",\"kind\":\"" kind "\",\"namespace\":\"" ns                 \
    "\",\"name\":\"" name "\",\"uid\":\"\"}"
#define NODE(ref, depth) "{\"ref\":" ref ",\"depth\":" #depth ",\"present\":true}"
#define LOST(ref, depth) "{\"ref\":" ref ",\"depth\":" #depth ",\"present\":false}"
#define RELATION(type, subject, object, resolved)                                                  \
    "{\"predicate\":{\"type\":\"" type "\"},\"subject\":" subject ",\"object\":" object            \
    ",\"resolved\":" #resolved "}"
#define OWNS(subject, object) RELATION("OwnerReference", subject, object, true)
#define RUNS_ON(subject, object) RELATION("PodNodeBinding", subject, object, true)
#define GRAPH(root, nodes, relations)                                                              \
    "{\"root\":" root ",\"nodes\":[" nodes "],\"relationships\":[" relations "],\"seq\":1}"

#define WEB REF("Deployment", "shop", "web")
#define SET REF("ReplicaSet", "shop", "web-1")
#define POD_A REF("Pod", "shop", "web-1-a")
#define POD_B REF("Pod", "shop", "web-1-b")
#define NODE_1 REF("Node", "", "n1")
#define NODE_2 REF("Node", "", "n2")

static const char rollout[] =
    GRAPH(WEB,
          NODE(WEB, 0) "," NODE(SET, 1) "," NODE(POD_B, 2) "," NODE(POD_A, 2) "," NODE(
              NODE_1, 3) "," LOST(NODE_2, 3),
          RUNS_ON(POD_B, NODE_1) "," RELATION("PodNodeBinding", POD_A, NODE_2, false) "," OWNS(
              SET, POD_B) "," OWNS(SET, POD_A) "," OWNS(WEB, SET));

static void assert_tree(const char *answer, bool out_links, bool in_links, bool lines,
                        const char *expected)
{
    struct kd_ctl_graph graph;
    struct kd_error error = { 0 };
    struct kd_buf out;
    kd_buf_init(&out, KD_MIB);
    if (kd_ctl_graph_init(&graph, parsed(answer), out_links, in_links, &error) < 0) {
        fail_msg("%s", error.text);
    }
    const struct kd_ctl_tree_style style = { .lines = lines };
    kd_ctl_tree_put(&out, &graph, &style);
    kd_ctl_graph_release(&graph);
    assert_out(&out, expected);
}

static void draws_a_rollout(void **state)
{
    (void)state;
    assert_tree(rollout, true, false, false,
                "Deployment shop/web\n"
                "`- ReplicaSet shop/web-1\n"
                "   |- Pod shop/web-1-a\n"
                "   |  `- PodNodeBinding -> Node n2  (not there)\n"
                "   `- Pod shop/web-1-b\n"
                "      `- PodNodeBinding -> Node n1\n");
    assert_tree(rollout, true, false, true,
                "Deployment shop/web\n"
                "\xe2\x94\x94\xe2\x94\x80 ReplicaSet shop/web-1\n"
                "   \xe2\x94\x9c\xe2\x94\x80 Pod shop/web-1-a\n"
                "   \xe2\x94\x82  \xe2\x94\x94\xe2\x94\x80 PodNodeBinding -> Node n2  (not there)\n"
                "   \xe2\x94\x94\xe2\x94\x80 Pod shop/web-1-b\n"
                "      \xe2\x94\x94\xe2\x94\x80 PodNodeBinding -> Node n1\n");
}

static void shows_states(void **state)
{
    struct kd_ctl_graph graph;
    struct kd_buf out;
    (void)state;
    kd_buf_init(&out, KD_MIB);
    assert_int_equal(
        kd_ctl_graph_init(&graph, parsed(GRAPH(POD_A, NODE(POD_A, 0), "")), true, true, NULL), 0);
    graph.root->state = KD_STR("Running\x1b");
    const struct kd_ctl_tree_style style = { .lines = false };
    kd_ctl_tree_put(&out, &graph, &style);
    kd_ctl_graph_release(&graph);
    assert_out(&out, "Pod shop/web-1-a  Running\n");
}

static void draws_upwards(void **state)
{
    static const char answer[] = GRAPH(NODE_1, NODE(NODE_1, 0) "," NODE(POD_A, 1) "," NODE(SET, 2),
                                       RUNS_ON(POD_A, NODE_1) "," OWNS(SET, POD_A));
    (void)state;
    assert_tree(answer, false, true, false,
                "Node n1\n"
                "`- PodNodeBinding <- Pod shop/web-1-a\n"
                "   `- OwnerReference <- ReplicaSet shop/web-1\n");
}

/* Both directions: each relation once, each node opened up once, next to the root. */
static void draws_both_ways(void **state)
{
    static const char answer[] =
        GRAPH(POD_A, NODE(POD_A, 0) "," NODE(NODE_1, 1) "," NODE(SET, 1) "," NODE(POD_B, 2),
              RUNS_ON(POD_A, NODE_1) "," RUNS_ON(POD_B,
                                                 NODE_1) "," OWNS(SET, POD_A) "," OWNS(SET, POD_B));
    (void)state;
    assert_tree(answer, true, true, false,
                "Pod shop/web-1-a\n"
                "|- PodNodeBinding -> Node n1\n"
                "|  `- PodNodeBinding <- Pod shop/web-1-b\n"
                "|     `- OwnerReference <- ReplicaSet shop/web-1  (opened up elsewhere)\n"
                "`- OwnerReference <- ReplicaSet shop/web-1\n");
}

static void survives_circles(void **state)
{
    static const char answer[] = GRAPH(SET, NODE(SET, 0) "," NODE(POD_A, 1),
                                       OWNS(SET, SET) "," OWNS(SET, POD_A) "," OWNS(POD_A, SET));
    (void)state;
    assert_tree(answer, true, false, false,
                "ReplicaSet shop/web-1\n"
                "|- Pod shop/web-1-a\n"
                "|  `- ReplicaSet shop/web-1  (opened up elsewhere)\n"
                "`- ReplicaSet shop/web-1  (opened up elsewhere)\n");
    assert_tree(answer, true, true, false,
                "ReplicaSet shop/web-1\n"
                "|- Pod shop/web-1-a\n"
                "|  `- ReplicaSet shop/web-1  (opened up elsewhere)\n"
                "`- ReplicaSet shop/web-1  (opened up elsewhere)\n");
}

static void ports_are_one_line(void **state)
{
    static const char answer[] =
        GRAPH(WEB, NODE(WEB, 0) "," NODE(POD_A, 1),
              RELATION("ServiceEndpoint", WEB, POD_A, false) "," RELATION(
                  "Other", WEB, POD_A, true) "," RELATION("ServiceEndpoint", WEB, POD_A, false));
    (void)state;
    assert_tree(answer, true, false, false,
                "Deployment shop/web\n"
                "|- Other -> Pod shop/web-1-a\n"
                "`- ServiceEndpoint -> Pod shop/web-1-a  (another uid)\n");
}

static void refuses_other_documents(void **state)
{
    static const char *const bad[] = {
        "{}",
        "[]",
        "{\"root\":{},\"nodes\":[],\"relationships\":[]}",
        GRAPH(WEB, NODE(SET, 0), ""),
        GRAPH(WEB, NODE(WEB, 0), OWNS(WEB, SET)),
        GRAPH(WEB, NODE(WEB, -1), ""),
        GRAPH(WEB, "{\"ref\":" WEB "}", ""),
        GRAPH(WEB, NODE(WEB, 0), "{\"subject\":" WEB ",\"object\":" WEB "}"),
    };
    (void)state;
    for (size_t i = 0; i < KD_ARRAY_LEN(bad); i++) {
        struct kd_ctl_graph graph;
        struct kd_error error = { 0 };
        assert_int_equal(kd_ctl_graph_init(&graph, parsed(bad[i]), true, true, &error), KD_EPARSE);
        assert_non_null(strstr(error.text, "graph"));
        kd_ctl_graph_release(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(draws_a_rollout),         TEST(shows_states),     TEST(draws_upwards),
        TEST(draws_both_ways),         TEST(survives_circles), TEST(ports_are_one_line),
        TEST(refuses_other_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
