/* The part of the graph around a root: breadth first, each node and each relation once. */
#include "server/api.h"

#include "base/hash.h"
#include "base/hmap.h"
#include "base/limits.h"
#include "base/str.h"
#include "server/kindname.h"
#include "server/write.h"

#define DEFAULT_DEPTH 3
#define MAX_DEPTH 64

struct node {
    struct kd_hnode hash;
    struct node *next; /* in order of discovery */
    struct kd_ref ref;
    uint64_t depth;
    size_t number; /* for dot */
    bool present;  /* the resource is in the graph */
};

struct edge {
    struct kd_hnode hash;
    struct edge *next;
    struct kd_stored_relation relation;
    const struct node *subject, *object;
};

struct search {
    struct kd_answer *answer;
    struct kd_hmap nodes, edges;
    struct node *first, **last;
    struct edge *first_edge, **last_edge;
    const struct node *current;
    const char *predicate;
    uint64_t depth;
    uint64_t seq;
    bool out, in, dot;
};

static void release_search(void *state)
{
    struct search *search = state;
    kd_hmap_release(&search->nodes);
    kd_hmap_release(&search->edges);
}

static uint64_t hash_ref(const struct kd_ref *ref)
{
    uint64_t hash = kd_hash_str(ref->group);
    hash = kd_hash_mix(hash, kd_hash_str(ref->kind));
    hash = kd_hash_mix(hash, kd_hash_str(ref->ns));
    return kd_hash_mix(hash, kd_hash_str(ref->name));
}

static bool same_node(const struct kd_ref *a, const struct kd_ref *b)
{
    return kd_str_eq(a->name, b->name) && kd_str_eq(a->ns, b->ns) && kd_str_eq(a->kind, b->kind) &&
           kd_str_eq(a->group, b->group);
}

static bool copy_texts(struct kd_arena *arena, struct kd_str *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        *texts[i] = kd_arena_copy(arena, *texts[i]);
        if (!texts[i]->ptr) {
            return false;
        }
    }
    return true;
}

static bool copy_ref(struct kd_arena *arena, struct kd_ref *ref)
{
    struct kd_str *const texts[] = { &ref->group, &ref->version, &ref->kind,
                                     &ref->ns,    &ref->name,    &ref->uid };
    return copy_texts(arena, texts, KD_ARRAY_LEN(texts));
}

/* Finds or adds; NULL past the bound. */
static struct node *note_node(struct search *search, const struct kd_ref *ref, uint64_t depth)
{
    uint64_t hash = hash_ref(ref);
    for (struct kd_hnode *h = kd_hmap_first(&search->nodes, hash); h; h = kd_hmap_next_same(h)) {
        struct node *known = KD_CONTAINER_OF(h, struct node, hash);
        if (same_node(&known->ref, ref)) {
            return known;
        }
    }
    struct node *node = search->nodes.n < KD_MAX_GRAPH_NODES
                            ? kd_arena_alloc(&search->answer->arena, sizeof(*node))
                            : NULL;
    if (!node) {
        return NULL;
    }
    *node = (struct node){ .ref = *ref, .depth = depth, .number = search->nodes.n };
    if (!copy_ref(&search->answer->arena, &node->ref)) {
        return NULL;
    }
    kd_hmap_add(&search->nodes, &node->hash, hash);
    *search->last = node;
    search->last = &node->next;
    return node;
}

static bool knows_edge(struct search *search, uint64_t id)
{
    for (struct kd_hnode *h = kd_hmap_first(&search->edges, id); h; h = kd_hmap_next_same(h)) {
        if (KD_CONTAINER_OF(h, struct edge, hash)->relation.id == id) {
            return true;
        }
    }
    return false;
}

