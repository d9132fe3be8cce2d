#include "ctl/commands.h"

#include "base/limits.h"
#include "base/str.h"
#include "ctl/emit.h"
#include "ctl/graph.h"
#include "ctl/mermaid.h"
#include "ctl/resources.h"
#include "ctl/root.h"
#include "ctl/svg.h"
#include "ctl/tree.h"
#include "ctl/view.h"
#include "json/json.h"

#define TARGET_MAX (64 * KD_KIB)

static int write_target(struct kd_ctl_session *session, struct kd_buf *target,
                        struct kd_error *reterr)
{
    const struct kd_ctl_options *options = session->options;
    (void)kd_buf_printf(target, "/api/v1/graph?depth=%llu", (unsigned long long)options->depth);
    KD_TRY(kd_ctl_root_add(session, target, "root", &options->root, reterr));
    kd_ctl_query_add(target, "direction", options->direction ? options->direction : "out");
    kd_ctl_query_add(target, "predicate", options->predicate);
    bool dot = options->format == KD_CTL_DOT || options->format == KD_CTL_SVG;
    kd_ctl_query_add(target, "format", dot ? "dot" : NULL);
    return kd_buf_failed(target) ? kd_fail(reterr, KD_ETOOBIG, "the question is too long") : 0;
}

struct state {
    struct kd_ctl_node *node;
    struct kd_buf text;
};

static int on_state(void *arg, struct kd_value item, struct kd_error *reterr)
{
    struct state *state = arg;
    KD_AUTO_ARENA struct kd_arena arena;
    (void)reterr;
    kd_arena_init(&arena, KD_MIB);
    struct kd_ref ref = kd_ctl_ref_of(item, "ref", &arena);
    if (kd_str_eq(ref.ns, state->node->ref.ns)) { /* no namespace asks for all of them */
        kd_ctl_view_summary(kd_ctl_view_of(&ref), item, &state->text);
    }
    return 0;
}

static int read_state(struct kd_ctl_session *session, struct kd_ctl_graph *graph,
                      struct kd_ctl_node *node, struct kd_error *reterr)
{
    struct state state = { .node = node };
    KD_AUTO_BUF struct kd_buf words;
    kd_buf_init(&state.text, TARGET_MAX);
    kd_buf_init(&words, TARGET_MAX);
    /* Kind with group, namespace and name behind each other, each as a C string. */
    (void)kd_buf_printf(&words, KD_STR_FMT "." KD_STR_FMT "%c" KD_STR_FMT "%c" KD_STR_FMT,
                        KD_STR_ARG(node->ref.kind), KD_STR_ARG(node->ref.group), 0,
                        KD_STR_ARG(node->ref.ns), 0, KD_STR_ARG(node->ref.name));
    if (kd_buf_failed(&words)) {
        return kd_fail(reterr, KD_ETOOBIG, "a name of the graph is too long");
    }
    const char *ns = words.ptr + strlen(words.ptr) + 1;
    const struct kd_ctl_query query = { .kind = words.ptr,
                                        .ns = ns[0] ? ns : NULL,
                                        .name = ns + strlen(ns) + 1 };
    int rc = kd_ctl_resources(session, &query, on_state, &state, reterr);
    if (rc == 0) {
        node->state = kd_arena_copy(&graph->arena, kd_buf_str(&state.text));
    }
    kd_buf_release(&state.text);
    return rc;
}

/* The graph's answer holds references alone; the states come with the objects. */
static int read_states(struct kd_ctl_session *session, struct kd_ctl_graph *graph,
                       struct kd_error *reterr)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        struct kd_ctl_node *node = &graph->nodes[i];
        if (node->present && kd_ctl_view_has_summary(kd_ctl_view_of(&node->ref))) {
            KD_TRY(read_state(session, graph, node, reterr));
        }
    }
    return 0;
}

static int put_tree(struct kd_ctl_session *session, struct kd_value answer, struct kd_error *reterr)
{
    const char *direction = session->options->direction;
    bool in = direction && strcmp(direction, "out") != 0;
    bool out = !direction || strcmp(direction, "in") != 0;
    KD_AUTO_CTL_GRAPH struct kd_ctl_graph graph = { 0 };
    KD_TRY(kd_ctl_graph_init(&graph, answer, out, in, reterr));
    KD_TRY(read_states(session, &graph, reterr));
    const struct kd_ctl_tree_style style = { session->utf8, session->colour };
    kd_ctl_tree_put(&session->out, &graph, &style);
    return 0;
}

/* Both directions come as what the nodes are the subjects of. */
static int put_mermaid(struct kd_ctl_session *session, struct kd_value answer,
                       struct kd_error *reterr)
{
    KD_AUTO_CTL_GRAPH struct kd_ctl_graph graph = { 0 };
    KD_TRY(kd_ctl_graph_init(&graph, answer, true, false, reterr));
    kd_ctl_mermaid_put(&session->out, &graph);
    return 0;
}

int kd_ctl_run_graph(struct kd_ctl_session *session, struct kd_error *reterr)
{
    KD_AUTO_BUF struct kd_buf target;
    KD_AUTO_BUF struct kd_buf body;
    struct kd_value answer = { 0 };
    kd_buf_init(&target, TARGET_MAX);
    kd_buf_init(&body, KD_CTL_ANSWER_MAX);
    KD_TRY(write_target(session, &target, reterr));
    if (session->options->format == KD_CTL_DOT) {
        return kd_ctl_copy(session, target.ptr, reterr);
    }
    if (session->options->format == KD_CTL_SVG) {
        return kd_ctl_svg(session, target.ptr, reterr);
    }
    KD_TRY(kd_ctl_fetch(session, target.ptr, &body, &answer, reterr));
    if (session->options->format == KD_CTL_TREE) {
        return put_tree(session, answer, reterr);
    }
    if (session->options->format == KD_CTL_MERMAID) {
        return put_mermaid(session, answer, reterr);
    }
    kd_ctl_json_put(&session->out, answer, 0);
    (void)kd_buf_putc(&session->out, '\n'); /* looked at when it is written */
    return 0;
}
