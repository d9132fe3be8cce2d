#include "server/traverse.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/ref.h"
#include "base/str.h"

void kd_traverse_init(struct kd_traverse *search, struct kd_store *store, struct kd_arena *arena)
{
    *search = (struct kd_traverse){
        .store = store,
        .arena = arena,
        .directions = KD_FOLLOW_OUT | KD_FOLLOW_IN,
    };
    search->last = &search->first;
    search->last_edge = &search->first_edge;
}

void kd_traverse_release(struct kd_traverse *search)
{
    kd_hmap_release(&search->nodes);
    kd_hmap_release(&search->edges);
    kd_free(kd_steal(search->levels));
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

static struct kd_graph_node *find_node(const struct kd_traverse *search, const struct kd_ref *ref,
                                       uint64_t hash)
{
    for (struct kd_hnode *h = kd_hmap_first(&search->nodes, hash); h; h = kd_hmap_next_same(h)) {
        struct kd_graph_node *node = KD_CONTAINER_OF(h, struct kd_graph_node, hash);
        if (kd_ref_same(&node->ref, ref)) {
            return node;
        }
    }
    return NULL;
}

struct kd_graph_node *kd_traverse_find(const struct kd_traverse *search, const struct kd_ref *ref)
{
    return find_node(search, ref, kd_ref_hash(ref));
}

/* Depths are found one after the other, so that there is at most one more than before. */
static void add_to_level(struct kd_traverse *search, struct kd_graph_node *node)
{
    if (node->depth >= search->n_levels) {
        size_t n = 2 * (size_t)node->depth + 8;
        search->levels = kd_realloc_array(search->levels, n, sizeof(struct kd_graph_level));
        memset(search->levels + search->n_levels, 0,
               (n - search->n_levels) * sizeof(struct kd_graph_level));
        search->n_levels = n;
    }
    struct kd_graph_level *level = &search->levels[node->depth];
    if (level->last) {
        level->last->next_level = node;
    } else {
        level->first = node;
    }
    level->last = node;
}

struct kd_graph_node *kd_traverse_first(const struct kd_traverse *search, uint64_t depth)
{
    return depth < search->n_levels ? search->levels[depth].first : NULL;
}

/* Finds or adds; NULL past the bound. */
static struct kd_graph_node *note_node(struct kd_traverse *search, const struct kd_ref *ref,
                                       uint64_t depth, const struct kd_edge *via)
{
    uint64_t hash = kd_ref_hash(ref);
    struct kd_graph_node *node = find_node(search, ref, hash);
    if (node || search->nodes.n >= KD_MAX_GRAPH_NODES) {
        return node;
    }
    node = kd_arena_alloc(search->arena, sizeof(*node));
    if (!node) {
        return NULL;
    }
    *node = (struct kd_graph_node){
        .ref = *ref, .depth = depth, .number = search->nodes.n, .via = via
    };
    if (!copy_ref(search->arena, &node->ref)) {
        return NULL;
    }
    kd_hmap_add(&search->nodes, &node->hash, hash);
    *search->last = node;
    search->last = &node->next;
    add_to_level(search, node);
    return node;
}

static bool knows_edge(const struct kd_traverse *search, uint64_t id)
{
    for (struct kd_hnode *h = kd_hmap_first(&search->edges, id); h; h = kd_hmap_next_same(h)) {
        if (KD_CONTAINER_OF(h, struct kd_edge, hash)->relation.id == id) {
            return true;
        }
    }
    return false;
}

static int note_edge(struct kd_traverse *search, const struct kd_stored_relation *relation)
{
    struct kd_arena *arena = search->arena;
    struct kd_graph_node *from = search->current;
    struct kd_edge *edge = kd_arena_alloc(arena, sizeof(*edge));
    KD_ENSURE(edge, KD_ETOOBIG);
    *edge = (struct kd_edge){ .relation = *relation };
    struct kd_str *const texts[] = { &edge->relation.type, &edge->relation.attrs };
    KD_ENSURE(copy_texts(arena, texts, KD_ARRAY_LEN(texts)), KD_ETOOBIG);
    KD_ENSURE(copy_ref(arena, &edge->relation.subject), KD_ETOOBIG);
    KD_ENSURE(copy_ref(arena, &edge->relation.object), KD_ETOOBIG);
    struct kd_graph_node *to = note_node(
        search, search->out ? &relation->object : &relation->subject, from->depth + 1, edge);
    KD_ENSURE(to, KD_ETOOBIG);
    edge->subject = search->out ? from : to;
    edge->object = search->out ? to : from;
    kd_hmap_add(&search->edges, &edge->hash, relation->id);
    *search->last_edge = edge;
    search->last_edge = &edge->next;
    return 0;
}

static int on_relation(void *arg, const struct kd_stored_relation *relation)
{
    struct kd_traverse *search = arg;
    if (knows_edge(search, relation->id) ||
        (search->follow && !search->follow(search->current, relation, search->out))) {
        return 0;
    }
    return note_edge(search, relation);
}

/* The resource knows its own uid and version best. */
static int identify(struct kd_traverse *search, struct kd_graph_node *node)
{
    if (node->identified) {
        return 0;
    }
    int rc = kd_store_identify(search->store, search->arena, &node->ref);
    node->present = rc == 0;
    node->identified = rc == 0 || rc == KD_ENOENT;
    return node->identified ? 0 : rc == KD_ENOMEM ? KD_ETOOBIG : rc;
}

static int look_around(struct kd_traverse *search, struct kd_graph_node *node)
{
    /* NUL-terminated, since the arena's copies are. */
    const struct kd_match match = { .group = node->ref.group.ptr,
                                    .kind = node->ref.kind.ptr,
                                    .ns = &node->ref.ns,
                                    .name = &node->ref.name };
    KD_TRY(identify(search, node));
    search->current = node;
    if (search->directions & KD_FOLLOW_OUT) {
        search->out = true;
        KD_TRY(kd_store_each_relation(search->store, &match, NULL, search->predicate, 0,
                                      on_relation, search));
    }
    if (search->directions & KD_FOLLOW_IN) {
        search->out = false;
        KD_TRY(kd_store_each_relation(search->store, NULL, &match, search->predicate, 0,
                                      on_relation, search));
    }
    return 0;
}

int kd_traverse_root(struct kd_traverse *search, const struct kd_match *match)
{
    struct kd_stored stored;
    KD_TRY(kd_store_get(search->store, match, search->arena, &stored));
    return note_node(search, &stored.ref, 0, NULL) ? 0 : KD_ETOOBIG;
}

int kd_traverse_level(struct kd_traverse *search, uint64_t depth)
{
    int n = 0;
    struct kd_graph_node *node = kd_traverse_first(search, depth);
    for (; node; node = node->next_level) {
        KD_TRY(look_around(search, node));
        n++;
    }
    return n;
}

int kd_traverse_identify(struct kd_traverse *search)
{
    for (struct kd_graph_node *node = search->first; node; node = node->next) {
        KD_TRY(identify(search, node));
    }
    return 0;
}
