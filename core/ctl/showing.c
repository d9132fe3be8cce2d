#include "ctl/showing.h"

#include "base/limits.h"
#include "base/str.h"
#include "ctl/commands.h"
#include "ctl/emit.h"
#include "json/json.h"

#include <stdio.h>

/* Appends are looked at when they are written. */
#define PUT(call) ((void)(call))

int kd_ctl_showing_init(struct kd_ctl_showing *showing, struct kd_ctl_session *session,
                        struct kd_error *reterr)
{
    *showing = (struct kd_ctl_showing){ .session = session };
    kd_buf_init(&showing->document, KD_CTL_ANSWER_MAX);
    kd_arena_init(&showing->arena, KD_MIB);
    if (session->options->format != KD_CTL_JSONPATH) {
        return 0;
    }
    return kd_jsonpath_parse(session->options->template, &showing->arena, &showing->path, reterr);
}

void kd_ctl_showing_release(struct kd_ctl_showing *showing)
{
    kd_ctl_table_release(&showing->table);
    kd_buf_release(&showing->document);
    kd_arena_release(&showing->arena);
}

static void put_name(struct kd_buf *out, const struct kd_ref *ref)
{
    PUT(kd_buf_put_str(out, ref->kind));
    PUT(kd_buf_puts(out, ref->group.len > 0 ? "." : ""));
    PUT(kd_buf_put_str(out, ref->group));
    PUT(kd_buf_printf(out, "/" KD_STR_FMT "/" KD_STR_FMT "\n", KD_STR_ARG(ref->ns),
                      KD_STR_ARG(ref->name)));
}

static void add_json(struct kd_ctl_showing *showing, struct kd_value item)
{
    struct kd_buf *out = &showing->session->out;
    if (!showing->single) {
        PUT(kd_buf_puts(out, showing->n == 0 ? "{\n  \"items\": [\n    " : ",\n    "));
    }
    kd_ctl_json_put(out, item, showing->single ? 0 : 2);
}

static void add_yaml(struct kd_ctl_showing *showing, struct kd_value item)
{
    struct kd_buf *out = &showing->session->out;
    if (showing->single) {
        kd_ctl_yaml_put(out, item);
    } else {
        PUT(kd_buf_puts(out, showing->n == 0 ? "items:\n" : ""));
        kd_ctl_yaml_put_element(out, item);
    }
}

static void add_row(struct kd_ctl_showing *showing, const char *event, const struct kd_ref *ref,
                    struct kd_value item)
{
    struct kd_ctl_session *session = showing->session;
    if (!showing->view) {
        bool mixed = !session->options->kind;
        showing->view = mixed ? kd_ctl_view_mixed() : kd_ctl_view_of(ref);
        showing->shape = (struct kd_ctl_shape){ .event = showing->events,
                                                .namespaced = mixed || ref->ns.len > 0,
                                                .wide = session->options->wide };
        kd_ctl_view_begin(showing->view, &showing->shape, &showing->table);
        showing->table.headless = session->options->no_headers;
    }
    kd_ctl_view_row(showing->view, &showing->shape, event, item, kd_wall_ns(session->clock),
                    &showing->table);
}

static void add_to_document(struct kd_ctl_showing *showing, struct kd_value item)
{
    struct kd_buf *document = &showing->document;
    if (!showing->single) {
        PUT(kd_buf_puts(document, showing->n == 0 ? "{\"items\":[" : ","));
    }
    PUT(kd_buf_put(document, item.ptr, item.len));
}

/* {"type": "ADDED", "object": {...}}, as kubectl has it. */
static void put_event(struct kd_ctl_showing *showing, const char *event, struct kd_value item)
{
    struct kd_buf *document = &showing->document;
    struct kd_buf *out = &showing->session->out;
    struct kd_value value = { 0 };
    kd_buf_clear(document, KD_MIB);
    PUT(kd_buf_printf(document, "{\"type\":\"%s\",\"object\":", event));
    PUT(kd_buf_put(document, item.ptr, item.len));
    PUT(kd_buf_putc(document, '}'));
    if (showing->session->options->format == KD_CTL_JSON) {
        PUT(kd_buf_put_str(out, kd_buf_str(document)));
        PUT(kd_buf_putc(out, '\n'));
    } else if (kd_json_parse(kd_buf_str(document), &value, NULL) == 0) {
        PUT(kd_buf_puts(out, "---\n"));
        kd_ctl_yaml_put(out, value);
    }
    out->failed = out->failed || kd_buf_failed(document);
}

