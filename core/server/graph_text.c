#include "server/graph_text.h"

#include "base/limits.h"
#include "base/ref.h"
#include "server/write.h"

void kd_graph_put_node(struct kd_buf *out, const struct kd_graph_node *node)
{
    (void)kd_buf_puts(out, "{\"ref\":"); /* appends are remembered by the buffer */
    kd_ref_put_json(out, &node->ref);
    (void)kd_buf_printf(out, ",\"depth\":%llu,\"present\":%s", (unsigned long long)node->depth,
                        node->present ? "true" : "false");
}

void kd_graph_put_edges(struct kd_buf *out, const struct kd_traverse *search)
{
    (void)kd_buf_puts(out, "\"relationships\":["); /* as above */
    for (const struct kd_edge *edge = search->first_edge; edge; edge = edge->next) {
        (void)kd_buf_puts(out, edge == search->first_edge ? "" : ",");
        kd_write_relation(out, &edge->relation);
    }
    (void)kd_buf_puts(out, "]");
}

/* JSON's quoting is valid in dot for what names hold; "{" and "}" mean nothing inside of quotes. */
static void put_dot_node(struct kd_buf *out, const struct kd_graph_node *node, struct kd_buf *label)
{
    kd_buf_clear(label, KD_MIB);
    (void)kd_buf_put_str(label, node->ref.kind); /* as above */
    (void)kd_buf_puts(label, "/");
    (void)kd_buf_put_str(label, node->ref.ns);
    (void)kd_buf_puts(label, "/");
    (void)kd_buf_put_str(label, node->ref.name);
    (void)kd_buf_printf(out, "  n%zu [label=", node->number);
    (void)kd_buf_put_json(out, kd_buf_str(label));
    (void)kd_buf_puts(out, node->present ? "];\n" : ", style=dashed];\n");
}

void kd_graph_put_dot(struct kd_buf *out, const struct kd_traverse *search)
{
    KD_AUTO_BUF struct kd_buf label;
    kd_buf_init(&label, KD_MIB);
    (void)kd_buf_puts(out, "digraph kindred {\n  node [shape=box];\n"); /* as above */
    for (const struct kd_graph_node *node = search->first; node; node = node->next) {
        put_dot_node(out, node, &label);
    }
    for (const struct kd_edge *edge = search->first_edge; edge; edge = edge->next) {
        (void)kd_buf_printf(out, "  n%zu -> n%zu [label=", edge->subject->number,
                            edge->object->number);
        (void)kd_buf_put_json(out, edge->relation.type);
        (void)kd_buf_puts(out, "];\n");
    }
    (void)kd_buf_puts(out, "}\n");
}