static int on_relation(void *arg, const struct kd_stored_relation *relation)
{
    struct search *search = arg;
    struct kd_arena *arena = &search->answer->arena;
    if (knows_edge(search, relation->id)) {
        return 0;
    }
    uint64_t depth = search->current->depth + 1;
    struct edge *edge = kd_arena_alloc(arena, sizeof(*edge));
    KD_ENSURE(edge, KD_ETOOBIG);
    *edge = (struct edge){ .relation = *relation };
    struct kd_str *const texts[] = { &edge->relation.type, &edge->relation.attrs };
    KD_ENSURE(copy_texts(arena, texts, KD_ARRAY_LEN(texts)), KD_ETOOBIG);
    KD_ENSURE(copy_ref(arena, &edge->relation.subject), KD_ETOOBIG);
    KD_ENSURE(copy_ref(arena, &edge->relation.object), KD_ETOOBIG);
    edge->subject = note_node(search, &relation->subject, depth);
    edge->object = note_node(search, &relation->object, depth);
    KD_ENSURE(edge->subject && edge->object, KD_ETOOBIG);
    kd_hmap_add(&search->edges, &edge->hash, relation->id);
    *search->last_edge = edge;
    search->last_edge = &edge->next;
    return 0;
}

/* NUL-terminated, since the arena's copies are. */
static struct kd_match match_of(const struct kd_ref *ref)
{
    return (struct kd_match){
        .group = ref->group.ptr, .kind = ref->kind.ptr, .ns = &ref->ns, .name = &ref->name
    };
}

static int look_around(struct search *search, struct node *node)
{
    struct kd_store *store = search->answer->context->store;
    struct kd_match match = match_of(&node->ref);
    struct kd_stored stored;
    struct kd_arena scratch;
    kd_arena_init(&scratch, KD_MAX_SCRATCH);
    int rc = kd_store_get(store, &match, &scratch, &stored);
    node->present = rc == 0;
    if (node->present) { /* the resource knows its own uid and version best */
        node->ref.uid = kd_arena_copy(&search->answer->arena, stored.ref.uid);
        node->ref.version = kd_arena_copy(&search->answer->arena, stored.ref.version);
    }
    kd_arena_release(&scratch);
    if (rc < 0 && rc != KD_ENOENT) {
        return rc;
    }
    search->current = node;
    if (node->depth >= search->depth) {
        return 0;
    }
    if (search->out) {
        KD_TRY(
            kd_store_each_relation(store, &match, NULL, search->predicate, 0, on_relation, search));
    }
    if (search->in) {
        KD_TRY(
            kd_store_each_relation(store, NULL, &match, search->predicate, 0, on_relation, search));
    }
    return 0;
}

static void write_json(struct search *search)
{
    struct kd_buf *out = &search->answer->piece;
    (void)kd_buf_puts(out, "{\"root\":"); /* appends are remembered by the buffer */
    kd_write_ref(out, &search->first->ref);
    (void)kd_buf_puts(out, ",\"nodes\":[");
    for (const struct node *node = search->first; node; node = node->next) {
        (void)kd_buf_puts(out, node == search->first ? "{\"ref\":" : ",{\"ref\":");
        kd_write_ref(out, &node->ref);
        (void)kd_buf_printf(out, ",\"depth\":%llu,\"present\":%s}", (unsigned long long)node->depth,
                            node->present ? "true" : "false");
    }
    (void)kd_buf_puts(out, "],\"relationships\":[");
    for (const struct edge *edge = search->first_edge; edge; edge = edge->next) {
        (void)kd_buf_puts(out, edge == search->first_edge ? "" : ",");
        kd_write_relation(out, &edge->relation);
    }
    (void)kd_buf_printf(out, "],\"seq\":%llu}\n", (unsigned long long)search->seq);
}

