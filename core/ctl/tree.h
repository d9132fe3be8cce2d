/* A graph as an indented tree, one line a node; relations other than ownership are named. */
#ifndef KD_CTL_TREE_H
#define KD_CTL_TREE_H

#include "base/buf.h"
#include "ctl/graph.h"

/*
 * Each relation is drawn once, and each node is opened up once, where it is nearest to the root.
 * `lines` draws with box characters, else in ASCII. A failure is remembered by out.
 */
void kd_ctl_tree_put(struct kd_buf *out, struct kd_ctl_graph *graph, bool lines);

#endif
