/*
 * The compiled form of a plan, shared by its compiler and its walks. Nodes lie in one array, root
 * first; the named children of a node are neighbours. A wildcard's paths are folded into its named
 * neighbours when the plan is made, so that every member leads to one node at most.
 */
#ifndef KD_JSON_PLAN_NODE_H
#define KD_JSON_PLAN_NODE_H

#include "base/limits.h"
#include "json/plan.h"
#include "json/scan.h"

#define KD_PLAN_NO_PATH UINT32_MAX
#define KD_PLAN_MAGIC 0x4b44504cu

struct kd_plan_node {
    struct kd_str key;    /* decoded */
    uint64_t index;       /* array index that the key stands for, UINT64_MAX: none */
    uint64_t key_lens;    /* bit n: a child's key has a length of n modulo 64 */
    uint32_t first_child; /* named children: first_child ... first_child + n_children - 1 */
    uint32_t n_children;
    uint32_t wild; /* child for any other member or element; 0: none */
    uint32_t path; /* lowest number of a path that ends here, or KD_PLAN_NO_PATH */
};

struct kd_json_plan {
    uint32_t magic;
    bool wild;
    uint32_t n_nodes;
    size_t n_paths;
    struct kd_plan_node *nodes;
    uint32_t *same; /* per path: the next path that is the same, or KD_PLAN_NO_PATH */
    struct kd_arena arena;
};

/* Marks nodes that a walk came by, to find keys that are given twice. */
struct kd_plan_marks {
    uint64_t bits[KD_MAX_PLAN_NODES / 64];
};

static inline bool kd_plan_is_marked(const struct kd_plan_marks *marks, uint32_t id)
{
    return marks->bits[id / 64] >> id % 64 & 1;
}

static inline void kd_plan_mark(struct kd_plan_marks *marks, uint32_t id)
{
    marks->bits[id / 64] |= UINT64_C(1) << id % 64;
}

static inline void kd_plan_unmark(struct kd_plan_marks *marks, uint32_t id)
{
    marks->bits[id / 64] &= ~(UINT64_C(1) << id % 64);
}

static inline bool kd_plan_is_inner(const struct kd_plan_node *node)
{
    return node->n_children || node->wild;
}

static inline bool kd_plan_opens(const char *value, const char *end)
{
    return value < end && (*value == '{' || *value == '[');
}

/* Child of a node for the member or element that a walk stands on; 0 when no path needs it. */
uint32_t kd_plan_child(const struct kd_json_plan *plan, const struct kd_plan_node *node,
                       const struct kd_members *at);

#endif
