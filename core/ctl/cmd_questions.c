/* path, impact and unresolved: questions that one answer is enough for. */
#include "ctl/commands.h"

#include "base/limits.h"
#include "base/str.h"
#include "ctl/emit.h"
#include "ctl/names.h"
#include "ctl/resources.h"
#include "ctl/root.h"
#include "ctl/text_table.h"
#include "json/json.h"

#include <stdio.h>

#define TARGET_MAX (256 * KD_KIB)
#define KEEP (64 * KD_KIB)

/* An answer under way to the terminal. */
struct showing {
    struct kd_ctl_session *session;
    struct kd_value answer;
    struct kd_arena arena; /* of the current item */
};

typedef void (*show_fn)(struct showing *showing);

static void cell_place(struct kd_ctl_table *table, const struct kd_ref *ref)
{
    KD_AUTO_BUF struct kd_buf cell;
    kd_buf_init(&cell, KD_MIB); /* what is longer is cut */
    kd_ctl_ref_put(&cell, ref);
    kd_ctl_table_cell(table, kd_buf_str(&cell));
}

static struct kd_value member(struct kd_value value, const char *name)
{
    struct kd_value found = { 0 };
    (void)kd_json_get(value, kd_str_from(name), &found); /* none: an empty value */
    return found;
}

static bool next_item(struct showing *showing, struct kd_iter *iter, struct kd_value *item)
{
    struct kd_value key;
    kd_arena_reset(&showing->arena, KEEP);
    return kd_json_iter_next(iter, &key, item);
}

static bool same_place(const struct kd_ref *a, const struct kd_ref *b)
{
    return kd_str_eq(a->name, b->name) && kd_str_eq(a->ns, b->ns) && kd_str_eq(a->kind, b->kind) &&
           kd_str_eq(a->group, b->group);
}

/* "  PodNodeBinding -> Node n1", or with an arrow back when the step goes to the subject. */
static void put_step(struct showing *showing, struct kd_value relation, struct kd_value node)
{
    struct kd_buf *out = &showing->session->out;
    struct kd_ref to = kd_ctl_ref_of(node, "ref", &showing->arena);
    struct kd_ref object = kd_ctl_ref_of(relation, "object", &showing->arena);
    struct kd_value predicate = member(relation, "predicate");
    (void)kd_buf_puts(out, "  ");
    kd_ctl_clean_put(out, kd_json_get_str(predicate, KD_STR("type"), &showing->arena));
    (void)kd_buf_puts(out, same_place(&to, &object) ? " -> " : " <- ");
    kd_ctl_ref_put(out, &to);
    (void)kd_buf_puts(out, kd_json_true(member(node, "present")) ? "\n" : "  (not there)\n");
}

static void show_path(struct showing *showing)
{
    struct kd_iter nodes;
    struct kd_iter relations;
    struct kd_value node = { 0 };
    struct kd_value relation = { 0 };
    kd_json_iter_init(&nodes, member(showing->answer, "nodes"));
    kd_json_iter_init(&relations, member(showing->answer, "relationships"));
    if (!next_item(showing, &nodes, &node)) {
        return;
    }
    struct kd_ref from = kd_ctl_ref_of(node, "ref", &showing->arena);
    kd_ctl_ref_put(&showing->session->out, &from);
    (void)kd_buf_putc(&showing->session->out, '\n');
    while (next_item(showing, &nodes, &node) && next_item(showing, &relations, &relation)) {
        put_step(showing, relation, node);
    }
}

static void show_impact(struct showing *showing)
{
    static const char *const headers[] = { "EFFECT", "STEPS", "RESOURCE" };
    KD_AUTO_CTL_TABLE struct kd_ctl_table table = { 0 };
    struct kd_iter nodes;
    struct kd_value node = { 0 };
    kd_ctl_table_init(&table, headers, KD_ARRAY_LEN(headers));
    kd_json_iter_init(&nodes, member(showing->answer, "nodes"));
    while (next_item(showing, &nodes, &node)) {
        int64_t depth = 0;
        struct kd_ref ref = kd_ctl_ref_of(node, "ref", &showing->arena);
        kd_ctl_table_cell(&table, kd_json_get_str(node, KD_STR("effect"), &showing->arena));
        if (kd_json_int(member(node, "depth"), &depth) < 0) {
            depth = 0;
        }
        kd_ctl_table_number(&table, (uint64_t)depth);
        cell_place(&table, &ref);
    }
    kd_ctl_table_put(&table, &showing->session->out);
}

