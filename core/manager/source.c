#include "manager/source.h"

#include "base/log.h"
#include "base/str.h"
#include "manager/runs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REASON_MAX 640

static struct kd_str text_of(struct kd_arena *arena, const char *fmt, ...) KD_PRINTF(2, 3);

static struct kd_str text_of(struct kd_arena *arena, const char *fmt, ...)
{
    char text[REASON_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args); /* cut to fit */
    va_end(args);
    return kd_arena_copy(arena, kd_str_from(text));
}

static struct kd_str copy_of(struct kd_arena *arena, const char *text)
{
    return kd_arena_copy(arena, kd_str_from(text));
}

/* A kind that was in sync may fail for a while before that is shown. */
static bool is_patient(const struct kd_source *source, const struct kd_informer_status *status)
{
    return status->state == KD_INFORMER_FAILING &&
           kd_now_ns(&kd_system_clock) - status->last_event_ns < source->stall_ns;
}

static void judge(const struct kd_source *source, const struct kd_running_kind *running,
                  const struct kd_informer_status *status, struct kd_arena *arena,
                  struct kd_kind_row *row)
{
    const char *state = kd_informer_state_name(status->state);
    /* One that stands by fills no graph: its cache is what has to be ready. */
    bool written =
        atomic_load(&running->written) || (kd_lead_stands_by(source->lead) && status->ever_synced);
    if (status->state == KD_INFORMER_SYNCED && !written) {
        state = kd_informer_state_name(KD_INFORMER_SYNCING);
    }
    row->state = kd_str_from(state);
    row->ready = written && (status->state == KD_INFORMER_SYNCED || is_patient(source, status));
    if (row->ready) {
        return;
    }
    if (status->last_code > 0) {
        row->reason = text_of(arena, "%s: %s %d: %s", running->owner->def.kind, state,
                              status->last_code, status->last_error);
    } else if (status->last_error[0]) {
        row->reason =
            text_of(arena, "%s: %s: %s", running->owner->def.kind, state, status->last_error);
    } else {
        row->reason = text_of(arena, "%s: %s, %llu objects so far", running->owner->def.kind, state,
                              (unsigned long long)status->objects);
    }
}

static void add_queue(const struct kd_running_kind *running, const struct kd_source *source,
                      struct kd_arena *arena, struct kd_kind_row *row)
{
    for (size_t i = 0; i < running->n_members; i++) {
        struct kd_controller_status status;
        if (!running->members[i].controller) {
            continue;
        }
        kd_controller_get_status(running->members[i].controller, &status);
        row->depth += status.queue.depth;
        row->delayed += status.queue.delayed;
        if (row->last_error.len == 0 && status.last_error[0]) {
            row->last_error = copy_of(arena, status.last_error);
        }
    }
    row->stored =
        kd_store_count(source->store, running->owner->def.group, running->owner->def.kind);
}

/* The breaker's word stands for the kind: its keys wait. */
static void judge_breaker(const struct kd_running_member *member, struct kd_arena *arena,
                          struct kd_kind_row *row)
{
    struct kd_controller_status status;
    kd_controller_get_status(member->controller, &status);
    if (status.breaker == KD_BREAKER_CLOSED) {
        return;
    }
    struct kd_str text =
        text_of(arena, "breaker %s after %llu failures in a row, next try in %lld s: %s",
                kd_breaker_state_name(status.breaker), (unsigned long long)status.breaker_failures,
                (long long)(status.breaker_wait_ns / KD_SEC_NS), status.last_error);
    row->ready = false;
    if (row->last_error.len == 0) { /* else there is an older reason, which may be the cause */
        row->last_error = text;
        row->reason = text;
    }
}

static void judge_breakers(const struct kd_running_kind *running, struct kd_arena *arena,
                           struct kd_kind_row *row)
{
    for (size_t i = 0; i < running->n_members; i++) {
        if (running->members[i].controller) {
            judge_breaker(&running->members[i], arena, row);
        }
    }
}

/* The rows outlive the view that they are read from. */
static void copy_short_names(const struct kd_kind *def, struct kd_arena *arena,
                             struct kd_kind_row *row)
{
    const char **names = kd_arena_alloc(arena, def->n_short_names * sizeof(*names));
    for (size_t i = 0; names && i < def->n_short_names; i++) {
        struct kd_str copy = copy_of(arena, def->short_names[i]);
        names[i] = copy.ptr ? copy.ptr : "";
        row->n_short_names = i + 1;
    }
    row->short_names = names;
}

