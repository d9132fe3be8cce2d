/* top: what happens just now, kind by kind. Rates are of the time between two looks. */
#include "ctl/commands.h"

#include "base/limits.h"
#include "base/str.h"
#include "ctl/cells.h"
#include "ctl/prom.h"
#include "ctl/screen.h"
#include "ctl/text_table.h"
#include "json/json.h"

#include <stdio.h>
#include <unistd.h>

#define RECONCILES "controller_runtime_reconcile_total"
#define FAILURES "controller_runtime_reconcile_errors_total"
#define ROWS "kindred_store_rows_total"

/* What the server said at one moment; the values lie in the texts. */
struct look {
    struct kd_buf kinds, metrics;
    struct kd_value items;
    int64_t at_ns;
};

struct top {
    struct kd_ctl_session *session;
    struct look before, now;
    struct kd_buf text; /* the picture */
};

static void init_look(struct look *look)
{
    *look = (struct look){ .at_ns = 0 };
    kd_buf_init(&look->kinds, KD_CTL_ANSWER_MAX);
    kd_buf_init(&look->metrics, KD_CTL_ANSWER_MAX);
}

static void release_look(struct look *look)
{
    kd_buf_release(&look->kinds);
    kd_buf_release(&look->metrics);
}

static int take_look(struct top *top, struct kd_error *reterr)
{
    struct look spare = top->before;
    struct look *now = &spare;
    struct kd_value answer = { 0 };
    top->before = top->now;
    int rc = kd_ctl_fetch(top->session, "/api/v1/kinds", &now->kinds, &answer, reterr);
    rc = rc < 0 ? rc : kd_ctl_fetch_text(top->session, "/debug/metrics", &now->metrics, reterr);
    now->items = (struct kd_value){ 0 };
    (void)kd_json_get(answer, KD_STR("items"), &now->items); /* none: an empty table */
    now->at_ns = kd_now_ns(top->session->clock);
    top->now = spare;
    return rc;
}

/* A counter's growth a second; one that was set back has begun anew. */
static double rate(const struct top *top, const char *name, const char *label, struct kd_str value)
{
    double now = kd_ctl_prom_sum(kd_buf_str(&top->now.metrics), name, label, value);
    double before = kd_ctl_prom_sum(kd_buf_str(&top->before.metrics), name, label, value);
    double seconds = (double)(top->now.at_ns - top->before.at_ns) / (double)KD_SEC_NS;
    return seconds > 0 && now >= before ? (now - before) / seconds : 0;
}

static double gauge(const struct top *top, const char *name)
{
    return kd_ctl_prom_sum(kd_buf_str(&top->now.metrics), name, NULL, KD_STR(""));
}

static void cell_printf(struct kd_ctl_table *table, const char *format, double number)
{
    char text[64];
    (void)snprintf(text, sizeof(text), format, number); /* fits, or is cut */
    kd_ctl_table_cell(table, kd_str_from(text));
}

static void put_row(const struct top *top, struct kd_ctl_table *table, struct kd_value item)
{
    KD_AUTO_ARENA struct kd_arena arena;
    kd_arena_init(&arena, KD_MIB);
    struct kd_str plugin = kd_json_get_str(item, KD_STR("plugin"), &arena);
    struct kd_str kind = kd_json_get_str(item, KD_STR("kind"), &arena);
    kd_ctl_table_cell(table, kind);
    kd_ctl_cell_at(table, item, "/state");
    kd_ctl_cell_at(table, item, "/objects");
    kd_ctl_cell_at(table, item, "/stored");
    cell_printf(table, "%.1f", rate(top, RECONCILES, "controller", plugin));
    cell_printf(table, "%.1f", rate(top, FAILURES, "controller", plugin));
    kd_ctl_cell_at(table, item, "/queue/depth");
    kd_ctl_cell_at(table, item, "/queue/delayed");
    cell_printf(
        table, "%.1f",
        kd_ctl_prom_sum(kd_buf_str(&top->now.metrics), "kindred_cache_bytes", "kind", kind) /
            (double)KD_MIB);
}

static void put_text(struct top *top)
{
    static const char *const headers[] = { "KIND",   "STATE",        "OBJECTS",
                                           "STORED", "RECONCILES/S", "ERRORS/S",
                                           "QUEUE",  "DELAYED",      "CACHE-MIB" };
    KD_AUTO_CTL_TABLE struct kd_ctl_table table = { 0 };
    struct kd_buf *text = &top->text;
    struct kd_iter iter;
    struct kd_value key;
    struct kd_value item;
    kd_buf_clear(text, KD_MIB);
    (void)kd_buf_printf(text, /* looked at when it is written, as below */
                        "%s   memory %.1f MiB   cpu %.1f %%   reconciles %.1f/s\n"
                        "store: rows %.1f/s   queue %.0f   batches %.1f/s   errors %.0f\n\n",
                        top->session->address->text,
                        gauge(top, "process_resident_memory_bytes") / (double)KD_MIB,
                        100 * rate(top, "process_cpu_seconds_total", NULL, KD_STR("")),
                        rate(top, RECONCILES, NULL, KD_STR("")), rate(top, ROWS, NULL, KD_STR("")),
                        gauge(top, "kindred_store_queue"),
                        rate(top, "kindred_store_batches_total", NULL, KD_STR("")),
                        gauge(top, "kindred_store_errors_total"));
    kd_ctl_table_init(&table, headers, KD_ARRAY_LEN(headers));
    kd_json_iter_init(&iter, top->now.items);
    while (kd_json_iter_next(&iter, &key, &item)) {
        put_row(top, &table, item);
    }
    kd_ctl_table_put(&table, text);
}

static int draw(struct top *top, struct kd_error *reterr)
{
    struct kd_ctl_session *session = top->session;
    kd_ctl_screen_put(&session->out, kd_buf_str(&top->text));
    return kd_ctl_flush(session, reterr);
}

static int show_live(struct top *top, struct kd_error *reterr)
{
    int64_t interval_ns = (int64_t)top->session->options->interval * KD_SEC_NS;
    int rc = 0;
    int why = 0;
    kd_ctl_screen_begin();
    while (rc == 0 && why != 2) {
        if (why == 0) {
            rc = take_look(top, reterr);
            put_text(top);
        }
        rc = rc < 0 ? rc : draw(top, reterr);
        int64_t left_ns = top->now.at_ns + interval_ns - kd_now_ns(top->session->clock);
        why = rc < 0 ? 0 : kd_ctl_screen_wait(left_ns > 0 ? left_ns : 0);
    }
    kd_ctl_screen_end();
    return rc;
}

/* One picture; its rates are those of an interval. */
static int show_once(struct top *top, struct kd_error *reterr)
{
    KD_TRY(take_look(top, reterr));
    (void)sleep((unsigned)top->session->options->interval); /* cut short by a signal: no harm */
    KD_TRY(take_look(top, reterr));
    put_text(top);
    (void)kd_buf_put_str(&top->session->out, kd_buf_str(&top->text)); /* looked at later */
    return 0;
}

int kd_ctl_run_top(struct kd_ctl_session *session, struct kd_error *reterr)
{
    struct top top = { .session = session };
    init_look(&top.before);
    init_look(&top.now);
    kd_buf_init(&top.text, KD_CTL_ANSWER_MAX);
    int rc = isatty(session->fd) ? show_live(&top, reterr) : show_once(&top, reterr);
    release_look(&top.before);
    release_look(&top.now);
    kd_buf_release(&top.text);
    return rc;
}
