/* A graph as an indented tree, one line a node; relations other than ownership are named. */
#ifndef KD_CTL_TREE_H
#define KD_CTL_TREE_H

#include "base/buf.h"
#include "ctl/graph.h"

struct kd_ctl_tree_style {
    bool lines;  /* box characters, else ASCII */
    bool colour; /* of a terminal */
};

/*
 * Each relation is drawn once, and each node is opened up once, where it is nearest to the root.
 * A failure is remembered by out.
 */
void kd_ctl_tree_put(struct kd_buf *out, struct kd_ctl_graph *graph,
                     const struct kd_ctl_tree_style *style);

#endif
