/* JSON lines: one that names the form, then the resources, then the relations. */
#include "archive/export.h"

#include "base/ref.h"

/* Appends are remembered by the buffer, which is looked at when it is written. */
#define PUT(call) ((void)(call))

static void put_text(struct kd_buf *out, const char *key, struct kd_str text)
{
    PUT(kd_buf_printf(out, "\"%s\":", key));
    PUT(kd_buf_put_json(out, text));
}

/* A line break within JSON is white space, and would end our line. */
static void put_json(struct kd_buf *out, const char *key, struct kd_str json)
{
    size_t start = out->len;
    PUT(kd_buf_printf(out, ",\"%s\":", key));
    PUT(json.len ? kd_buf_put_utf8(out, json) : kd_buf_puts(out, "{}"));
    for (char *at = out->ptr + start; !kd_buf_failed(out) && at < out->ptr + out->len; at++) {
        *at = *at == '\n' || *at == '\r' ? ' ' : *at;
    }
}

static void put_key(struct kd_buf *out, const struct kd_ref *ref)
{
    PUT(kd_buf_putc(out, '{'));
    put_text(out, "group", ref->group);
    PUT(kd_buf_putc(out, ','));
    put_text(out, "kind", ref->kind);
    PUT(kd_buf_putc(out, ','));
    put_text(out, "namespace", ref->ns);
    PUT(kd_buf_putc(out, ','));
    put_text(out, "name", ref->name);
    PUT(kd_buf_putc(out, '}'));
}

static void put_resource(struct kd_buf *out, const struct kd_archive_resource *row)
{
    PUT(kd_buf_puts(out, "{\"resource\":{\"ref\":"));
    kd_ref_put_json(out, &row->ref);
    PUT(kd_buf_putc(out, ','));
    put_text(out, "resourceVersion", row->version);
    PUT(kd_buf_putc(out, ','));
    put_text(out, "plugin", row->plugin);
    put_json(out, "labels", row->labels);
    put_json(out, "annotations", row->annotations);
    PUT(kd_buf_putc(out, ','));
    put_text(out, "createdAt", row->created_at);
    PUT(kd_buf_putc(out, ','));
    put_text(out, "updatedAt", row->updated_at);
    put_json(out, "data", row->data);
    PUT(kd_buf_puts(out, "}}\n"));
}

/* What the mention leaves open is left out. */
static void put_mention(struct kd_buf *out, const char *key, struct kd_str text)
{
    if (text.len > 0) {
        PUT(kd_buf_putc(out, ','));
        put_text(out, key, text);
    }
}

static void put_origin(struct kd_buf *out, const struct kd_archive_origin *origin)
{
    PUT(kd_buf_puts(out, "{\"ref\":"));
    put_key(out, &origin->ref);
    PUT(kd_buf_putc(out, ','));
    put_text(out, "plugin", origin->plugin);
    put_json(out, "attributes", origin->attrs);
    put_mention(out, "subjectVersion", origin->subject_version);
    put_mention(out, "subjectUid", origin->subject_uid);
    put_mention(out, "objectVersion", origin->object_version);
    put_mention(out, "objectUid", origin->object_uid);
    PUT(kd_buf_putc(out, '}'));
}

static int put_origins(const struct kd_export *to, int64_t relation, struct kd_error *reterr)
{
    struct kd_archive_origin origin;
    bool first = true;
    int rc;
    kd_archive_origins_of(to->origins, relation);
    while ((rc = kd_archive_next_origin(to->origins, &origin, reterr)) == 1) {
        PUT(kd_buf_puts(to->out, first ? "" : ","));
        put_origin(to->out, &origin);
        first = false;
    }
    return rc;
}

static void put_predicate(struct kd_buf *out, const struct kd_archive_relation *row)
{
    PUT(kd_buf_putc(out, '{'));
    put_text(out, "type", row->type);
    if (row->attrs.len > 2) { /* more than "{}" */
        PUT(kd_buf_putc(out, ','));
        PUT(kd_buf_put(out, row->attrs.ptr + 1, row->attrs.len - 1));
    } else {
        PUT(kd_buf_putc(out, '}'));
    }
}

static int put_relation(const struct kd_export *to, const struct kd_archive_relation *row,
                        struct kd_error *reterr)
{
    struct kd_buf *out = to->out;
    PUT(kd_buf_puts(out, "{\"relation\":{\"predicate\":"));
    put_predicate(out, row);
    PUT(kd_buf_puts(out, ",\"subject\":"));
    kd_ref_put_json(out, &row->subject);
    PUT(kd_buf_puts(out, ",\"object\":"));
    kd_ref_put_json(out, &row->object);
    PUT(kd_buf_printf(out, ",\"resolved\":%s,\"origins\":[", row->resolved ? "true" : "false"));
    KD_TRY(put_origins(to, row->id, reterr));
    PUT(kd_buf_puts(out, "]}}\n"));
    return 0;
}

int kd_export_jsonl(const struct kd_export *to, struct kd_error *reterr)
{
    PUT(kd_buf_printf(to->out, "{\"kindred\":{\"format\":1,\"seq\":%llu}}\n",
                      (unsigned long long)kd_archive_seq(to->archive)));
    KD_TRY(kd_export_each_resource(to, put_resource, reterr));
    struct kd_export relations = *to;
    KD_TRY(kd_archive_origins(to->archive, &relations.origins, reterr));
    int rc = kd_export_each_relation(&relations, put_relation, reterr);
    kd_archive_end(relations.origins);
    return rc;
}
