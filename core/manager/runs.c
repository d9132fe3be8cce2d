#include "manager/runs.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

#define ID_MAX 17

struct runs {
    struct kd_arena *arena;
    struct kd_run_row *rows;
    size_t n, cap;
};

static struct kd_str copy_of(struct runs *runs, const char *text)
{
    return kd_arena_copy(runs->arena, kd_cstr(text));
}

static void add(struct runs *runs, const struct kd_running_member *member,
                const struct kd_trace_row *row)
{
    char id[ID_MAX];
    char reason[KD_WHY_TEXT_MAX];
    (void)snprintf(id, sizeof(id), "%016llx", (unsigned long long)row->id); /* fits */
    runs->rows[runs->n++] = (struct kd_run_row){
        .plugin = copy_of(runs, member->kind->instance->name),
        .controller = copy_of(runs, member->name),
        .ns = row->key.ns,
        .name = row->key.name,
        .id = copy_of(runs, id),
        .reason = copy_of(runs, kd_why_text(row->why, row->changed, reason)),
        .result = kd_cstr(row->result),
        .error = row->error,
        .started_ns = row->started_ns,
        .took_ns = row->took_ns,
        .requeue_ns = row->requeue_ns,
        .failures = row->failures,
    };
}

static bool make_room(struct runs *runs, size_t more)
{
    if (runs->n + more <= runs->cap) {
        return true;
    }
    size_t cap = runs->n + more;
    struct kd_run_row *rows = kd_arena_alloc(runs->arena, cap * sizeof(*rows));
    if (!rows) {
        return false;
    }
    if (runs->n) {
        memcpy(rows, runs->rows, runs->n * sizeof(*rows));
    }
    runs->rows = rows;
    runs->cap = cap;
    return true;
}

static void add_member(struct runs *runs, const struct kd_running_member *member, struct kd_key key)
{
    struct kd_trace_row *rows;
    size_t n = 0;
    if (member->controller &&
        kd_controller_trace(member->controller, key, runs->arena, &rows, &n) == 0 &&
        make_room(runs, n)) {
        for (size_t i = 0; i < n; i++) {
            add(runs, member, &rows[i]);
        }
    }
}

static bool is_asked(const struct kd_running_kind *running, const struct kd_run_query *query)
{
    const struct kd_kind *def = &running->owner->def;
    return strcmp(def->kind, query->kind) == 0 &&
           (!query->group || strcmp(def->group, query->group) == 0);
}

static int newest_first(const void *a, const void *b)
{
    const struct kd_run_row *x = a;
    const struct kd_run_row *y = b;
    return (x->started_ns < y->started_ns) - (x->started_ns > y->started_ns);
}

size_t kd_runs_find(struct kd_kinds *kinds, struct kd_arena *arena,
                    const struct kd_run_query *query, const struct kd_run_row **ret)
{
    const struct kd_view *view = kd_kinds_hold(kinds);
    struct runs runs = { .arena = arena };
    const struct kd_key key = { query->ns, query->name };
    for (size_t i = 0; i < view->n; i++) {
        const struct kd_running_kind *running = &view->items[i];
        for (size_t j = 0; is_asked(running, query) && j < running->n_members; j++) {
            add_member(&runs, &running->members[j], key);
        }
    }
    kd_kinds_drop(kinds, view);
    if (runs.n) {
        qsort(runs.rows, runs.n, sizeof(*runs.rows), newest_first);
    }
    *ret = runs.rows;
    return runs.n;
}
