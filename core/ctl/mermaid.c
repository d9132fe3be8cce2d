#include "ctl/mermaid.h"

#include "base/str.h"
#include "ctl/names.h"

/* Appends are remembered by the buffer. */
#define PUT(call) ((void)(call))

/* Text in quotes: what mermaid or HTML would take for something else goes by its number. */
static void put_text(struct kd_buf *out, struct kd_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < ' ' || strchr("\"#&<>`|", c)) {
            PUT(kd_buf_printf(out, "#%u;", c < ' ' ? 32u : (unsigned)c));
        } else {
            PUT(kd_buf_putc(out, (char)c));
        }
    }
}

static size_t number_of(const struct kd_ctl_graph *graph, const struct kd_ctl_node *node)
{
    return (size_t)(node - graph->nodes);
}

static void put_node(struct kd_buf *out, const struct kd_ctl_graph *graph,
                     const struct kd_ctl_node *node)
{
    KD_AUTO_BUF struct kd_buf place;
    kd_buf_init(&place, 4096); /* what is longer is cut */
    kd_ctl_place_put(&place, &node->ref);
    PUT(kd_buf_printf(out, "    n%zu[\"", number_of(graph, node)));
    put_text(out, node->ref.kind);
    PUT(kd_buf_puts(out, "<br/>"));
    put_text(out, kd_buf_str(&place));
    PUT(kd_buf_printf(out, "\"]%s\n", node->present ? "" : ":::gone"));
}

/* Relations that differ in their attributes alone are one arrow. */
static bool is_same(const struct kd_ctl_link *a, const struct kd_ctl_link *b)
{
    return a->other == b->other && kd_str_eq(a->relation->type, b->relation->type);
}

static void put_links(struct kd_buf *out, const struct kd_ctl_graph *graph,
                      const struct kd_ctl_node *node)
{
    for (size_t i = 0; i < node->n_links; i++) {
        const struct kd_ctl_link *link = &node->links[i];
        if (i > 0 && is_same(link, &node->links[i - 1])) {
            continue;
        }
        PUT(kd_buf_printf(out, "    n%zu %s|\"", number_of(graph, node),
                          link->relation->resolved ? "-->" : "-.->"));
        put_text(out, link->relation->type);
        PUT(kd_buf_printf(out, "\"| n%zu\n", number_of(graph, link->other)));
    }
}

void kd_ctl_mermaid_put(struct kd_buf *out, const struct kd_ctl_graph *graph)
{
    PUT(kd_buf_puts(out, "flowchart LR\n"));
    for (size_t i = 0; i < graph->n_nodes; i++) {
        put_node(out, graph, &graph->nodes[i]);
    }
    for (size_t i = 0; i < graph->n_nodes; i++) {
        put_links(out, graph, &graph->nodes[i]);
    }
    PUT(kd_buf_puts(out, "    classDef gone stroke-dasharray: 5 5\n"));
}