static void fill_row(const struct kd_source *source, const struct kd_running_kind *running,
                     struct kd_arena *arena, struct kd_kind_row *row)
{
    const struct kd_kind *def = &running->owner->def;
    struct kd_informer_status status;
    kd_informer_get_status(running->informer, &status);
    *row = (struct kd_kind_row){
        .name = copy_of(arena, running->name),
        .kind = copy_of(arena, def->kind),
        .group = copy_of(arena, def->group),
        .version = copy_of(arena, def->version),
        .resource = copy_of(arena, def->resource),
        .plugin = copy_of(arena, running->owner->instance->name),
        .plugin_version = copy_of(arena, running->owner->instance->plugin->version),
        .resource_version = copy_of(arena, status.version),
        .last_error = copy_of(arena, status.last_error),
        .namespaced = def->scope == KD_SCOPE_NAMESPACED,
        .objects = status.objects,
        .bytes = status.bytes,
        .raw_bytes = status.raw_bytes,
    };
    copy_short_names(def, arena, row);
    judge(source, running, &status, arena, row);
    judge_breakers(running, arena, row);
    add_queue(running, source, arena, row);
}

/* It has no check, and so no name: nothing waits for it. */
static void fill_disabled(const struct kd_source *source, const struct kd_disabled_kind *kind,
                          struct kd_arena *arena, struct kd_kind_row *row)
{
    *row = (struct kd_kind_row){
        .kind = copy_of(arena, kind->kind),
        .group = copy_of(arena, kind->group),
        .version = copy_of(arena, kind->version),
        .resource = copy_of(arena, kind->resource),
        .plugin = copy_of(arena, kind->entry),
        .plugin_version = copy_of(arena, kind->plugin_version),
        .state = kd_str_from(kd_informer_state_name(KD_INFORMER_DISABLED)),
        .namespaced = kind->namespaced,
        .stored = kd_store_count(source->store, kind->group, kind->kind),
        .ready = true,
    };
}

static size_t kind_rows(void *arg, struct kd_arena *arena, const struct kd_kind_row **ret)
{
    const struct kd_source *source = arg;
    const struct kd_view *view = kd_kinds_hold(source->kinds);
    struct kd_kind_row *rows = kd_arena_alloc(arena, (view->n + view->n_disabled) * sizeof(*rows));
    size_t n = 0;
    for (size_t i = 0; rows && i < view->n; i++) {
        fill_row(source, &view->items[i], arena, &rows[n++]);
    }
    for (size_t i = 0; rows && i < view->n_disabled; i++) {
        fill_disabled(source, &view->disabled[i], arena, &rows[n++]);
    }
    kd_kinds_drop(source->kinds, view);
    *ret = rows;
    return n;
}

static size_t plugin_rows(void *arg, struct kd_arena *arena, const struct kd_plugin_row **ret)
{
    const struct kd_source *source = arg;
    const struct kd_plugin_report *reports = NULL;
    const struct kd_view *view = kd_kinds_hold(source->kinds);
    size_t n = view->plugins ? kd_plugins_report(view->plugins, &reports) : 0;
    struct kd_plugin_row *rows = kd_arena_alloc(arena, n * sizeof(*rows));
    for (size_t i = 0; rows && i < n; i++) {
        bool refused = reports[i].state == KD_PLUGIN_REFUSED;
        rows[i] = (struct kd_plugin_row){
            .name = copy_of(arena, reports[i].name),
            .file = copy_of(arena, reports[i].file),
            .version = copy_of(arena, reports[i].version),
            .abi = copy_of(arena, reports[i].abi),
            .state = kd_str_from(refused ? "refused" : "loaded"),
            .error = copy_of(arena, reports[i].error.text),
            .expected = copy_of(arena, reports[i].expected),
            .found = copy_of(arena, reports[i].found),
        };
    }
    kd_kinds_drop(source->kinds, view);
    *ret = rows;
    return rows ? n : 0;
}

static size_t run_rows(void *arg, struct kd_arena *arena, const struct kd_run_query *query,
                       const struct kd_run_row **ret)
{
    const struct kd_source *source = arg;
    return kd_runs_find(source->kinds, arena, query, ret);
}

static struct kd_check_row check_io(const struct kd_source *source, struct kd_arena *arena)
{
    int64_t age_ns = kd_now_ns(&kd_system_clock) - kd_loop_last_turn_ns(source->loop);
    struct kd_check_row row = { .name = KD_STR("io"), .ok = age_ns < source->stall_ns };
    if (!row.ok) {
        row.reason = text_of(arena, "the I/O thread has not come round for %lld s",
                             (long long)(age_ns / KD_SEC_NS));
    }
    return row;
}

