/* kinds, plugins and trace: one answer, one table. */
#include "ctl/commands.h"

#include "base/limits.h"
#include "ctl/cells.h"
#include "ctl/emit.h"
#include "ctl/text_table.h"
#include "json/json.h"

#include <string.h>

#define TARGET_MAX (64 * KD_KIB)

struct column {
    const char *header;
    const char *path;
};

static const struct column kind_columns[] = {
    { "KIND", "/kind" },
    { "GROUP", "/group" },
    { "STATE", "/state" },
    { "OBJECTS", "/objects" },
    { "STORED", "/stored" },
    { "QUEUE", "/queue/depth" },
    { "DELAYED", "/queue/delayed" },
    { "ERROR", "/lastError" },
};

static const struct column wide_kind_columns[] = {
    { "KIND", "/kind" },         { "GROUP", "/group" },
    { "VERSION", "/version" },   { "RESOURCE", "/resource" },
    { "PLUGIN", "/plugin" },     { "STATE", "/state" },
    { "OBJECTS", "/objects" },   { "STORED", "/stored" },
    { "QUEUE", "/queue/depth" }, { "DELAYED", "/queue/delayed" },
    { "ERROR", "/lastError" },
};

static const struct column plugin_columns[] = {
    { "NAME", "/name" },   { "STATE", "/state" }, { "VERSION", "/version" },
    { "ABI", "/abi" },     { "FILE", "/file" },   { "EXPECTED", "/expected" },
    { "FOUND", "/found" }, { "ERROR", "/error" },
};

static const struct column trace_columns[] = {
    { "TIME", "/time" },         { "NAMESPACE", "/namespace" }, { "CONTROLLER", "/controller" },
    { "REASON", "/reason" },     { "RESULT", "/result" },       { "SECONDS", "/durationSeconds" },
    { "FAILURES", "/failures" }, { "ID", "/reconcileID" },      { "ERROR", "/error" },
};

static void put_rows(struct kd_ctl_table *table, struct kd_value items,
                     const struct column *columns, size_t n)
{
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value item;
    kd_json_iter_init(&iter, items);
    while (kd_json_iter_next(&iter, &key, &item)) {
        for (size_t i = 0; i < n; i++) {
            kd_ctl_cell_at(table, item, columns[i].path);
        }
    }
}

static int show(struct kd_ctl_session *session, const char *target, const struct column *columns,
                size_t n, struct kd_error *reterr)
{
    KD_AUTO_BUF struct kd_buf body;
    KD_AUTO_CTL_TABLE struct kd_ctl_table table = { 0 };
    const char *headers[KD_CTL_MAX_COLUMNS];
    struct kd_value answer = { 0 };
    struct kd_value items = { 0 };
    kd_buf_init(&body, KD_CTL_ANSWER_MAX);
    KD_TRY(kd_ctl_fetch(session, target, &body, &answer, reterr));
    if (session->options->format == KD_CTL_JSON) {
        kd_ctl_json_put(&session->out, answer, 0);
        (void)kd_buf_putc(&session->out, '\n'); /* looked at when it is written */
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        headers[i] = columns[i].header;
    }
    kd_ctl_table_init(&table, headers, n);
    (void)kd_json_get(answer, KD_STR("items"), &items); /* none: a table of the head line */
    put_rows(&table, items, columns, n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(headers[i], "ERROR") == 0) { /* what may be long, and mostly is not there */
            kd_ctl_table_drop_empty(&table, i);
        }
    }
    kd_ctl_table_put(&table, &session->out);
    return 0;
}

/* "pods", "deployments.apps": what every command takes for a kind. */
static int put_names(struct kd_ctl_session *session, struct kd_error *reterr)
{
    KD_AUTO_BUF struct kd_buf body;
    struct kd_value answer = { 0 };
    struct kd_value items = { 0 };
    struct kd_value item = { 0 };
    struct kd_value key = { 0 };
    struct kd_iter iter;
    kd_buf_init(&body, KD_CTL_ANSWER_MAX);
    KD_TRY(kd_ctl_fetch(session, "/api/v1/kinds", &body, &answer, reterr));
    (void)kd_json_get(answer, KD_STR("items"), &items); /* none: nothing to write */
    kd_json_iter_init(&iter, items);
    while (kd_json_iter_next(&iter, &key, &item)) {
        struct kd_value value = { 0 };
        if (kd_json_get(item, KD_STR("resource"), &value)) {
            kd_ctl_cell_value(&session->out, value);
        }
        if (kd_json_get(item, KD_STR("group"), &value) && value.len > 2) {
            (void)kd_buf_putc(&session->out, '.'); /* looked at when it is written */
            kd_ctl_cell_value(&session->out, value);
        }
        (void)kd_buf_putc(&session->out, '\n');
    }
    return 0;
}

int kd_ctl_run_kinds(struct kd_ctl_session *session, struct kd_error *reterr)
{
    if (session->options->format == KD_CTL_NAME) {
        return put_names(session, reterr);
    }
    if (session->options->wide) {
        return show(session, "/api/v1/kinds", wide_kind_columns, KD_ARRAY_LEN(wide_kind_columns),
                    reterr);
    }
    return show(session, "/api/v1/kinds", kind_columns, KD_ARRAY_LEN(kind_columns), reterr);
}

int kd_ctl_run_plugins(struct kd_ctl_session *session, struct kd_error *reterr)
{
    return show(session, "/api/v1/plugins", plugin_columns, KD_ARRAY_LEN(plugin_columns), reterr);
}

int kd_ctl_run_trace(struct kd_ctl_session *session, struct kd_error *reterr)
{
    const struct kd_ctl_place *root = &session->options->root;
    KD_AUTO_BUF struct kd_buf target;
    kd_buf_init(&target, TARGET_MAX);
    (void)kd_buf_puts(&target, "/api/v1/trace"); /* it has room */
    kd_ctl_query_add(&target, "kind", root->kind);
    kd_ctl_query_add(&target, "namespace", root->ns);
    kd_ctl_query_add(&target, "name", root->name);
    if (kd_buf_failed(&target)) {
        return kd_fail(reterr, KD_ETOOBIG, "the question is too long");
    }
    return show(session, target.ptr, trace_columns, KD_ARRAY_LEN(trace_columns), reterr);
}
