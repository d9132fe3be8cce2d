/*
 * A search over the graph from one root, breadth first, level by level: each node and each relation
 * is found once. What is followed is the caller's rule; so graph, path and impact are one search.
 *
 * Life: kd_traverse_init, kd_traverse_root, kd_traverse_level for 0, 1, 2, ...,
 * kd_traverse_release; all of it inside of one view of the store. Nodes and edges live in the
 * arena.
 */
#ifndef KD_SERVER_TRAVERSE_H
#define KD_SERVER_TRAVERSE_H

#include "base/hmap.h"
#include "store/store.h"

#define KD_FOLLOW_OUT 1u /* from subject to object */
#define KD_FOLLOW_IN 2u  /* from object to subject */

struct kd_edge;

struct kd_graph_node {
    struct kd_hnode hash;
    struct kd_graph_node *next;       /* in order of discovery */
    struct kd_graph_node *next_level; /* the same, among those of its depth */
    struct kd_ref ref;
    uint64_t depth;
    size_t number;             /* from 0, in order of discovery */
    const struct kd_edge *via; /* by which it was found; NULL for the root */
    bool present;              /* the graph has its resource; known once it has been identified */
    bool identified;
    bool marked; /* the rule's own */
};

struct kd_edge {
    struct kd_hnode hash;
    struct kd_edge *next; /* in order of discovery */
    struct kd_stored_relation relation;
    struct kd_graph_node *subject, *object;
};

/* The nodes of one depth. */
struct kd_graph_level {
    struct kd_graph_node *first, *last;
};

/*
 * Whether a relation leads on from a node, which is its subject when `out`. NULL: each does.
 * `relation` is borrowed.
 */
typedef bool (*kd_follow_fn)(const struct kd_graph_node *from,
                             const struct kd_stored_relation *relation, bool out);

struct kd_traverse {
    struct kd_store *store;
    struct kd_arena *arena;
    struct kd_hmap nodes, edges;
    struct kd_graph_node *first, **last;
    struct kd_graph_level *levels; /* by depth */
    size_t n_levels;
    struct kd_edge *first_edge, **last_edge;
    unsigned directions;   /* KD_FOLLOW_* */
    const char *predicate; /* NULL: any */
    kd_follow_fn follow;
    struct kd_graph_node *current;
    bool out; /* of the relations that are being read */
};

void kd_traverse_init(struct kd_traverse *search, struct kd_store *store, struct kd_arena *arena);
void kd_traverse_release(struct kd_traverse *search);

/* Starts at a resource. KD_ENOENT when the graph has none that matches. */
int kd_traverse_root(struct kd_traverse *search, const struct kd_match *match) KD_MUST_USE;
/*
 * Follows what the nodes of that depth have, and identifies them. Gives the number of those nodes:
 * 0 at the end. KD_ETOOBIG past KD_MAX_GRAPH_NODES or the arena.
 */
int kd_traverse_level(struct kd_traverse *search, uint64_t depth) KD_MUST_USE;
/* The first node of a depth, from which next_level leads on; NULL when there is none. */
struct kd_graph_node *kd_traverse_first(const struct kd_traverse *search, uint64_t depth);
/* Identifies the nodes that no level has come to. */
int kd_traverse_identify(struct kd_traverse *search) KD_MUST_USE;
/* NULL: not found so far. */
struct kd_graph_node *kd_traverse_find(const struct kd_traverse *search, const struct kd_ref *ref);

#endif