static void put_template(struct kd_ctl_showing *showing, struct kd_value root)
{
    kd_jsonpath_put(&showing->path, root, &showing->session->out);
    PUT(kd_buf_puts(&showing->session->out, showing->events ? "\n" : ""));
}

void kd_ctl_showing_add(struct kd_ctl_showing *showing, const char *event, const struct kd_ref *ref,
                        struct kd_value item)
{
    switch (showing->session->options->format) {
    case KD_CTL_JSON:
        showing->events ? put_event(showing, event, item) : add_json(showing, item);
        break;
    case KD_CTL_YAML:
        showing->events ? put_event(showing, event, item) : add_yaml(showing, item);
        break;
    case KD_CTL_NAME:
        put_name(&showing->session->out, ref);
        break;
    case KD_CTL_JSONPATH:
        showing->events ? put_template(showing, item) : add_to_document(showing, item);
        break;
    case KD_CTL_TABLE:
    case KD_CTL_WIDE:
    case KD_CTL_TREE:
    case KD_CTL_DOT:
    case KD_CTL_MERMAID:
    case KD_CTL_SVG:
    case KD_CTL_FORMATS:
        add_row(showing, event, ref, item);
        break;
    }
    showing->n++;
}

static int end_document(struct kd_ctl_showing *showing, struct kd_error *reterr)
{
    struct kd_buf *document = &showing->document;
    struct kd_value root = { 0 };
    if (!showing->single) {
        PUT(kd_buf_puts(document, showing->n > 0 ? "]}" : "{\"items\":[]}"));
    }
    if (kd_buf_failed(document)) {
        return kd_fail(reterr, KD_ETOOBIG, "so many objects are too much for a template");
    }
    KD_TRY(kd_json_parse(kd_buf_str(document), &root, reterr));
    put_template(showing, root);
    return 0;
}

static void end_rows(struct kd_ctl_showing *showing)
{
    if (showing->view) {
        bool apart = showing->n_tables > 0 && !showing->table.headless;
        PUT(kd_buf_puts(&showing->session->out, apart ? "\n" : ""));
        kd_ctl_table_put(&showing->table, &showing->session->out);
        kd_ctl_table_go_on(&showing->table);
    }
}

void kd_ctl_showing_next(struct kd_ctl_showing *showing)
{
    if (showing->view) {
        end_rows(showing);
        kd_ctl_table_release(&showing->table);
        showing->table = (struct kd_ctl_table){ 0 };
        showing->view = NULL;
        showing->n_tables++;
    }
}

static int end_list(struct kd_ctl_showing *showing, struct kd_error *reterr)
{
    struct kd_buf *out = &showing->session->out;
    enum kd_ctl_format format = showing->session->options->format;
    if (format == KD_CTL_JSONPATH) {
        return end_document(showing, reterr);
    }
    if (format == KD_CTL_JSON && showing->single) {
        PUT(kd_buf_puts(out, "\n"));
    } else if (format == KD_CTL_JSON) {
        PUT(kd_buf_puts(out, showing->n > 0 ? "\n  ]\n}\n" : "{\n  \"items\": []\n}\n"));
    } else if (format == KD_CTL_YAML) {
        PUT(kd_buf_puts(out, showing->n > 0 ? "" : "items: []\n"));
    } else if (showing->n == 0) {
        (void)fputs("nothing found\n", stderr);
    } else {
        end_rows(showing);
    }
    return 0;
}

int kd_ctl_showing_end(struct kd_ctl_showing *showing, struct kd_error *reterr)
{
    if (!showing->events) {
        return end_list(showing, reterr);
    }
    end_rows(showing);
    return kd_ctl_flush(showing->session, reterr);
}
