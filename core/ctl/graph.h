/* An answer of /api/v1/graph as nodes and links, for drawing. */
#ifndef KD_CTL_GRAPH_H
#define KD_CTL_GRAPH_H

#include "base/arena.h"
#include "base/error.h"
#include "base/hmap.h"

#include <stdbool.h>

struct kd_ctl_relation {
    struct kd_str type;
    bool resolved;
    bool shown; /* for who draws it */
};

/* A relation as one of its ends sees it. */
struct kd_ctl_link {
    struct kd_ctl_relation *relation;
    struct kd_ctl_node *other;
    bool out; /* we are the subject */
};

struct kd_ctl_node {
    struct kd_hnode hash;
    struct kd_ref ref;
    uint64_t depth;            /* relations from the root, the shortest way */
    bool present;              /* the resource is in the graph */
    bool expanded;             /* for who draws it */
    struct kd_str state;       /* as in "Running"; filled in by the caller, may be empty */
    struct kd_ctl_link *links; /* ownership first, then by type, kind, namespace and name */
    size_t n_links;
};

/* Texts point into the answer or lie in the arena. */
struct kd_ctl_graph {
    struct kd_arena arena;
    struct kd_hmap map;
    struct kd_ctl_node *root;
    struct kd_ctl_node *nodes;
    size_t n_nodes;
};

/*
 * Reads the answer, which has to live as long as the graph. `out` and `in` say which links count.
 * KD_EPARSE for another document than the server gives. Released in any case.
 */
int kd_ctl_graph_init(struct kd_ctl_graph *graph, struct kd_value answer, bool out, bool in,
                      struct kd_error *reterr) KD_MUST_USE;
void kd_ctl_graph_release(struct kd_ctl_graph *graph);
#define KD_AUTO_CTL_GRAPH KD_CLEANUP(kd_ctl_graph_release)

bool kd_ctl_is_ownership(const struct kd_ctl_relation *relation);

#endif
