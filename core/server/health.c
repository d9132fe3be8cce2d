#include "server/health.h"

#include "base/str.h"

#include <stdlib.h>

struct checks {
    const struct kd_check_row *rows;
    size_t n;
    const char *word; /* "healthz" */
};

static int by_name(const void *a, const void *b)
{
    const struct kd_check_row *x = a;
    const struct kd_check_row *y = b;
    return kd_str_cmp(x->name, y->name);
}

static bool is_excluded(const struct kd_params *params, struct kd_str name)
{
    for (size_t i = 0; i < params->n; i++) {
        if (kd_str_is(params->items[i].name, "exclude") &&
            kd_str_eq(params->items[i].value, name)) {
            return true;
        }
    }
    return false;
}

static bool is_known(const struct checks *checks, struct kd_str name)
{
    for (size_t i = 0; i < checks->n; i++) {
        if (kd_str_eq(checks->rows[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* Appends are remembered by the buffer; a cut page is still a page. */
static void write_check(struct kd_buf *out, const struct kd_check_row *row, bool excluded)
{
    if (excluded) {
        (void)kd_buf_printf(out, "[+]" KD_STR_FMT " excluded: ok\n", KD_STR_ARG(row->name));
    } else if (row->ok) {
        (void)kd_buf_printf(out, "[+]" KD_STR_FMT " ok%s" KD_STR_FMT "\n", KD_STR_ARG(row->name),
                            row->reason.len > 0 ? ": " : "", KD_STR_ARG(row->reason));
    } else {
        (void)kd_buf_printf(out, "[-]" KD_STR_FMT " failed: " KD_STR_FMT "\n",
                            KD_STR_ARG(row->name), KD_STR_ARG(row->reason));
    }
}

static void write_warnings(struct kd_buf *out, const struct checks *checks,
                           const struct kd_params *params)
{
    for (size_t i = 0; i < params->n; i++) {
        struct kd_str value = params->items[i].value;
        if (kd_str_is(params->items[i].name, "exclude") && !is_known(checks, value)) {
            (void)kd_buf_printf(out,
                                "warn: some health checks cannot be excluded: no matches for "
                                "\"" KD_STR_FMT "\"\n",
                                KD_STR_ARG(value));
        }
    }
}

static int answer_all(const struct checks *checks, const struct kd_params *params,
                      struct kd_buf *out)
{
    bool ok = true;
    for (size_t i = 0; i < checks->n; i++) {
        bool excluded = is_excluded(params, checks->rows[i].name);
        ok = ok && (excluded || checks->rows[i].ok);
        write_check(out, &checks->rows[i], excluded);
    }
    if (ok && !kd_params_has(params, "verbose")) {
        kd_buf_clear(out, out->max);
        (void)kd_buf_puts(out, "ok");
        return 200;
    }
    write_warnings(out, checks, params);
    (void)kd_buf_printf(out, "%s check %s\n", checks->word, ok ? "passed" : "failed");
    return ok ? 200 : 500;
}

static int answer_one(const struct checks *checks, struct kd_str name, struct kd_buf *out)
{
    for (size_t i = 0; i < checks->n; i++) {
        const struct kd_check_row *row = &checks->rows[i];
        if (kd_str_eq(row->name, name)) {
            (void)(row->ok
                       ? kd_buf_puts(out, "ok")
                       : kd_buf_printf(out, "failed: " KD_STR_FMT "\n", KD_STR_ARG(row->reason)));
            return row->ok ? 200 : 500;
        }
    }
    return 404;
}

static bool take_prefix(struct kd_str *path, const char *word)
{
    struct kd_str prefix = kd_str_from(word);
    if (!kd_str_starts(*path, prefix)) {
        return false;
    }
    struct kd_str rest = { path->ptr + prefix.len, path->len - prefix.len };
    if (rest.len > 0 && rest.ptr[0] != '/') {
        return false;
    }
    *path = rest.len > 0 ? (struct kd_str){ rest.ptr + 1, rest.len - 1 } : rest;
    return true;
}

int kd_health_answer(const struct kd_server_source *source, struct kd_str path,
                     const struct kd_params *params, struct kd_arena *arena, struct kd_buf *out)
{
    struct checks checks = { 0 };
    if (take_prefix(&path, "/healthz")) {
        checks.word = "healthz";
        checks.n = source->live_checks(source->arg, arena, &checks.rows);
    } else if (take_prefix(&path, "/readyz")) {
        checks.word = "readyz";
        checks.n = source->ready_checks(source->arg, arena, &checks.rows);
    } else {
        return 404;
    }
    struct kd_check_row *sorted = kd_arena_alloc(arena, checks.n * sizeof(*sorted));
    if (!sorted) {
        return 500;
    }
    for (size_t i = 0; i < checks.n; i++) {
        sorted[i] = checks.rows[i];
    }
    qsort(sorted, checks.n, sizeof(*sorted), by_name);
    checks.rows = sorted;
    return path.len > 0 ? answer_one(&checks, path, out) : answer_all(&checks, params, out);
}
