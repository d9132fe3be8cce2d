/* The part of the graph around a root. */
#include "base/ref.h"
#include "base/str.h"
#include "server/api.h"
#include "server/ask.h"
#include "server/graph_text.h"
#include "server/write.h"

#define DEFAULT_DEPTH 3

static void release_search(void *state)
{
    kd_traverse_release(state);
}

static int walk_graph(struct kd_answer *answer, struct kd_traverse *search, uint64_t depth)
{
    int rc = 1;
    KD_TRY(kd_ask_root(answer, "root", search));
    for (uint64_t level = 0; rc > 0 && level < depth; level++) {
        rc = kd_traverse_level(search, level);
    }
    rc = rc < 0 ? rc : kd_traverse_identify(search);
    return rc < 0 ? kd_ask_fail(answer, rc) : 0;
}

static void write_json(struct kd_buf *out, const struct kd_traverse *search, uint64_t seq)
{
    (void)kd_buf_puts(out, "{\"root\":"); /* appends are remembered by the buffer */
    kd_ref_put_json(out, &search->first->ref);
    (void)kd_buf_puts(out, ",\"nodes\":[");
    for (const struct kd_graph_node *node = search->first; node; node = node->next) {
        (void)kd_buf_puts(out, node == search->first ? "" : ",");
        kd_graph_put_node(out, node);
        (void)kd_buf_puts(out, "}");
    }
    (void)kd_buf_puts(out, "],");
    kd_graph_put_edges(out, search);
    (void)kd_buf_printf(out, ",\"seq\":%llu}\n", (unsigned long long)seq);
}

int kd_api_graph(struct kd_answer *answer)
{
    struct kd_traverse *search = kd_arena_alloc(&answer->arena, sizeof(*search));
    struct kd_str format = kd_params_get(&answer->params, "format");
    bool dot = kd_str_is(format, "dot");
    uint64_t depth = 0;
    uint64_t seq = 0;
    KD_ENSURE(search, KD_ENOMEM);
    kd_traverse_init(search, answer->context->store, &answer->arena);
    answer->state = search;
    answer->release = release_search;
    if (format.len > 0 && !dot && !kd_str_is(format, "json")) {
        return kd_answer_fail(answer, 400, "format must be json or dot");
    }
    KD_TRY(kd_ask_ways(answer, search));
    KD_TRY(kd_ask_depth(answer, DEFAULT_DEPTH, &depth));
    KD_TRY(kd_store_view_begin(answer->context->store, &seq));
    int rc = walk_graph(answer, search, depth);
    kd_store_view_end(answer->context->store);
    KD_TRY(rc);
    if (dot) {
        answer->content_type = "text/vnd.graphviz";
        kd_graph_put_dot(&answer->piece, search);
    } else {
        write_json(&answer->piece, search, seq);
    }
    return KD_STEP_DONE;
}
