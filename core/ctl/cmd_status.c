/* status: the server in short, and what is wrong with it. */
#include "ctl/commands.h"

#include "base/limits.h"
#include "base/str.h"
#include "ctl/emit.h"
#include "ctl/text_table.h"
#include "json/json.h"

struct status {
    struct kd_ctl_session *session;
    uint64_t kinds, synced, objects, stored, loaded, refused, seq;
    struct kd_buf problems; /* JSON objects, "," between */
    struct kd_arena arena;
};

static uint64_t number_at(struct kd_value item, const char *member)
{
    struct kd_value value = { 0 };
    int64_t number = 0;
    bool read = kd_json_get(item, kd_str_from(member), &value) && kd_json_int(value, &number) == 0;
    return read && number > 0 ? (uint64_t)number : 0;
}

/* Appends are looked at once, when the status is written. */
static void add_problem(struct status *status, const char *what, struct kd_str name,
                        struct kd_str state, struct kd_str error)
{
    struct kd_buf *out = &status->problems;
    (void)kd_buf_printf(out, "%s{\"%s\":", out->len > 0 ? "," : "", what);
    (void)kd_buf_put_json(out, name);
    (void)kd_buf_puts(out, ",\"state\":");
    (void)kd_buf_put_json(out, state);
    (void)kd_buf_puts(out, ",\"error\":");
    (void)kd_buf_put_json(out, error);
    (void)kd_buf_putc(out, '}');
}

static void add_kind(struct status *status, struct kd_value item)
{
    struct kd_str kind = kd_json_get_str(item, KD_STR("kind"), &status->arena);
    struct kd_str state = kd_json_get_str(item, KD_STR("state"), &status->arena);
    struct kd_str error = kd_json_get_str(item, KD_STR("lastError"), &status->arena);
    bool synced = kd_str_is(state, "synced");
    status->kinds++;
    status->synced += synced;
    status->objects += number_at(item, "objects");
    status->stored += number_at(item, "stored");
    if (!synced || error.len > 0) {
        add_problem(status, "kind", kind, state, error);
    }
}

static void add_plugin(struct status *status, struct kd_value item)
{
    struct kd_str state = kd_json_get_str(item, KD_STR("state"), &status->arena);
    bool loaded = kd_str_is(state, "loaded");
    status->loaded += loaded;
    status->refused += !loaded;
    if (!loaded) {
        add_problem(status, "plugin", kd_json_get_str(item, KD_STR("name"), &status->arena), state,
                    kd_json_get_str(item, KD_STR("error"), &status->arena));
    }
}

static int read_items(struct status *status, const char *target,
                      void (*add)(struct status *status, struct kd_value item),
                      struct kd_error *reterr)
{
    KD_AUTO_BUF struct kd_buf body;
    struct kd_value answer = { 0 };
    struct kd_value items = { 0 };
    struct kd_value key;
    struct kd_value item;
    struct kd_iter iter;
    kd_buf_init(&body, KD_CTL_ANSWER_MAX);
    KD_TRY(kd_ctl_fetch(status->session, target, &body, &answer, reterr));
    (void)kd_json_get(answer, KD_STR("items"), &items); /* none: an empty walk */
    kd_json_iter_init(&iter, items);
    while (add && kd_json_iter_next(&iter, &key, &item)) {
        add(status, item);
    }
    status->seq = number_at(answer, "seq");
    return 0;
}

static void put_json(struct status *status, struct kd_buf *out)
{
    (void)kd_buf_puts(out, "{\"server\":"); /* looked at when it is parsed or written */
    (void)kd_buf_put_json(out, kd_str_from(status->session->address->text));
    (void)kd_buf_printf(out,
                        ",\"kinds\":{\"total\":%llu,\"synced\":%llu},\"objects\":%llu,"
                        "\"stored\":%llu,\"plugins\":{\"loaded\":%llu,\"refused\":%llu},"
                        "\"seq\":%llu,\"problems\":[",
                        (unsigned long long)status->kinds, (unsigned long long)status->synced,
                        (unsigned long long)status->objects, (unsigned long long)status->stored,
                        (unsigned long long)status->loaded, (unsigned long long)status->refused,
                        (unsigned long long)status->seq);
    (void)kd_buf_put_str(out, kd_buf_str(&status->problems));
    (void)kd_buf_puts(out, "]}");
    out->failed = out->failed || kd_buf_failed(&status->problems);
}

static void put_problems(struct status *status, struct kd_value problems, struct kd_buf *out)
{
    struct kd_value key;
    struct kd_value item;
    struct kd_iter iter;
    kd_json_iter_init(&iter, problems);
    while (kd_json_iter_next(&iter, &key, &item)) {
        struct kd_value name = { 0 };
        bool kind = kd_json_get(item, KD_STR("kind"), &name);
        struct kd_str text =
            kd_json_get_str(item, kind ? KD_STR("kind") : KD_STR("plugin"), &status->arena);
        struct kd_str error = kd_json_get_str(item, KD_STR("error"), &status->arena);
        (void)kd_buf_puts(out, kind ? "kind " : "plugin ");
        kd_ctl_clean_put(out, text);
        (void)kd_buf_puts(out, " is ");
        kd_ctl_clean_put(out, kd_json_get_str(item, KD_STR("state"), &status->arena));
        if (error.len > 0) {
            (void)kd_buf_puts(out, ": ");
            kd_ctl_clean_put(out, error);
        }
        (void)kd_buf_putc(out, '\n');
    }
}

static void put_text(struct status *status, struct kd_value answer, struct kd_buf *out)
{
    struct kd_value problems = { 0 };
    (void)kd_buf_printf(out,
                        "server    %s\n"
                        "kinds     %llu of %llu synced\n"
                        "objects   %llu in the cache, %llu in the graph\n"
                        "plugins   %llu loaded, %llu refused\n"
                        "seq       %llu\n",
                        status->session->address->text, (unsigned long long)status->synced,
                        (unsigned long long)status->kinds, (unsigned long long)status->objects,
                        (unsigned long long)status->stored, (unsigned long long)status->loaded,
                        (unsigned long long)status->refused, (unsigned long long)status->seq);
    if (kd_json_get(answer, KD_STR("problems"), &problems)) {
        put_problems(status, problems, out);
    }
}

static int show(struct status *status, struct kd_error *reterr)
{
    struct kd_buf *out = &status->session->out;
    KD_AUTO_BUF struct kd_buf text;
    struct kd_value answer = { 0 };
    kd_buf_init(&text, KD_CTL_ANSWER_MAX);
    KD_TRY(read_items(status, "/api/v1/kinds", add_kind, reterr));
    KD_TRY(read_items(status, "/api/v1/plugins", add_plugin, reterr));
    KD_TRY(read_items(status, "/api/v1/resources?limit=1", NULL, reterr));
    put_json(status, &text);
    KD_TRY(kd_json_parse(kd_buf_str(&text), &answer, reterr));
    if (status->session->options->format == KD_CTL_JSON) {
        kd_ctl_json_put(out, answer, 0);
        (void)kd_buf_putc(out, '\n'); /* looked at when it is written */
    } else {
        put_text(status, answer, out);
    }
    return 0;
}

int kd_ctl_run_status(struct kd_ctl_session *session, struct kd_error *reterr)
{
    struct status status = { .session = session };
    kd_buf_init(&status.problems, KD_CTL_ANSWER_MAX);
    kd_arena_init(&status.arena, KD_MAX_SCRATCH);
    int rc = show(&status, reterr);
    kd_buf_release(&status.problems);
    kd_arena_release(&status.arena);
    return rc;
}
