/* CSV as in RFC 4180, but for lines that end in a newline alone; JSON where a cell holds several.
 */
#include "archive/export.h"

#include "base/str.h"

/* Appends are remembered by the buffer, which is looked at when it is written. */
#define PUT(call) ((void)(call))

static bool needs_quotes(struct kd_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == ',' || c == '"' || c == '\n' || c == '\r') {
            return true;
        }
    }
    return false;
}

static void put_cell(struct kd_buf *out, struct kd_str text)
{
    if (!needs_quotes(text)) {
        PUT(kd_buf_put_utf8(out, text));
        return;
    }
    PUT(kd_buf_putc(out, '"'));
    while (text.ptr) { /* a quote within is doubled */
        struct kd_str part = kd_str_cut(&text, '"');
        PUT(kd_buf_put_utf8(out, part));
        PUT(kd_buf_puts(out, text.ptr ? "\"\"" : "\""));
    }
}

static void put_row(struct kd_buf *out, const struct kd_str *cells, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        PUT(kd_buf_puts(out, i ? "," : ""));
        put_cell(out, cells[i]);
    }
    PUT(kd_buf_putc(out, '\n'));
}

static void put_resource(struct kd_buf *out, const struct kd_archive_resource *row)
{
    const struct kd_str cells[] = {
        row->ref.kind,   row->ref.group,  row->ref.version, row->ref.ns, row->ref.name,
        row->ref.uid,    row->version,    row->plugin,      row->labels, row->annotations,
        row->created_at, row->updated_at, row->data,
    };
    put_row(out, cells, KD_ARRAY_LEN(cells));
}

static int put_relation(const struct kd_export *to, const struct kd_archive_relation *row,
                        struct kd_error *reterr)
{
    const struct kd_ref *s = &row->subject;
    const struct kd_ref *o = &row->object;
    const struct kd_str cells[] = {
        row->type,  row->attrs, s->kind, s->group, s->version,
        s->ns,      s->name,    s->uid,  o->kind,  o->group,
        o->version, o->ns,      o->name, o->uid,   row->resolved ? KD_STR("1") : KD_STR("0"),
    };
    (void)reterr;
    put_row(to->out, cells, KD_ARRAY_LEN(cells));
    return 0;
}

int kd_export_csv_resources(const struct kd_export *to, struct kd_error *reterr)
{
    PUT(kd_buf_puts(to->out, "kind,api_group,api_version,namespace,name,uid,resource_version,"
                             "plugin,labels,annotations,created_at,updated_at,data\n"));
    return kd_export_each_resource(to, put_resource, reterr);
}

int kd_export_csv_relations(const struct kd_export *to, struct kd_error *reterr)
{
    PUT(kd_buf_puts(to->out, "type,attributes,subject_kind,subject_group,subject_version,"
                             "subject_namespace,subject_name,subject_uid,object_kind,object_group,"
                             "object_version,object_namespace,object_name,object_uid,resolved\n"));
    return kd_export_each_relation(to, put_relation, reterr);
}
