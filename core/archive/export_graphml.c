/*
 * GraphML, for programs that draw and measure graphs. A node's id is KIND.GROUP/NAMESPACE/NAME.
 * What is only mentioned is a node too, with present="false". Object data is left out.
 */
#include "archive/export.h"

/* Appends are remembered by the buffer, which is looked at when it is written. */
#define PUT(call) ((void)(call))

static const char head[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
    "<key id=\"kind\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/>\n"
    "<key id=\"group\" for=\"node\" attr.name=\"group\" attr.type=\"string\"/>\n"
    "<key id=\"namespace\" for=\"node\" attr.name=\"namespace\" attr.type=\"string\"/>\n"
    "<key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"
    "<key id=\"version\" for=\"node\" attr.name=\"version\" attr.type=\"string\"/>\n"
    "<key id=\"uid\" for=\"node\" attr.name=\"uid\" attr.type=\"string\"/>\n"
    "<key id=\"labels\" for=\"node\" attr.name=\"labels\" attr.type=\"string\"/>\n"
    "<key id=\"createdAt\" for=\"node\" attr.name=\"createdAt\" attr.type=\"string\"/>\n"
    "<key id=\"present\" for=\"node\" attr.name=\"present\" attr.type=\"boolean\"/>\n"
    "<key id=\"type\" for=\"edge\" attr.name=\"type\" attr.type=\"string\"/>\n"
    "<key id=\"attributes\" for=\"edge\" attr.name=\"attributes\" attr.type=\"string\"/>\n"
    "<key id=\"resolved\" for=\"edge\" attr.name=\"resolved\" attr.type=\"boolean\"/>\n"
    "<graph id=\"kindred\" edgedefault=\"directed\">\n";

/* What stands for a character in XML; NULL: itself. XML has no control characters at all. */
static const char *escape_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return (unsigned char)c < ' ' || c == 0x7f ? " " : NULL;
    }
}

static void put_xml(struct kd_buf *out, struct kd_str text)
{
    size_t start = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char *escape = escape_of(text.ptr[i]);
        if (escape) {
            PUT(kd_buf_put_utf8(out, (struct kd_str){ text.ptr + start, i - start }));
            PUT(kd_buf_puts(out, escape));
            start = i + 1;
        }
    }
    PUT(kd_buf_put_utf8(out, (struct kd_str){ text.ptr + start, text.len - start }));
}

static void put_id(struct kd_buf *out, const struct kd_ref *ref)
{
    PUT(kd_buf_putc(out, '"'));
    put_xml(out, ref->kind);
    PUT(kd_buf_puts(out, ref->group.len ? "." : ""));
    put_xml(out, ref->group);
    PUT(kd_buf_putc(out, '/'));
    put_xml(out, ref->ns);
    PUT(kd_buf_putc(out, '/'));
    put_xml(out, ref->name);
    PUT(kd_buf_putc(out, '"'));
}

static void put_data(struct kd_buf *out, const char *key, struct kd_str text)
{
    if (text.len > 0) {
        PUT(kd_buf_printf(out, "<data key=\"%s\">", key));
        put_xml(out, text);
        PUT(kd_buf_puts(out, "</data>"));
    }
}

static void put_node(struct kd_buf *out, const struct kd_ref *ref, const char *present)
{
    PUT(kd_buf_puts(out, "<node id="));
    put_id(out, ref);
    PUT(kd_buf_putc(out, '>'));
    put_data(out, "kind", ref->kind);
    put_data(out, "group", ref->group);
    put_data(out, "namespace", ref->ns);
    put_data(out, "name", ref->name);
    put_data(out, "version", ref->version);
    put_data(out, "uid", ref->uid);
    PUT(kd_buf_printf(out, "<data key=\"present\">%s</data>", present));
}

static void put_resource(struct kd_buf *out, const struct kd_archive_resource *row)
{
    put_node(out, &row->ref, "true");
    put_data(out, "labels", row->labels);
    put_data(out, "createdAt", row->created_at);
    PUT(kd_buf_puts(out, "</node>\n"));
}

static int put_mentioned(const struct kd_export *to, struct kd_error *reterr)
{
    struct kd_archive_walk *walk = NULL;
    struct kd_ref ref;
    KD_TRY(kd_archive_mentioned(to->archive, &walk, reterr));
    int rc;
    while ((rc = kd_archive_next_mentioned(walk, &ref, reterr)) == 1) {
        put_node(to->out, &ref, "false");
        PUT(kd_buf_puts(to->out, "</node>\n"));
        rc = to->row(to->arg, reterr);
        if (rc < 0) {
            break;
        }
    }
    kd_archive_end(walk);
    return rc;
}

static int put_relation(const struct kd_export *to, const struct kd_archive_relation *row,
                        struct kd_error *reterr)
{
    struct kd_buf *out = to->out;
    (void)reterr;
    PUT(kd_buf_puts(out, "<edge source="));
    put_id(out, &row->subject);
    PUT(kd_buf_puts(out, " target="));
    put_id(out, &row->object);
    PUT(kd_buf_putc(out, '>'));
    put_data(out, "type", row->type);
    put_data(out, "attributes", row->attrs);
    PUT(kd_buf_printf(out, "<data key=\"resolved\">%s</data></edge>\n",
                      row->resolved ? "true" : "false"));
    return 0;
}

int kd_export_graphml(const struct kd_export *to, struct kd_error *reterr)
{
    PUT(kd_buf_puts(to->out, head));
    KD_TRY(kd_export_each_resource(to, put_resource, reterr));
    KD_TRY(put_mentioned(to, reterr));
    KD_TRY(kd_export_each_relation(to, put_relation, reterr));
    PUT(kd_buf_puts(to->out, "</graph>\n</graphml>\n"));
    return 0;
}
