#include "server/api.h"
#include "server/write.h"

/* A kd_buf remembers a failed append, which the answer looks at after the step. */
static void put(struct kd_buf *out, const char *text)
{
    (void)kd_buf_puts(out, text);
}

static void write_kind(struct kd_buf *out, const struct kd_kind_row *row)
{
    put(out, "{");
    kd_write_text(out, "kind", row->kind);
    put(out, ",");
    kd_write_text(out, "group", row->group);
    put(out, ",");
    kd_write_text(out, "version", row->version);
    put(out, ",");
    kd_write_text(out, "resource", row->resource);
    put(out, ",");
    kd_write_text(out, "plugin", row->plugin);
    put(out, ",");
    kd_write_text(out, "pluginVersion", row->plugin_version);
    put(out, ",");
    kd_write_text(out, "state", row->state);
    put(out, ",");
    kd_write_number(out, "objects", row->objects);
    put(out, ",");
    kd_write_number(out, "stored", row->stored);
    put(out, ",");
    kd_write_text(out, "resourceVersion", row->resource_version);
    put(out, ",\"queue\":{");
    kd_write_number(out, "depth", row->depth);
    put(out, ",");
    kd_write_number(out, "delayed", row->delayed);
    put(out, "},");
    kd_write_text(out, "lastError", row->last_error);
    put(out, "}");
}

int kd_api_kinds(struct kd_answer *answer)
{
    const struct kd_server_source *source = &answer->context->source;
    const struct kd_kind_row *rows;
    size_t n = source->kinds(source->arg, &answer->arena, &rows);
    put(&answer->piece, "{\"items\":[");
    for (size_t i = 0; i < n; i++) {
        put(&answer->piece, i ? "," : "");
        write_kind(&answer->piece, &rows[i]);
    }
    put(&answer->piece, "]}\n");
    return KD_STEP_DONE;
}

static void write_plugin(struct kd_buf *out, const struct kd_plugin_row *row)
{
    put(out, "{");
    kd_write_text(out, "name", row->name);
    put(out, ",");
    kd_write_text(out, "file", row->file);
    put(out, ",");
    kd_write_text(out, "version", row->version);
    put(out, ",");
    kd_write_text(out, "abi", row->abi);
    put(out, ",");
    kd_write_text(out, "state", row->state);
    put(out, ",");
    kd_write_text(out, "error", row->error);
    put(out, ",");
    kd_write_text(out, "expected", row->expected);
    put(out, ",");
    kd_write_text(out, "found", row->found);
    put(out, "}");
}

int kd_api_plugins(struct kd_answer *answer)
{
    const struct kd_server_source *source = &answer->context->source;
    const struct kd_plugin_row *rows;
    size_t n = source->plugins(source->arg, &answer->arena, &rows);
    put(&answer->piece, "{\"items\":[");
    for (size_t i = 0; i < n; i++) {
        put(&answer->piece, i ? "," : "");
        write_plugin(&answer->piece, &rows[i]);
    }
    put(&answer->piece, "]}\n");
    return KD_STEP_DONE;
}

/* The page of the metrics' own listener, for those who reach us here alone. */
int kd_api_metrics(struct kd_answer *answer)
{
    answer->content_type = KD_METRICS_TYPE;
    KD_TRY(kd_metrics_write(answer->context->metrics, &answer->piece));
    return KD_STEP_DONE;
}
