#include "ctl/tree.h"

#include "base/limits.h"
#include "base/str.h"
#include "ctl/names.h"
#include "ctl/text_table.h"

struct strokes {
    const char *branch, *last, *pass, *blank;
};

static const struct strokes box_strokes = { "\xe2\x94\x9c\xe2\x94\x80 ",
                                            "\xe2\x94\x94\xe2\x94\x80 ", "\xe2\x94\x82  ", "   " };
static const struct strokes ascii_strokes = { "|- ", "`- ", "|  ", "   " };

#define KIND_COLOUR "\x1b[36m"
#define QUIET_COLOUR "\x1b[2m"
#define GOOD_COLOUR "\x1b[32m"
#define OTHER_COLOUR "\x1b[33m"
#define GONE_COLOUR "\x1b[31m"
#define END_COLOUR "\x1b[0m"

struct tree {
    struct kd_buf *out;
    bool colour;
    const struct strokes *strokes;
    struct kd_buf prefix; /* what stands before the lines of this depth */
};

/* Appends are remembered by the buffer, here and below. */
static void paint(const struct tree *tree, const char *colour)
{
    (void)kd_buf_puts(tree->out, tree->colour ? colour : "");
}

/* States in which nothing is wrong; "2/2 ready" is one when both numbers are the same. */
static bool is_good(struct kd_str state)
{
    static const char *const words[] = { "Running", "Succeeded", "Completed", "Ready",
                                         "Bound",   "Available", "Active" };
    struct kd_str rest = state;
    struct kd_str have = kd_str_cut(&rest, '/');
    struct kd_str want = kd_str_cut(&rest, ' ');
    for (size_t i = 0; i < KD_ARRAY_LEN(words); i++) {
        if (kd_str_is(state, words[i])) {
            return true;
        }
    }
    return want.len > 0 && kd_str_eq(have, want);
}

static void put_node(struct tree *tree, const struct kd_ctl_node *node)
{
    struct kd_buf *out = tree->out;
    paint(tree, KIND_COLOUR);
    kd_ctl_clean_put(out, node->ref.kind);
    paint(tree, END_COLOUR);
    (void)kd_buf_putc(out, ' ');
    kd_ctl_place_put(out, &node->ref);
    if (node->state.len > 0) {
        (void)kd_buf_puts(out, "  ");
        paint(tree, is_good(node->state) ? GOOD_COLOUR : OTHER_COLOUR);
        kd_ctl_clean_put(out, node->state);
        paint(tree, END_COLOUR);
    }
    if (!node->present) {
        paint(tree, GONE_COLOUR);
        (void)kd_buf_puts(out, "  (not there)");
        paint(tree, END_COLOUR);
    }
}

/* An owner's relation to what it owns needs no name: that is what trees are made of. */
static void put_predicate(struct tree *tree, const struct kd_ctl_link *link)
{
    if (!link->out || !kd_ctl_is_ownership(link->relation)) {
        paint(tree, QUIET_COLOUR);
        kd_ctl_clean_put(tree->out, link->relation->type);
        (void)kd_buf_puts(tree->out, link->out ? " -> " : " <- ");
        paint(tree, END_COLOUR);
    }
}

/* Whether a node that is not opened up here has more to show elsewhere. */
static bool has_more(const struct kd_ctl_link *link)
{
    for (size_t i = 0; i < link->other->n_links; i++) {
        if (link->other->links[i].relation != link->relation) {
            return true;
        }
    }
    return false;
}

/* Opens each node up once, on a shortest way from the root: there is one, for each has a depth. */
static bool opens(const struct kd_ctl_node *parent, const struct kd_ctl_node *child)
{
    return !child->expanded && child->depth == parent->depth + 1;
}

static void put_children(struct tree *tree, struct kd_ctl_node *node);

static void put_link(struct tree *tree, const struct kd_ctl_node *node,
                     const struct kd_ctl_link *link, bool last)
{
    struct kd_ctl_node *child = link->other;
    size_t length = tree->prefix.len;
    bool open = opens(node, child);
    (void)kd_buf_put_str(tree->out, kd_buf_str(&tree->prefix));
    (void)kd_buf_puts(tree->out, last ? tree->strokes->last : tree->strokes->branch);
    put_predicate(tree, link);
    put_node(tree, child);
    if (child->present && !link->relation->resolved) {
        (void)kd_buf_puts(tree->out, "  (another uid)");
    }
    (void)kd_buf_puts(tree->out, !open && has_more(link) ? "  (opened up elsewhere)\n" : "\n");
    if (open) {
        (void)kd_buf_puts(&tree->prefix, last ? tree->strokes->blank : tree->strokes->pass);
        put_children(tree, child);
        tree->prefix.len = length;
    }
}

/* Relations that differ in their attributes alone, such as the ports of a service, are one line. */
static bool is_same(const struct kd_ctl_link *a, const struct kd_ctl_link *b)
{
    return a->other == b->other && a->out == b->out &&
           kd_str_eq(a->relation->type, b->relation->type);
}

/* Takes the next link that is still to be drawn, with all that are the same; NULL at the end. */
static const struct kd_ctl_link *take_link(const struct kd_ctl_node *node, size_t *pos)
{
    while (*pos < node->n_links && node->links[*pos].relation->shown) {
        (*pos)++;
    }
    if (*pos == node->n_links) {
        return NULL;
    }
    const struct kd_ctl_link *link = &node->links[*pos];
    for (; *pos < node->n_links && is_same(link, &node->links[*pos]); (*pos)++) {
        node->links[*pos].relation->shown = true;
    }
    return link;
}

/* The next link is taken before this one is drawn: below, it might be drawn from its other end. */
static void put_children(struct tree *tree, struct kd_ctl_node *node)
{
    size_t pos = 0;
    node->expanded = true;
    const struct kd_ctl_link *link = take_link(node, &pos);
    while (link) {
        const struct kd_ctl_link *next = take_link(node, &pos);
        put_link(tree, node, link, !next);
        link = next;
    }
}

void kd_ctl_tree_put(struct kd_buf *out, struct kd_ctl_graph *graph,
                     const struct kd_ctl_tree_style *style)
{
    struct tree tree = { .out = out,
                         .colour = style->colour,
                         .strokes = style->lines ? &box_strokes : &ascii_strokes };
    kd_buf_init(&tree.prefix, KD_MIB);
    put_node(&tree, graph->root);
    (void)kd_buf_putc(out, '\n');
    put_children(&tree, graph->root);
    out->failed = out->failed || kd_buf_failed(&tree.prefix);
    kd_buf_release(&tree.prefix);
}
