/*
 * What depends on a resource, transitively. A relation's subject depends on its object (a pod on
 * its node, its claims and configmaps; a service on its pods); of an OwnerReference the object
 * depends on its subject, for what is owned goes with its owner.
 *
 * Two effects are told apart: what the root owns, directly or not, goes with it, and so does what
 * is in a namespace; everything else is affected. Whoever owns something affected is affected too
 * (a deployment by one of its pods), but that does not reach down to what it owns besides.
 */
#include "base/ref.h"
#include "base/str.h"
#include "server/api.h"
#include "server/ask.h"
#include "server/graph_text.h"
#include "server/write.h"

static bool is_type(const struct kd_stored_relation *relation, const char *type)
{
    return kd_str_is(relation->type, type);
}

static void release_search(void *state)
{
    kd_traverse_release(state);
}

/* What goes with a node: what it owns, and a namespace's content. */
static bool follow_owned(const struct kd_graph_node *from,
                         const struct kd_stored_relation *relation, bool out)
{
    (void)from;
    return is_type(relation, out ? "OwnerReference" : "InNamespace");
}

static void mark_level(struct kd_traverse *search, uint64_t depth)
{
    struct kd_graph_node *node = kd_traverse_first(search, depth);
    for (; node; node = node->next_level) {
        node->marked = true;
    }
}

/* What goes with the root, level by level, and gets the mark. */
static int find_owned(struct kd_traverse *search)
{
    int n = 1;
    search->follow = follow_owned;
    for (uint64_t depth = 0; n > 0; depth++) {
        n = kd_traverse_level(search, depth);
        mark_level(search, depth);
    }
    return n;
}

/* Owned nodes have several depths: a level without nodes ends the search only behind the deepest.
 */
static int find_affected(struct kd_traverse *search)
{
    uint64_t deepest = 0;
    search->directions = KD_FOLLOW_IN;
    search->follow = NULL;
    for (const struct kd_graph_node *node = search->first; node; node = node->next) {
        deepest = node->depth > deepest ? node->depth : deepest;
    }
    int n = 1;
    for (uint64_t depth = 0; n > 0 || depth <= deepest; depth++) {
        n = kd_traverse_level(search, depth);
        KD_TRY(n);
    }
    return 0;
}

static int find_impact(struct kd_answer *answer, struct kd_traverse *search)
{
    KD_TRY(kd_ask_root(answer, "root", search));
    int rc = find_owned(search);
    rc = rc < 0 ? rc : find_affected(search);
    rc = rc < 0 ? rc : kd_traverse_identify(search);
    return rc < 0 ? kd_ask_fail(answer, rc) : 0;
}

static void write_answer(struct kd_buf *out, const struct kd_traverse *search, uint64_t seq)
{
    (void)kd_buf_puts(out, "{\"root\":"); /* appends are remembered by the buffer */
    kd_ref_put_json(out, &search->first->ref);
    (void)kd_buf_puts(out, ",\"nodes\":[");
    for (const struct kd_graph_node *node = search->first->next; node; node = node->next) {
        (void)kd_buf_puts(out, node == search->first->next ? "" : ",");
        kd_graph_put_node(out, node);
        (void)kd_buf_printf(out, ",\"effect\":\"%s\"}", node->marked ? "goes" : "affected");
    }
    (void)kd_buf_puts(out, "],");
    kd_graph_put_edges(out, search);
    (void)kd_buf_printf(out, ",\"seq\":%llu}\n", (unsigned long long)seq);
}

int kd_api_impact(struct kd_answer *answer)
{
    struct kd_traverse *search = kd_arena_alloc(&answer->arena, sizeof(*search));
    uint64_t seq = 0;
    KD_ENSURE(search, KD_ENOMEM);
    kd_traverse_init(search, answer->context->store, &answer->arena);
    answer->state = search;
    answer->release = release_search;
    KD_TRY(kd_store_view_begin(answer->context->store, &seq));
    int rc = find_impact(answer, search);
    kd_store_view_end(answer->context->store);
    KD_TRY(rc);
    write_answer(&answer->piece, search, seq);
    return KD_STEP_DONE;
}
