/* How a part of the graph is written. Failure is remembered by the buffer. */
#ifndef KD_SERVER_GRAPH_TEXT_H
#define KD_SERVER_GRAPH_TEXT_H

#include "base/buf.h"
#include "server/traverse.h"

/* {"ref":{...},"depth":1,"present":true}, without the brace that ends it: more may follow. */
void kd_graph_put_node(struct kd_buf *out, const struct kd_graph_node *node);
/* "relationships":[...] of all edges. */
void kd_graph_put_edges(struct kd_buf *out, const struct kd_traverse *search);
void kd_graph_put_dot(struct kd_buf *out, const struct kd_traverse *search);

#endif
