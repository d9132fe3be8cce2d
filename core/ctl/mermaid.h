/* A graph in mermaid's language, which markdown viewers draw. */
#ifndef KD_CTL_MERMAID_H
#define KD_CTL_MERMAID_H

#include "base/buf.h"
#include "ctl/graph.h"

/* The graph holds its relations as links out. A failure is remembered by out. */
void kd_ctl_mermaid_put(struct kd_buf *out, const struct kd_ctl_graph *graph);

#endif
