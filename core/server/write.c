#include "server/write.h"

#include "base/ref.h"

/* A kd_buf remembers a failed append, so the single results carry nothing. */
#define PUT(call) ((void)(call))

void kd_write_text(struct kd_buf *out, const char *key, struct kd_str text)
{
    PUT(kd_buf_printf(out, "\"%s\":", key));
    PUT(kd_buf_put_json(out, text));
}

void kd_write_number(struct kd_buf *out, const char *key, uint64_t number)
{
    PUT(kd_buf_printf(out, "\"%s\":%llu", key, (unsigned long long)number));
}

static void write_json(struct kd_buf *out, const char *key, struct kd_str json)
{
    PUT(kd_buf_printf(out, ",\"%s\":", key));
    PUT(json.len ? kd_buf_put_utf8(out, json) : kd_buf_puts(out, "{}"));
}

static void write_time(struct kd_buf *out, const char *key, int64_t wall_ns, int digits)
{
    char text[KD_RFC3339_MAX] = "";
    if (wall_ns != 0) {
        (void)kd_rfc3339(wall_ns, digits, text);
    }
    PUT(kd_buf_printf(out, ",\"%s\":\"%s\"", key, text));
}

void kd_write_resource(struct kd_buf *out, const struct kd_stored *stored)
{
    PUT(kd_buf_puts(out, "{\"ref\":"));
    kd_ref_put_json(out, &stored->ref);
    write_json(out, "labels", stored->labels);
    write_json(out, "annotations", stored->annotations);
    write_time(out, "createdAt", stored->created_ns, 0);
    write_time(out, "updatedAt", stored->updated_ns, 3);
    write_json(out, "data", stored->data);
    PUT(kd_buf_putc(out, '}'));
}

/* The predicate's attributes stand beside its type. */
static void write_predicate(struct kd_buf *out, const struct kd_stored_relation *relation)
{
    PUT(kd_buf_putc(out, '{'));
    kd_write_text(out, "type", relation->type);
    if (relation->attrs.len > 2) { /* more than "{}" */
        PUT(kd_buf_putc(out, ','));
        PUT(kd_buf_put(out, relation->attrs.ptr + 1, relation->attrs.len - 1));
    } else {
        PUT(kd_buf_putc(out, '}'));
    }
}

void kd_write_relation(struct kd_buf *out, const struct kd_stored_relation *relation)
{
    PUT(kd_buf_puts(out, "{\"predicate\":"));
    write_predicate(out, relation);
    PUT(kd_buf_puts(out, ",\"subject\":"));
    kd_ref_put_json(out, &relation->subject);
    PUT(kd_buf_puts(out, ",\"object\":"));
    kd_ref_put_json(out, &relation->object);
    PUT(kd_buf_printf(out, ",\"resolved\":%s}", relation->resolved ? "true" : "false"));
}

static const char *const change_types[] = {
    [KD_CHANGE_PUT] = "put",
    [KD_CHANGE_DELETE] = "delete",
    [KD_CHANGE_RELATE] = "relate",
    [KD_CHANGE_UNRELATE] = "unrelate",
};

void kd_write_change(struct kd_buf *out, const struct kd_change *change)
{
    bool is_resource = change->type == KD_CHANGE_PUT || change->type == KD_CHANGE_DELETE;
    PUT(kd_buf_putc(out, '{'));
    kd_write_number(out, "seq", change->seq);
    PUT(kd_buf_printf(out, ",\"type\":\"%s\",", change_types[change->type]));
    if (is_resource) {
        PUT(kd_buf_puts(out, "\"resource\":"));
        kd_ref_put_json(out, &change->ref);
    } else {
        PUT(kd_buf_puts(out, "\"relation\":"));
        kd_write_relation(out, &change->relation);
    }
    PUT(kd_buf_putc(out, '}'));
}