static void show_unresolved(struct showing *showing)
{
    static const char *const headers[] = { "RELATION", "SUBJECT", "OBJECT" };
    KD_AUTO_CTL_TABLE struct kd_ctl_table table = { 0 };
    struct kd_iter items;
    struct kd_value item = { 0 };
    kd_ctl_table_init(&table, headers, KD_ARRAY_LEN(headers));
    kd_json_iter_init(&items, member(showing->answer, "items"));
    while (next_item(showing, &items, &item)) {
        struct kd_ref subject = kd_ctl_ref_of(item, "subject", &showing->arena);
        struct kd_ref object = kd_ctl_ref_of(item, "object", &showing->arena);
        struct kd_value predicate = member(item, "predicate");
        kd_ctl_table_cell(&table, kd_json_get_str(predicate, KD_STR("type"), &showing->arena));
        cell_place(&table, &subject);
        cell_place(&table, &object);
    }
    kd_ctl_table_put(&table, &showing->session->out);
}

static int ask(struct kd_ctl_session *session, const char *target, show_fn show,
               struct kd_buf *body, struct kd_value *ret, struct kd_error *reterr)
{
    struct showing showing = { .session = session };
    KD_TRY(kd_ctl_fetch(session, target, body, ret, reterr));
    if (session->options->format == KD_CTL_JSON) {
        kd_ctl_json_put(&session->out, *ret, 0);
        (void)kd_buf_putc(&session->out, '\n');
        return 0;
    }
    showing.answer = *ret;
    kd_arena_init(&showing.arena, KD_MAX_SCRATCH);
    show(&showing);
    kd_arena_release(&showing.arena);
    return 0;
}

int kd_ctl_run_path(struct kd_ctl_session *session, struct kd_error *reterr)
{
    const struct kd_ctl_options *options = session->options;
    struct kd_value answer = { 0 };
    KD_AUTO_BUF struct kd_buf target;
    KD_AUTO_BUF struct kd_buf body;
    kd_buf_init(&target, TARGET_MAX);
    kd_buf_init(&body, KD_CTL_ANSWER_MAX);
    (void)kd_buf_puts(&target, "/api/v1/path"); /* it has room */
    KD_TRY(kd_ctl_root_add(session, &target, "from", &options->root, reterr));
    KD_TRY(kd_ctl_root_add(session, &target, "to", &options->end, reterr));
    kd_ctl_query_add(&target, "direction", options->direction);
    kd_ctl_query_add(&target, "predicate", options->predicate);
    KD_TRY(ask(session, target.ptr, show_path, &body, &answer, reterr));
    if (!kd_json_true(member(answer, "found"))) {
        return kd_fail(reterr, KD_ENOENT, "no path joins %s/%s and %s/%s", options->root.kind,
                       options->root.name, options->end.kind, options->end.name);
    }
    return 0;
}

int kd_ctl_run_impact(struct kd_ctl_session *session, struct kd_error *reterr)
{
    struct kd_value answer = { 0 };
    KD_AUTO_BUF struct kd_buf target;
    KD_AUTO_BUF struct kd_buf body;
    kd_buf_init(&target, TARGET_MAX);
    kd_buf_init(&body, KD_CTL_ANSWER_MAX);
    (void)kd_buf_puts(&target, "/api/v1/impact"); /* it has room */
    KD_TRY(kd_ctl_root_add(session, &target, "root", &session->options->root, reterr));
    return ask(session, target.ptr, show_impact, &body, &answer, reterr);
}

int kd_ctl_run_unresolved(struct kd_ctl_session *session, struct kd_error *reterr)
{
    struct kd_value answer = { 0 };
    KD_AUTO_BUF struct kd_buf target;
    KD_AUTO_BUF struct kd_buf body;
    kd_buf_init(&target, TARGET_MAX);
    kd_buf_init(&body, KD_CTL_ANSWER_MAX);
    (void)kd_buf_puts(&target, "/api/v1/unresolved"); /* it has room */
    kd_ctl_query_add(&target, "predicate", session->options->predicate);
    return ask(session, target.ptr, show_unresolved, &body, &answer, reterr);
}
