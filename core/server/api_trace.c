/* The last reconciles of one key. */
#include "base/clock.h"
#include "base/str.h"
#include "server/api.h"
#include "server/kindname.h"
#include "server/write.h"

static void write_seconds(struct kd_buf *out, const char *key, int64_t ns)
{
    (void)kd_buf_printf(out, ",\"%s\":%lld.%06lld", key, (long long)(ns / KD_SEC_NS),
                        (long long)(ns % KD_SEC_NS / 1000)); /* remembered by the buffer */
}

static void write_text(struct kd_buf *out, const char *key, struct kd_str text)
{
    (void)kd_buf_putc(out, ','); /* as above */
    kd_write_text(out, key, text);
}

static void write_run(struct kd_buf *out, const struct kd_run_row *row)
{
    char time[KD_RFC3339_MAX];
    (void)kd_buf_putc(out, '{'); /* as above */
    kd_write_text(out, "time", kd_cstr(kd_rfc3339(row->started_ns, 6, time)));
    write_text(out, "reconcileID", row->id);
    write_text(out, "controller", row->controller);
    write_text(out, "plugin", row->plugin);
    write_text(out, "namespace", row->ns);
    write_text(out, "name", row->name);
    write_text(out, "reason", row->reason);
    write_text(out, "result", row->result);
    write_seconds(out, "durationSeconds", row->took_ns);
    write_seconds(out, "requeueAfterSeconds", row->requeue_ns);
    (void)kd_buf_putc(out, ',');
    kd_write_number(out, "failures", row->failures);
    write_text(out, "error", row->error);
    (void)kd_buf_putc(out, '}');
}

static int read_query(struct kd_answer *answer, struct kd_run_query *ret)
{
    const struct kd_params *params = &answer->params;
    struct kd_str kind = kd_params_get(params, "kind");
    struct kd_kind_name found;
    *ret = (struct kd_run_query){
        .ns = kd_params_get(params, "namespace"),
        .name = kd_params_get(params, "name"),
    };
    if (kind.len == 0 || ret->name.len == 0) {
        return kd_answer_fail(answer, 400, "kind= and name= are needed: whose reconciles?");
    }
    if (kd_kind_find(answer->context, kind, &answer->arena, &found) < 0) {
        return kd_answer_fail(answer, 404,
                              "no kind \"" KD_STR_FMT
                              "\" is kept; kindredctl kinds (/api/v1/kinds) lists those",
                              KD_STR_ARG(kind));
    }
    ret->group = found.group;
    ret->kind = found.kind;
    return 0;
}

int kd_api_trace(struct kd_answer *answer)
{
    const struct kd_server_source *source = &answer->context->source;
    const struct kd_run_row *rows = NULL;
    struct kd_run_query query;
    struct kd_buf *out = &answer->piece;
    KD_TRY(read_query(answer, &query));
    size_t n = source->runs(source->arg, &answer->arena, &query, &rows);
    (void)kd_buf_puts(out, "{\"items\":["); /* remembered by the buffer */
    for (size_t i = 0; i < n; i++) {
        (void)kd_buf_puts(out, i ? "," : "");
        write_run(out, &rows[i]);
    }
    (void)kd_buf_puts(out, "]}\n");
    return KD_STEP_DONE;
}
