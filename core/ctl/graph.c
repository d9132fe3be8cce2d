#include "ctl/graph.h"

#include "base/limits.h"
#include "base/ref.h"
#include "base/str.h"
#include "ctl/resources.h"
#include "json/json.h"

#include <stdlib.h>

struct end {
    struct kd_ctl_node *subject, *object;
    struct kd_ctl_relation *relation;
};

struct reading {
    struct kd_ctl_graph *graph;
    struct kd_value relations;
    struct end *ends;
    size_t n_ends;
    bool out, in;
};

bool kd_ctl_is_ownership(const struct kd_ctl_relation *relation)
{
    return kd_str_is(relation->type, "OwnerReference");
}

static struct kd_ctl_node *find_node(const struct kd_ctl_graph *graph, const struct kd_ref *ref)
{
    struct kd_hnode *hash = kd_hmap_first(&graph->map, kd_ref_hash(ref));
    for (; hash; hash = kd_hmap_next_same(hash)) {
        struct kd_ctl_node *node = KD_CONTAINER_OF(hash, struct kd_ctl_node, hash);
        if (kd_ref_same(&node->ref, ref)) {
            return node;
        }
    }
    return NULL;
}

static size_t count_of(struct kd_value list)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value item;
    size_t n = 0;
    kd_json_iter_init(&iter, list);
    while (kd_json_iter_next(&iter, &key, &item)) {
        n++;
    }
    return n;
}

static void *alloc_array(struct kd_arena *arena, size_t n, size_t size)
{
    void *ptr = kd_arena_alloc(arena, n * size); /* n is bounded by the answer's length */
    if (ptr) {
        memset(ptr, 0, n * size);
    }
    return ptr;
}

static bool true_at(struct kd_value item, const char *member)
{
    struct kd_value value = { 0 };
    return kd_json_get(item, kd_str_from(member), &value) && kd_json_true(value);
}

static int read_nodes(struct kd_ctl_graph *graph, struct kd_value list)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value item;
    graph->nodes = alloc_array(&graph->arena, count_of(list), sizeof(*graph->nodes));
    KD_ENSURE(graph->nodes, KD_ENOMEM);
    kd_json_iter_init(&iter, list);
    while (kd_json_iter_next(&iter, &key, &item)) {
        struct kd_ctl_node *node = &graph->nodes[graph->n_nodes++];
        struct kd_value depth = { 0 };
        int64_t number = 0;
        node->ref = kd_ctl_ref_of(item, "ref", &graph->arena);
        node->present = true_at(item, "present");
        if (!kd_json_get(item, KD_STR("depth"), &depth) || kd_json_int(depth, &number) < 0 ||
            number < 0) {
            return KD_EPARSE;
        }
        node->depth = (uint64_t)number;
        kd_hmap_add(&graph->map, &node->hash, kd_ref_hash(&node->ref));
    }
    return 0;
}

/* Notes both ends of each relation and counts the links of each node. */
static int read_relations(struct reading *reading)
{
    struct kd_ctl_graph *graph = reading->graph;
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value item;
    size_t n = count_of(reading->relations);
    struct kd_ctl_relation *relations = alloc_array(&graph->arena, n, sizeof(*relations));
    reading->ends = alloc_array(&graph->arena, n, sizeof(*reading->ends));
    KD_ENSURE(relations && reading->ends, KD_ENOMEM);
    kd_json_iter_init(&iter, reading->relations);
    while (kd_json_iter_next(&iter, &key, &item)) {
        struct end *end = &reading->ends[reading->n_ends];
        struct kd_ref subject = kd_ctl_ref_of(item, "subject", &graph->arena);
        struct kd_ref object = kd_ctl_ref_of(item, "object", &graph->arena);
        struct kd_value predicate = { 0 };
        end->relation = &relations[reading->n_ends++];
        end->subject = find_node(graph, &subject);
        end->object = find_node(graph, &object);
        KD_ENSURE(end->subject && end->object, KD_EPARSE);
        KD_ENSURE(kd_json_get(item, KD_STR("predicate"), &predicate), KD_EPARSE);
        end->relation->type = kd_json_get_str(predicate, KD_STR("type"), &graph->arena);
        end->relation->resolved = true_at(item, "resolved");
        end->subject->n_links += reading->out;
        end->object->n_links += reading->in;
    }
    return 0;
}

static int by_order(const void *a, const void *b)
{
    const struct kd_ctl_link *x = a;
    const struct kd_ctl_link *y = b;
    bool x_owns = kd_ctl_is_ownership(x->relation);
    bool y_owns = kd_ctl_is_ownership(y->relation);
    if (x->out != y->out) {
        return x->out ? -1 : 1;
    }
    if (x_owns != y_owns) {
        return x_owns ? -1 : 1;
    }
    int order = kd_str_cmp(x->relation->type, y->relation->type);
    return order ? order : kd_ref_cmp(&x->other->ref, &y->other->ref);
}

static void add_link(struct kd_ctl_node *node, const struct end *end, bool out)
{
    node->links[node->n_links++] = (struct kd_ctl_link){
        .relation = end->relation,
        .other = out ? end->object : end->subject,
        .out = out,
    };
}

static int make_links(struct reading *reading)
{
    struct kd_ctl_graph *graph = reading->graph;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        struct kd_ctl_node *node = &graph->nodes[i];
        node->links = alloc_array(&graph->arena, node->n_links, sizeof(*node->links));
        KD_ENSURE(node->links, KD_ENOMEM);
        node->n_links = 0;
    }
    for (size_t i = 0; i < reading->n_ends; i++) {
        const struct end *end = &reading->ends[i];
        if (reading->out) {
            add_link(end->subject, end, true);
        }
        if (reading->in) {
            add_link(end->object, end, false);
        }
    }
    for (size_t i = 0; i < graph->n_nodes; i++) {
        struct kd_ctl_node *node = &graph->nodes[i];
        qsort(node->links, node->n_links, sizeof(*node->links), by_order);
    }
    return 0;
}

static int read_answer(struct reading *reading, struct kd_value answer)
{
    struct kd_ctl_graph *graph = reading->graph;
    struct kd_value nodes = { 0 };
    KD_ENSURE(kd_json_get(answer, KD_STR("nodes"), &nodes), KD_EPARSE);
    KD_ENSURE(kd_json_get(answer, KD_STR("relationships"), &reading->relations), KD_EPARSE);
    KD_TRY(read_nodes(graph, nodes));
    struct kd_ref root = kd_ctl_ref_of(answer, "root", &graph->arena);
    graph->root = find_node(graph, &root);
    KD_ENSURE(graph->root, KD_EPARSE);
    KD_TRY(read_relations(reading));
    return make_links(reading);
}

int kd_ctl_graph_init(struct kd_ctl_graph *graph, struct kd_value answer, bool out, bool in,
                      struct kd_error *reterr)
{
    struct reading reading = { .graph = graph, .out = out, .in = in };
    *graph = (struct kd_ctl_graph){ 0 };
    kd_arena_init(&graph->arena, 2 * KD_GIB);
    int rc = read_answer(&reading, answer);
    return rc < 0 ? kd_fail(reterr, rc, "the graph's answer: %s", kd_errno_text(rc)) : 0;
}

void kd_ctl_graph_release(struct kd_ctl_graph *graph)
{
    if (graph) {
        kd_hmap_release(&graph->map);
        kd_arena_release(&graph->arena);
    }
}