/* JSON's quoting is valid in dot for what names hold; "{" and "}" mean nothing inside of quotes. */
static void write_dot(struct search *search)
{
    struct kd_buf *out = &search->answer->piece;
    KD_AUTO_BUF struct kd_buf label;
    kd_buf_init(&label, KD_MIB);
    (void)kd_buf_puts(out, "digraph kindred {\n  node [shape=box];\n"); /* as above */
    for (const struct node *node = search->first; node; node = node->next) {
        kd_buf_clear(&label, KD_MIB);
        (void)kd_buf_put_str(&label, node->ref.kind);
        (void)kd_buf_puts(&label, "/");
        (void)kd_buf_put_str(&label, node->ref.ns);
        (void)kd_buf_puts(&label, "/");
        (void)kd_buf_put_str(&label, node->ref.name);
        (void)kd_buf_printf(out, "  n%zu [label=", node->number);
        (void)kd_buf_put_json(out, kd_buf_str(&label));
        (void)kd_buf_puts(out, node->present ? "];\n" : ", style=dashed];\n");
    }
    for (const struct edge *edge = search->first_edge; edge; edge = edge->next) {
        (void)kd_buf_printf(out, "  n%zu -> n%zu [label=", edge->subject->number,
                            edge->object->number);
        (void)kd_buf_put_json(out, edge->relation.type);
        (void)kd_buf_puts(out, "];\n");
    }
    (void)kd_buf_puts(out, "}\n");
}

static int read_words(struct kd_answer *answer, struct search *search)
{
    struct kd_str direction = kd_params_get(&answer->params, "direction");
    struct kd_str format = kd_params_get(&answer->params, "format");
    struct kd_str predicate = kd_params_get(&answer->params, "predicate");
    bool both = direction.len == 0 || kd_str_is(direction, "both");
    search->out = both || kd_str_is(direction, "out");
    search->in = both || kd_str_is(direction, "in");
    search->dot = kd_str_is(format, "dot");
    search->predicate = predicate.len ? predicate.ptr : NULL;
    if (!search->out && !search->in) {
        return kd_answer_fail(answer, 400, "direction must be out, in or both");
    }
    if (format.len > 0 && !search->dot && !kd_str_is(format, "json")) {
        return kd_answer_fail(answer, 400, "format must be json or dot");
    }
    return 0;
}

/* Root and depth; the root must be a resource, or at least mentioned. */
static int read_root(struct kd_answer *answer, struct search *search)
{
    struct kd_error error = { 0 };
    struct kd_match match;
    struct kd_stored stored;
    struct kd_str root = kd_params_get(&answer->params, "root");
    if (kd_reference_parse(answer->context, root, &answer->arena, &match, &error) < 0 ||
        kd_params_number(&answer->params, "depth", MAX_DEPTH, DEFAULT_DEPTH, &search->depth,
                         &error) < 0) {
        return kd_answer_fail(answer, 400, "%s", error.text);
    }
    int rc = kd_store_get(answer->context->store, &match, &answer->arena, &stored);
    if (rc == KD_ENOENT) {
        return kd_answer_fail(answer, 404, "\"" KD_STR_FMT "\" is not in the graph",
                              KD_STR_ARG(root));
    }
    KD_TRY(rc);
    return note_node(search, &stored.ref, 0) ? 0 : KD_ENOMEM;
}

static int walk_graph(struct kd_answer *answer, struct search *search)
{
    KD_TRY(read_root(answer, search));
    for (struct node *node = search->first; node; node = node->next) {
        int rc = look_around(search, node);
        if (rc == KD_ETOOBIG) {
            return kd_answer_fail(answer, 400, "more than %d nodes: ask for a smaller depth",
                                  KD_MAX_GRAPH_NODES);
        }
        KD_TRY(rc);
    }
    return 0;
}

int kd_api_graph(struct kd_answer *answer)
{
    struct search *search = kd_arena_alloc(&answer->arena, sizeof(*search));
    KD_ENSURE(search, KD_ENOMEM);
    *search = (struct search){ .answer = answer };
    search->last = &search->first;
    search->last_edge = &search->first_edge;
    answer->state = search;
    answer->release = release_search;
    KD_TRY(read_words(answer, search));
    KD_TRY(kd_store_view_begin(answer->context->store, &search->seq));
    int rc = walk_graph(answer, search);
    kd_store_view_end(answer->context->store);
    KD_TRY(rc);
    if (search->dot) {
        answer->content_type = "text/vnd.graphviz";
        write_dot(search);
    } else {
        write_json(search);
    }
    return KD_STEP_DONE;
}