static struct kd_check_row check_workers(const struct kd_source *source, struct kd_arena *arena)
{
    char text[REASON_MAX / 2];
    int64_t stalled_ns = kd_pool_stalled_ns(source->pool, text, sizeof(text));
    struct kd_check_row row = { .name = KD_STR("workers"), .ok = stalled_ns < source->stall_ns };
    if (!row.ok) {
        row.reason = text_of(arena, "no worker has come round for %lld s with work waiting: %s",
                             (long long)(stalled_ns / KD_SEC_NS), text);
    }
    return row;
}

static size_t live_checks(void *arg, struct kd_arena *arena, const struct kd_check_row **ret)
{
    const struct kd_source *source = arg;
    struct kd_check_row *rows = kd_arena_alloc(arena, 3 * sizeof(*rows));
    if (!rows) {
        return 0;
    }
    rows[0] = (struct kd_check_row){ .name = KD_STR("ping"), .ok = true };
    rows[1] = check_io(source, arena);
    rows[2] = check_workers(source, arena);
    *ret = rows;
    return 3;
}

static struct kd_check_row leader_check(const struct kd_source *source, struct kd_arena *arena)
{
    char why[KD_WHY_MAX] = "";
    bool ok = kd_lead_is_ready(source->lead, why, sizeof(why));
    return (
        struct kd_check_row){ .name = KD_STR("leader"), .ok = ok, .reason = copy_of(arena, why) };
}

static bool may_answer(void *arg, bool process, char why[KD_WHY_MAX], char leader[KD_WHY_MAX])
{
    const struct kd_source *source = arg;
    return kd_lead_may_show(source->lead, process, why, KD_WHY_MAX, leader);
}

/* A refused reload is told, and no reason to be taken out of service: the old settings hold. */
static struct kd_check_row config_check(const struct kd_source *source, struct kd_arena *arena)
{
    char text[KD_ERROR_TEXT];
    kd_reload_describe(source->reload, text);
    return (struct kd_check_row){ .name = KD_STR("config"),
                                  .ok = true,
                                  .reason = copy_of(arena, text) };
}

static size_t ready_checks(void *arg, struct kd_arena *arena, const struct kd_check_row **ret)
{
    const struct kd_source *source = arg;
    const struct kd_kind_row *kinds;
    size_t n = kind_rows(arg, arena, &kinds);
    struct kd_check_row *rows = kd_arena_alloc(arena, (n + 3) * sizeof(*rows));
    struct kd_error error = { 0 };
    if (!rows) {
        return 0;
    }
    rows[0] = (struct kd_check_row){ .name = KD_STR("store"),
                                     .ok = kd_store_health(source->store, &error) == 0 };
    rows[0].reason = copy_of(arena, error.text);
    rows[1] = leader_check(source, arena);
    rows[2] = config_check(source, arena);
    size_t n_rows = 3;
    for (size_t i = 0; i < n; i++) {
        if (kinds[i].name.len > 0) {
            rows[n_rows++] = (struct kd_check_row){
                .name = text_of(arena, "kind-%.*s", KD_STR_ARG(kinds[i].name)),
                .ok = kinds[i].ready,
                .reason = kinds[i].reason,
            };
        }
    }
    *ret = rows;
    return n_rows;
}

/* As the files and the environment have it now; the metric kindred_config_hash tells which one
 * runs. */
static void write_config(void *arg, struct kd_buf *out)
{
    const struct kd_source *source = arg;
    struct kd_config *config = NULL;
    struct kd_faults faults = { 0 };
    int rc = kd_config_load(source->config_path, source->env, &config, &faults);
    for (size_t i = 0; i < faults.n; i++) {
        (void)kd_buf_printf(out, "# %s\n", faults.items[i]); /* remembered by out */
    }
    if (rc == 0 && kd_config_write(config, out) < 0) {
        KD_DEBUG("the configuration does not fit into an answer", KD_F("error", "too large"));
    }
    kd_config_free(config);
    kd_faults_release(&faults);
}

static void judge_caller(void *arg, const struct kd_caller *caller, kd_ruling_fn *done,
                         void *done_arg)
{
    const struct kd_source *source = arg;
    kd_reviewer_judge(source->reviewer, caller, done, done_arg);
}

struct kd_server_source kd_source_vtable(struct kd_source *source)
{
    return (struct kd_server_source){
        .arg = source,
        .kinds = kind_rows,
        .plugins = plugin_rows,
        .runs = run_rows,
        .live_checks = live_checks,
        .ready_checks = ready_checks,
        .may_answer = may_answer,
        .judge = judge_caller,
        .config = write_config,
    };
}
