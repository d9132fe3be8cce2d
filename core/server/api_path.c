/*
 * A shortest path between two resources, searched from both ends: of the two fronts always the
 * smaller one takes a step, until a node has been seen from both sides.
 */
#include "base/ref.h"
#include "base/str.h"
#include "server/api.h"
#include "server/ask.h"
#include "server/graph_text.h"
#include "server/write.h"

struct side {
    struct kd_traverse search;
    uint64_t depth; /* of the front */
    size_t front;   /* nodes of that depth */
};

struct question {
    struct side from, to;
    const struct kd_graph_node *from_meets; /* the node where they meet, as each side has it */
    const struct kd_graph_node *to_meets;
};

static void release_question(void *state)
{
    struct question *question = state;
    kd_traverse_release(&question->from.search);
    kd_traverse_release(&question->to.search);
}

/* A path that one side walks from subject to object, the other one walks against it. */
static unsigned reversed(unsigned directions)
{
    return (directions & KD_FOLLOW_OUT ? KD_FOLLOW_IN : 0) |
           (directions & KD_FOLLOW_IN ? KD_FOLLOW_OUT : 0);
}

static int read_question(struct kd_answer *answer, struct question *question)
{
    struct kd_traverse *from = &question->from.search;
    struct kd_traverse *to = &question->to.search;
    kd_traverse_init(from, answer->context->store, &answer->arena);
    kd_traverse_init(to, answer->context->store, &answer->arena);
    KD_TRY(kd_ask_ways(answer, from));
    to->directions = reversed(from->directions);
    to->predicate = from->predicate;
    question->from.front = 1;
    question->to.front = 1;
    return 0;
}

/*
 * What a step has found on one side and the other side has found before: of these nodes the nearest
 * is on a shortest path.
 */
static void look_for_meeting(struct question *question, const struct side *side)
{
    bool is_from = side == &question->from;
    const struct kd_traverse *others = is_from ? &question->to.search : &question->from.search;
    const struct kd_graph_node *node = kd_traverse_first(&side->search, side->depth);
    uint64_t best = UINT64_MAX;
    for (; node; node = node->next_level) {
        const struct kd_graph_node *other = kd_traverse_find(others, &node->ref);
        if (other && other->depth < best) {
            best = other->depth;
            question->from_meets = is_from ? node : other;
            question->to_meets = is_from ? other : node;
        }
    }
}

static int take_step(struct side *side)
{
    size_t before = side->search.nodes.n;
    int rc = kd_traverse_level(&side->search, side->depth++);
    side->front = side->search.nodes.n - before;
    return rc < 0 ? rc : 0;
}

static int find_path(struct kd_answer *answer, struct question *question)
{
    KD_TRY(kd_ask_root(answer, "from", &question->from.search));
    KD_TRY(kd_ask_root(answer, "to", &question->to.search));
    look_for_meeting(question, &question->from);
    while (!question->from_meets && question->from.front && question->to.front) {
        bool from_next = question->from.front <= question->to.front;
        struct side *side = from_next ? &question->from : &question->to;
        int rc = take_step(side);
        if (rc < 0) {
            return kd_ask_fail(answer, rc);
        }
        look_for_meeting(question, side);
    }
    int rc = kd_traverse_identify(&question->from.search);
    rc = rc < 0 ? rc : kd_traverse_identify(&question->to.search);
    return rc < 0 ? kd_ask_fail(answer, rc) : 0;
}

static const struct kd_graph_node *before(const struct kd_graph_node *node)
{
    const struct kd_edge *via = node->via;
    return !via ? NULL : via->subject == node ? via->object : via->subject;
}

/* The path in the order in which it is walked: towards the meeting, then away from it. */
struct path {
    const struct kd_graph_node **nodes;
    const struct kd_edge **edges;
    size_t n_edges;
};

static int lay_out(struct kd_answer *answer, const struct question *question, struct path *ret)
{
    size_t n_from = question->from_meets->depth;
    size_t n = n_from + question->to_meets->depth;
    *ret = (struct path){
        .nodes = kd_arena_alloc(&answer->arena, (n + 1) * sizeof(struct kd_graph_node *)),
        .edges = kd_arena_alloc(&answer->arena, (n + 1) * sizeof(struct kd_edge *)),
        .n_edges = n,
    };
    KD_ENSURE(ret->nodes && ret->edges, KD_ENOMEM);
    const struct kd_graph_node *node = question->from_meets;
    for (size_t i = n_from + 1; i-- > 0; node = before(node)) {
        ret->nodes[i] = node;
        if (i > 0) {
            ret->edges[i - 1] = node->via;
        }
    }
    node = question->to_meets;
    for (size_t i = n_from; i < n; i++) {
        ret->edges[i] = node->via;
        node = before(node);
        ret->nodes[i + 1] = node;
    }
    return 0;
}

static void write_nodes(struct kd_buf *out, const struct path *path)
{
    for (size_t i = 0; i <= path->n_edges; i++) {
        struct kd_graph_node node = *path->nodes[i];
        node.depth = i;                       /* from the path's begin, whichever side found it */
        (void)kd_buf_puts(out, i ? "," : ""); /* appends are remembered by the buffer */
        kd_graph_put_node(out, &node);
        (void)kd_buf_puts(out, "}");
    }
}

static int write_answer(struct kd_answer *answer, const struct question *question, uint64_t seq)
{
    struct kd_buf *out = &answer->piece;
    struct path path = { 0 };
    bool found = question->from_meets != NULL;
    if (found) {
        KD_TRY(lay_out(answer, question, &path));
    }
    (void)kd_buf_puts(out, "{\"from\":"); /* as above */
    kd_ref_put_json(out, &question->from.search.first->ref);
    (void)kd_buf_puts(out, ",\"to\":");
    kd_ref_put_json(out, &question->to.search.first->ref);
    (void)kd_buf_printf(out, ",\"found\":%s,\"nodes\":[", found ? "true" : "false");
    if (found) {
        write_nodes(out, &path);
    }
    (void)kd_buf_puts(out, "],\"relationships\":[");
    for (size_t i = 0; i < path.n_edges; i++) {
        (void)kd_buf_puts(out, i ? "," : "");
        kd_write_relation(out, &path.edges[i]->relation);
    }
    (void)kd_buf_printf(out, "],\"seq\":%llu}\n", (unsigned long long)seq);
    return KD_STEP_DONE;
}

int kd_api_path(struct kd_answer *answer)
{
    struct question *question = kd_arena_alloc(&answer->arena, sizeof(*question));
    uint64_t seq = 0;
    KD_ENSURE(question, KD_ENOMEM);
    *question = (struct question){ 0 };
    answer->state = question;
    answer->release = release_question;
    KD_TRY(read_question(answer, question));
    KD_TRY(kd_store_view_begin(answer->context->store, &seq));
    int rc = find_path(answer, question);
    kd_store_view_end(answer->context->store);
    KD_TRY(rc);
    return write_answer(answer, question, seq);
}
